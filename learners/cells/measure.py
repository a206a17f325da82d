"""What the paper counts in an episode: deliveries, apples, or else the points of the game."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from hocket.learners.match import Match, Score, trace_of
from hocket.replays.trace import Trace, read_trace
from hocket.runtime.errors import TraceError
from hocket.runtime.events import Stepped

_DELIVERED = "delivered"


class Measure(msgspec.Struct, frozen=True):
    """What is counted."""

    name: str
    event: str = ""
    """Kind of the game event that is counted where it was worth something; empty for the team return."""


_MEASURES = {
    "overcooked": Measure("deliveries", _DELIVERED),
    "cleanup": Measure("apples"),
    "harvest": Measure("apples"),
}
"""By kind of game; an apple is a point."""


def measure_of(kind: str) -> Measure:
    """Return what is counted in a kind of game."""
    return _MEASURES.get(kind, Measure("points"))


def measured(match: Match, score: Score, folder: Path) -> list[float]:
    """Measure the episodes of a match.

    Args:
        match: that was played.
        score: of it.
        folder: of its traces.

    Returns:
        One value an episode, in order of the seeds.

    Raises:
        TraceError: a trace is damaged, or not of the episode that was scored.
    """
    measure = measure_of(match.terms.game.kind)
    if not measure.event:
        return score.team
    paths = [trace_of(folder, seed) for seed in match.seeds]
    return [counted(_whole(path, returns), measure) for path, returns in zip(paths, score.returns, strict=True)]


def counted(trace: Trace, measure: Measure) -> float:
    """Count what happened in an episode."""
    stepped = (event for event in trace.events if isinstance(event, Stepped))
    return float(sum(each.kind == measure.event and each.amount > 0 for event in stepped for each in event.events))


def _whole(path: Path, returns: Sequence[float]) -> Trace:
    """Read the trace of an episode, which must be the one that was scored."""
    trace = read_trace(path)
    last = trace.events[-1] if trace.ended else None
    if trace.torn or tuple(getattr(last, "returns", ())) != tuple(returns):
        problem = "is not the whole episode that was scored; where it is removed, it is played again"
        raise TraceError(path=path, problem=problem)
    return trace
