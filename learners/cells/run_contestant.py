"""A run of `hocket train` as a contestant: its checkpoint, held against what it saved."""

import msgspec

from hocket.learners.asking import style_of
from hocket.learners.cells.contestant import Contestant
from hocket.learners.cells.learned_seeds import check_held_out, learned_seeds
from hocket.learners.cells.place import Place, place_of
from hocket.learners.cells.plan import Plan
from hocket.learners.cells.seating import Seating, on_base
from hocket.learners.cells.trained import Trained, read_trained
from hocket.learners.origin import game_digest
from hocket.learners.stage import Stage
from hocket.runtime.errors import AdapterMismatchError, PresetError, UsageError, WorldError

_UNFIT = (UsageError, AdapterMismatchError, WorldError)
"""What may keep a checkpoint from being played here."""


def run_contestant(plan: Plan, number: int, named: str, declared: Place | None, seating: Seating) -> Contestant:
    """Find out whether the checkpoint of a run plays.

    Args:
        plan: that names the run.
        number: of the entry.
        named: the folder, as the file has it.
        declared: where its preset stands; None where the entry names none.
        seating: seats it.

    Raises:
        UsageError: the entry cannot be meant, or an evaluated episode was learned from.
    """
    entry, folder = plan.entries[number], plan.beside(named)
    blank = Contestant(entry=number, source=named, place=declared)
    if entry.missing is None and not folder.is_dir():
        raise plan.problem(number, f"{named}: there is no such folder; a cell that nobody plays says missing and why")
    try:
        run = read_trained(folder)
    except PresetError as error:
        return blank.missing(entry.missing or f"{named}: {error.problem}")
    placed = msgspec.structs.replace(blank, place=_agreed(plan, number, named, declared, run))
    if entry.missing is not None:
        return placed.missing(entry.missing)
    if (lack := run.lack()) is not None:
        return placed.missing(f"{named}: {lack.why}", collapsed=lack.collapsed)
    notes = [f"{named} {run.unfinished}"] if run.unfinished else []
    if run.origin.config.cell.capacity != "frozen":
        learned_from = None if entry.learned_from is None else plan.beside(entry.learned_from)
        notes += check_held_out(plan, number, named, learned_seeds(folder, learned_from))
    try:
        return msgspec.structs.replace(_seated(placed, run, entry.base, seating), notes=tuple(notes))
    except _UNFIT as error:
        return placed.missing(f"{named}: {error}")


def _agreed(plan: Plan, number: int, named: str, declared: Place | None, run: Trained) -> Place:
    """Return the place of a run, which must be the one that the entry names.

    Raises:
        FileError: it is another.
    """
    entry, place = plan.entries[number], place_of(run.origin.config)
    for key in ("game", "interface", "capacity"):
        if getattr(entry, key) not in (None, getattr(place, key)):
            raise plan.problem(number, f"{key} is {getattr(entry, key)}, but that of {named} is {getattr(place, key)}")
    if declared is not None and entry.base is None and declared != place:
        raise plan.problem(number, f"{entry.preset} is {declared}, but {named} is {place}")
    return place


def _seated(placed: Contestant, run: Trained, elsewhere: str | None, seating: Seating) -> Contestant:
    """Seat the checkpoint of a run.

    Raises:
        PresetError: the run was of another base or game than what is here, or an adapter is not what it saved.
        UsageError: something of it does not read, or is not installed.
        AdapterMismatchError: an adapter that does not answer as its canary says.
    """
    origin, config = run.origin, on_base(run.origin.config, elsewhere)
    base = seating.base(config)
    if base.digest != origin.base:
        problem = f"was trained on base {origin.base}, but {config.model.base} is {base.digest}"
        raise PresetError(preset=placed.source, problem=problem)
    stage = Stage(config)
    if (game_digest(stage.game.spec), stage.library) != (origin.game, origin.library):
        raise PresetError(preset=placed.source, problem=f"{config.game.name} is set otherwise here than there")
    adapters, style = run.checkpoint(base, stage.game.seats), msgspec.to_builtins(style_of(config, origin.style))
    found, best = seating.seated(placed, config, stage, adapters, style), run.state.best
    if best is None or not adapters:
        return found
    return msgspec.structs.replace(found, round=best.round, training_return=best.team_return)
