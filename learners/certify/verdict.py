"""The verdict on a team: from numbers beside their thresholds to one name, and why.

The first that is so, in this order: hindered; nothing earned; one works and one idles; undecided, where it
cannot be told of some seat that it counts; spare seat; needs its partner; and of teams in which
each seat could do it alone, works together or independent workers. That somebody is hindered has
to be shown: a seat that stands idle lies on that line, so an interval across it says nothing.
"""

from collections.abc import Mapping, Sequence

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
    checks,
)
from hocket.learners.certify.thresholds import Thresholds
from hocket.learners.certify.wording import Wording


class Verdict(msgspec.Struct, frozen=True):
    """What a team is."""

    name: str
    """One of `VERDICTS`."""
    sentence: str
    seats: tuple[int, ...]
    """Those that it is about; empty for all."""
    checks: tuple[Check, ...]
    """All that it may hang on."""


class _Found(msgspec.Struct, frozen=True):
    name: str
    seats: tuple[int, ...] = ()
    hangs: tuple[Check, ...] = ()
    """What cannot be told."""


def judge(evidence: Evidence, thresholds: Thresholds) -> Verdict:
    """Tell what a team is.

    Args:
        evidence: of two episodes or more.
        thresholds: the lines.

    Raises:
        MissingExtraError: SciPy is not installed.
    """
    held = checks(evidence, thresholds)
    found = _Judge(evidence, held).verdict()
    wording = Wording(evidence, thresholds, {(check.what, check.seat): check for check in held})
    return Verdict(found.name, wording.sentence(found.name, found.seats, found.hangs), found.seats, tuple(held))


class _Judge:
    """Goes through the verdicts in their order."""

    def __init__(self, evidence: Evidence, held: Sequence[Check]) -> None:
        self._evidence = evidence
        self._by: dict[What, dict[int | None, Check]] = {}
        for check in held:
            self._by.setdefault(check.what, {})[check.seat] = check

    def verdict(self) -> _Found:
        """Return the first that is so."""
        hindered = self._seats(MORE_ALONE, True) or self._seats(IN_THE_WAY, True)
        if hindered:
            return _Found("hindered", hindered)
        if not any(value > 0 for value in self._evidence.team):
            return _Found("nothing earned")
        return self._counting() or self._needing() or self._able()

    def _counting(self) -> _Found | None:
        """Tell whether every seat counts; None where each adds its part."""
        missed = self._seats(ADDS, False)
        works = self._of(WORKS)
        idle = tuple(seat for seat in missed if seat not in works or works[seat].holds is False)
        if idle:
            one_of_two = self._evidence.seats == 2 and len(idle) == 1
            return _Found("one works and one idles" if one_of_two else "some idle", idle)
        unclear = [self._of(ADDS)[seat] for seat in self._seats(ADDS, None)]
        unclear += [works[seat] for seat in missed if works[seat].holds is None]
        return _undecided(unclear) or (_Found("spare seat", missed) if missed else None)

    def _needing(self) -> _Found | None:
        """Tell whether each seat could do it alone; None where it could."""
        unable = self._seats(ABLE, False)
        if unable:
            return _Found("needs its partner", unable)
        return _undecided([self._of(ABLE)[seat] for seat in self._seats(ABLE, None)])

    def _able(self) -> _Found:
        """Tell teams apart in which each seat could do it alone, and adds its part."""
        shared = self._of(TOGETHER).get(None)
        if shared is None or shared.holds is False:
            return _Found("independent workers")
        return _undecided([shared] if shared.holds is None else []) or _Found("works together")

    def _of(self, what: What) -> Mapping[int | None, Check]:
        return self._by.get(what, {})

    def _seats(self, what: What, holds: bool | None) -> tuple[int, ...]:
        return tuple(seat for seat, check in self._of(what).items() if seat is not None and check.holds is holds)


def _undecided(hangs: Sequence[Check]) -> _Found | None:
    seats = tuple(sorted({check.seat for check in hangs if check.seat is not None}))
    return _Found("undecided", seats, tuple(hangs)) if hangs else None
