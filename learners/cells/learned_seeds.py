"""Seeds that somebody learned from, which are not to be evaluated."""

from contextlib import suppress
from pathlib import Path

import msgspec

from hocket.learners.cells.plan import Plan
from hocket.learners.checkpoint import METRICS, RUN
from hocket.learners.config import SEED_FLOOR
from hocket.learners.stage import seed_of
from hocket.replays.trace import read_trace
from hocket.replays.trace_files import traces_within
from hocket.runtime.errors import PresetError


class LearnedSeeds(msgspec.Struct, frozen=True):
    """What is known of the episodes that a run learned from."""

    played: dict[int, str]
    """Seeds on record, and the trace of each."""
    unknown: str = ""
    """Why there may be others below those of training; empty where there are none."""


def check_held_out(plan: Plan, number: int, named: str, learned: LearnedSeeds) -> list[str]:
    """Refuse episodes that were learned from.

    Args:
        plan: that says which are evaluated.
        number: of the entry.
        named: who learned.
        learned: from what.

    Returns:
        What a reader must know: that it cannot be told, where it cannot.

    Raises:
        FileError: one was.
    """
    for seed in plan.protocol.seeds:
        if seed in learned.played:
            problem = f"{named} learned from seed {seed:,} ({learned.played[seed]}), which would be evaluated"
            raise plan.problem(number, f"{problem}: change first_seed")
    return [f"{named}: its training seeds are not known: {learned.unknown}"] if learned.unknown else []


def learned_seeds(folder: Path, learned_from: Path | None = None) -> LearnedSeeds:
    """Find out what a run learned from.

    Args:
        folder: of the run.
        learned_from: recorded rollouts that it is said to have learned from.

    Raises:
        PresetError: nothing is recorded there.
        TraceError: a file there that is no whole trace.
    """
    own = ((seed_of(path), path) for path in traces_within(folder / "traces"))
    played = {seed: str(path.relative_to(folder)) for seed, path in own if seed is not None}
    if learned_from is None:
        return LearnedSeeds(played, _unknown(folder))
    paths = traces_within(learned_from)
    if not paths:
        raise PresetError(preset=str(learned_from), problem="holds no traces that a run could have learned from")
    return LearnedSeeds(played | {read_trace(path).header.seed: str(path) for path in paths})


def run_of(adapter: Path) -> Path | None:
    """Return the folder of the run that an adapter lies in, or beside; None where there is none."""
    place = adapter.resolve()
    return next((each for each in (place.parent, place.parent.parent) if (each / RUN).is_file()), None)


class _Run(msgspec.Struct, frozen=True):
    recorded: bool | None = None


class _Row(msgspec.Struct, frozen=True):
    seconds: dict[str, float]


def _unknown(folder: Path) -> str:
    """Say why the seeds of a run cannot be known; what it plays itself is above the floor."""
    recorded = _recorded(folder)
    if recorded is None:
        return f"neither its {RUN} nor its {METRICS} says whether it played its rollouts itself"
    return f"it learned from recorded rollouts (learned_from), which may be below {SEED_FLOOR:,}" if recorded else ""


def _recorded(folder: Path) -> bool | None:
    """Tell whether a run learned from recorded rollouts; None where that cannot be told.

    One of before that was written down asked no model for rollouts, so its metrics have 0 seconds for that.
    """
    rows = list[_Row]()
    with suppress(OSError, msgspec.DecodeError, RecursionError):
        known = msgspec.json.decode((folder / RUN).read_bytes(), type=_Run).recorded
        if known is not None:
            return known
    with suppress(OSError, msgspec.DecodeError, RecursionError):
        for line in (folder / METRICS).read_bytes().splitlines():
            rows.append(msgspec.json.decode(line, type=_Row))
    return any(row.seconds.get("model") == 0 for row in rows) if rows else None
