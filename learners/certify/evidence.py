"""What a certificate is judged on, and the lines that it is held against.

Axes: N seats, E episodes. Every comparison is of paired episodes: what is left of a number
beyond its threshold, by episode, lies with its whole interval above 0, below it, or across.
Numbers that are all equal count as themselves.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

import msgspec

from hocket.learners.certify.thresholds import Thresholds
from hocket.replays.statistics import Estimate, estimate

What: TypeAlias = Literal[
    "earns more alone",
    "is in the way",
    "adds its part",
    "does its part of the work",
    "can do it alone",
    "work together",
]
MORE_ALONE: What = "earns more alone"
"""A seat earns more with the others idle than the team does."""
IN_THE_WAY: What = "is in the way"
"""The team earns more once a seat stands idle, and not just a trifle."""
ADDS: What = "adds its part"
WORKS: What = "does its part of the work"
ABLE: What = "can do it alone"
TOGETHER: What = "work together"
_STRICT = (MORE_ALONE, IN_THE_WAY)
"""Held where it is more, and not where it is as much."""


class Evidence(msgspec.Struct, frozen=True):
    """Numbers by episode, in order of the seeds; points unless said."""

    team: tuple[float, ...]
    """Returns of the team, shape [E]."""
    alone: tuple[tuple[float, ...], ...]
    """Of each seat with the others idle, shape [N, E]."""
    added: tuple[tuple[float, ...], ...]
    """Team return less that without the seat in the second half, shape [N, E]."""
    after: tuple[tuple[float, ...], ...]
    """What the team earned in that second half, shape [N, E]."""
    work: tuple[tuple[float, ...], ...]
    """Useful deeds of each seat, shape [N, E]."""
    deliveries: tuple[float, ...]
    """How many, shape [E]."""
    shared: tuple[float, ...]
    """Those that went through the hands of several, shape [E]."""

    @property
    def seats(self) -> int:
        """N."""
        return len(self.alone)

    def work_share(self, seat: int) -> float | None:
        """Return the part of all useful deeds that one seat did; None where there were none."""
        total = sum(map(sum, self.work))
        return sum(self.work[seat]) / total if total else None

    def added_share(self, seat: int) -> float | None:
        """Return what a seat added as a part of what was earned in the second half; None where nothing was."""
        earned = sum(self.after[seat])
        return sum(self.added[seat]) / earned if earned > 0 else None


class Check(msgspec.Struct, frozen=True):
    """One number beside its threshold."""

    what: What
    seat: int | None
    """None for the team."""
    margin: Estimate
    """How far beyond the threshold, in points, deeds or deliveries an episode."""
    holds: bool | None
    """None where the interval lies across, or nothing was earned that could be told from."""
    why: str = ""
    """Why it cannot be told, where it is not for the interval."""


def checks(evidence: Evidence, thresholds: Thresholds) -> list[Check]:
    """Hold every number against its threshold; work that no event tells of is left out, and so are deliveries.

    Raises:
        MissingExtraError: SciPy is not installed.
    """
    found = [each for seat in range(evidence.seats) for each in _of_seat(evidence, thresholds, seat)]
    if sum(evidence.deliveries):
        beyond = _beyond(evidence.shared, evidence.deliveries, thresholds.shared)
        found.append(_check(TOGETHER, None, beyond))
    return found


def _of_seat(evidence: Evidence, thresholds: Thresholds, seat: int) -> Iterator[Check]:
    alone, added, after = evidence.alone[seat], evidence.added[seat], evidence.after[seat]
    part = thresholds.idle / evidence.seats
    yield _check(MORE_ALONE, seat, _beyond(alone, evidence.team, 1.0))
    yield _check(IN_THE_WAY, seat, _beyond([-each for each in added], after, part))
    adds = _check(ADDS, seat, _beyond(added, after, part))
    if sum(after) <= 0:
        why = "nothing was earned in the second half of any episode; longer ones would tell"
        adds = msgspec.structs.replace(adds, holds=None, why=why)
    yield adds
    if evidence.work_share(seat) is not None:
        total = [sum(each) for each in zip(*evidence.work, strict=True)]
        yield _check(WORKS, seat, _beyond(evidence.work[seat], total, part))
    yield _check(ABLE, seat, _beyond(alone, evidence.team, thresholds.able))


def _beyond(values: Sequence[float], of: Sequence[float], part: float) -> list[float]:
    """Return by episode how far a number is beyond a part of another."""
    return [value - part * whole for value, whole in zip(values, of, strict=True)]


def _check(what: What, seat: int | None, beyond: Sequence[float]) -> Check:
    margin = estimate(beyond)
    low = margin.mean if margin.low is None else margin.low
    high = margin.mean if margin.high is None else margin.high
    return Check(what, seat, margin, _side(low, high, strict=what in _STRICT))


def _side(low: float, high: float, *, strict: bool) -> bool | None:
    """Tell whether an interval is beyond 0, or on it unless that is to be strict; None where it lies across."""
    if low > 0 or (low == 0 and not strict):
        return True
    if high < 0 or (high == 0 and strict):
        return False
    return None
