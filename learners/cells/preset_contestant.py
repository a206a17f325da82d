"""A preset as a contestant: its base, or adapters that are named."""

from collections.abc import Mapping
from typing import Any

import msgspec

from hocket.agents.adapter import Adapter, read_adapter
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.shipped import shipped_adapter
from hocket.learners.asking import style_of
from hocket.learners.cells.contestant import Contestant
from hocket.learners.cells.learned_seeds import check_held_out, learned_seeds, run_of
from hocket.learners.cells.place import place_of
from hocket.learners.cells.plan import Plan
from hocket.learners.cells.seating import Seating
from hocket.learners.checkpoint import RUN
from hocket.learners.config import Config
from hocket.learners.stage import Stage
from hocket.runtime.errors import MissingExtraError, ModelError, SubstratesError, WorldError

_ABSENT = (MissingExtraError, ModelError, SubstratesError, WorldError)
"""What a preset may name that is not on this machine."""


def preset_contestant(plan: Plan, number: int, config: Config, seating: Seating) -> Contestant:
    """Find out whether a preset plays.

    Args:
        plan: that names it.
        number: of the entry.
        config: of the preset, in the cell that the entry names.
        seating: seats it.

    Raises:
        UsageError: the entry cannot be meant, or an evaluated episode was learned from.
    """
    entry, place = plan.entries[number], place_of(config)
    source = "no adapter" if entry.adapters is None else "adapters that are named"
    blank = Contestant(entry=number, source=source, place=place)
    if entry.missing is not None:
        return blank.missing(entry.missing)
    if (place.capacity == "frozen") != (entry.adapters is None):
        needs = "needs a run, adapters, or missing and why" if entry.adapters is None else "has no adapters"
        raise plan.problem(number, f"its capacity is {place.capacity}, so it {needs}")
    try:
        base, stage = seating.base(config), Stage(config)
    except _ABSENT as error:
        return blank.missing(str(error))
    adapters = _adapters(plan, number, config, stage, base)
    style = _style(plan, number, config, base, adapters)
    notes = [line for each in adapters.values() for line in _held_out(plan, number, each)]
    try:
        found = seating.seated(blank, config, stage, adapters, style)
    except _ABSENT as error:
        return blank.missing(str(error))
    return msgspec.structs.replace(found, notes=tuple(dict.fromkeys(notes)))


def _adapters(plan: Plan, number: int, config: Config, stage: Stage, base: FrozenBase) -> dict[int, Adapter]:
    """Return the adapter that an entry names for each seat.

    Raises:
        FileError: not one a seat, or none comes with hocket.
        AdapterError: one cannot be read, or is not one of this base.
    """
    named, game, shared = plan.entries[number].adapters, config.game.name, config.cell.capacity == "shared"
    seats = range(stage.game.seats)
    if named is None:
        return {}
    if isinstance(named, str):
        folders = [shipped_adapter(stage.game.spec, stage.library, seat) for seat in seats]
    else:
        folders = [plan.beside(each) for each in named * (len(seats) if shared and len(named) == 1 else 1)]
    if len(folders) != len(seats):
        wanted = 1 if shared else len(seats)
        raise plan.problem(number, f"it names {len(folders)} adapters, but {game} takes {wanted}")
    found = {seat: read_adapter(folder, base) for seat, folder in enumerate(folders) if folder is not None}
    if len(found) < len(seats):
        raise plan.problem(number, f"no adapters come with hocket for {game} with library {stage.library}")
    return found


def _style(
    plan: Plan, number: int, config: Config, base: FrozenBase, adapters: Mapping[int, Adapter]
) -> dict[str, Any]:
    """Return how adapters are asked: as they learned, at the preset's temperature.

    Raises:
        FileError: they learned at another interface.
    """
    own = [each.style for each in adapters.values() if each.style is not None]
    if len(own) < len(adapters) or not own:
        asked: dict[str, Any] = msgspec.to_builtins(style_of(config, base.style))
        return asked
    written = config.cell.interface == "json"
    if any((each.scorer == "json") != written for each in own):
        problem = f"its interface is {config.cell.interface}, but its adapters learned with scorer {own[0].scorer}"
        raise plan.problem(number, problem)
    return {"temperature": config.rollouts.temperature}


def _held_out(plan: Plan, number: int, adapter: Adapter) -> list[str]:
    """Return what must be said of the episodes that an adapter learned from.

    Raises:
        FileError: one is to be evaluated.
    """
    run = run_of(adapter.folder)
    if run is None:
        return [f"{adapter.name}: its training seeds are not known: there is no {RUN} beside it"]
    return check_held_out(plan, number, adapter.name, learned_seeds(run))
