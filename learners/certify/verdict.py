"""The verdict on a team: from numbers beside their thresholds to one name.

The first that is so, in this order: hindered; nothing earned; one works and one idles; undecided, where it
cannot be told of some seat that it counts; spare seat; needs its partner; and of teams in which
each seat could do it alone, works together or independent workers. That somebody is hindered has
to be shown: a seat that stands idle lies on that line, so an interval across it says nothing.
"""

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from hocket.learners.certify.evidence import (
    ABLE,
    ADDS,
    IN_THE_WAY,
    MORE_ALONE,
    TOGETHER,
    WORKS,
    Check,
    Evidence,
    What,
)
from hocket.learners.certify.thresholds import VerdictName

_Held: TypeAlias = dict[What, dict[int | None, Check]]
"""By what is compared, and by seat; None for the team."""


class Verdict(msgspec.Struct, frozen=True):
    """What a team is."""

    name: VerdictName
    seats: tuple[int, ...] = ()
    """Those that it is about; empty for all."""
    hangs: tuple[Check, ...] = ()
    """What cannot be told, where it is undecided."""


def judge(evidence: Evidence, checks: Sequence[Check]) -> Verdict:
    """Return the first verdict that is so.

    Args:
        evidence: of the team.
        checks: all of it, held against thresholds.
    """
    held: _Held = {}
    for check in checks:
        held.setdefault(check.what, {})[check.seat] = check
    hindered = _seats(held, MORE_ALONE, True) or _seats(held, IN_THE_WAY, True)
    if hindered:
        return Verdict("hindered", hindered)
    if not any(value > 0 for value in evidence.team):
        return Verdict("nothing earned")
    return _counting(held, evidence.seats) or _needing(held) or _able(held)


def _counting(held: _Held, seats: int) -> Verdict | None:
    """Tell whether every seat counts; None where each adds its part."""
    missed, works = _seats(held, ADDS, False), held.get(WORKS, {})
    idle = tuple(seat for seat in missed if seat not in works or works[seat].holds is False)
    if idle:
        return Verdict("one works and one idles" if seats == 2 and len(idle) == 1 else "some idle", idle)
    unclear = [held[ADDS][seat] for seat in _seats(held, ADDS, None)]
    unclear += [works[seat] for seat in missed if works[seat].holds is None]
    return _undecided(unclear) or (Verdict("spare seat", missed) if missed else None)


def _needing(held: _Held) -> Verdict | None:
    """Tell whether each seat could do it alone; None where it could."""
    unable = _seats(held, ABLE, False)
    if unable:
        return Verdict("needs its partner", unable)
    return _undecided([held[ABLE][seat] for seat in _seats(held, ABLE, None)])


def _able(held: _Held) -> Verdict:
    """Tell teams apart in which each seat could do it alone, and adds its part."""
    shared = held.get(TOGETHER, {}).get(None)
    if shared is None or shared.holds is False:
        return Verdict("independent workers")
    return _undecided([shared] if shared.holds is None else []) or Verdict("works together")


def _seats(held: _Held, what: What, holds: bool | None) -> tuple[int, ...]:
    return tuple(seat for seat, check in held.get(what, {}).items() if seat is not None and check.holds is holds)


def _undecided(hangs: Sequence[Check]) -> Verdict | None:
    seats = tuple(sorted({check.seat for check in hangs if check.seat is not None}))
    return Verdict("undecided", seats, tuple(hangs)) if hangs else None
