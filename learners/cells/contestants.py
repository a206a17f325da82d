"""From the entries of a plan to who plays.

What the file says wrongly is the user's mistake, and stops everything. What is there but cannot
be played is told in its cell, and the others go on.
"""

from collections.abc import Iterator

import msgspec

from hocket.learners.cells.contestant import Contestant
from hocket.learners.cells.place import place_of
from hocket.learners.cells.plan import Plan
from hocket.learners.cells.preset_contestant import preset_contestant
from hocket.learners.cells.run_contestant import run_contestant
from hocket.learners.cells.seating import Seating, on_base
from hocket.learners.config import CellPart, Config
from hocket.learners.preset import read_preset


def contestants(plan: Plan) -> list[Contestant]:
    """Find out who plays in the cells of a plan.

    Raises:
        UsageError: an entry that cannot be meant, or episodes that were learned from.
    """
    seating = Seating(plan.protocol)
    return [each for number in range(len(plan.entries)) for each in _of(plan, number, seating)]


def _of(plan: Plan, number: int, seating: Seating) -> Iterator[Contestant]:
    entry = plan.entries[number]
    config = None if entry.preset is None else _declared(plan, number, entry.preset)
    for named in entry.folders:
        yield run_contestant(plan, number, named, None if config is None else place_of(config), seating)
    if not entry.folders and config is not None:
        yield preset_contestant(plan, number, config, seating)


def _declared(plan: Plan, number: int, name: str) -> Config:
    """Return what a preset says, in the cell and on the base that the entry names."""
    entry = plan.entries[number]
    config = read_preset(str(plan.beside(name)) if name.endswith(".toml") else name).config
    if entry.game not in (None, config.game.name):
        raise plan.problem(number, f"game is {entry.game}, but {name} plays {config.game.name}")
    given = {"interface": entry.interface, "capacity": entry.capacity}
    cell = msgspec.to_builtins(config.cell) | {key: value for key, value in given.items() if value is not None}
    return on_base(msgspec.structs.replace(config, cell=msgspec.convert(cell, CellPart)), entry.base)
