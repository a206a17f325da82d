"""Signs: what findings come to in words, where their numbers leave no doubt.

A number is for the reader to judge; a sign is told only beyond the bar that stands beside it,
so a team may have none. Roles are looked for among seats that work, where no wall keeps them apart.
"""

from collections.abc import Iterable, Iterator
from typing import TypeVar, cast

import msgspec

from hocket.replays.audits.beams import Fired
from hocket.replays.audits.collapse import Collapse
from hocket.replays.audits.finding import Finding, listed
from hocket.replays.audits.handoffs import HandOffs
from hocket.replays.audits.idleness import Idleness
from hocket.replays.audits.letters import Letters
from hocket.replays.audits.social import Social
from hocket.replays.audits.specialisation import Specialisation
from hocket.replays.audits.sustainability import Sustainability
from hocket.replays.audits.trouble import Trouble
from hocket.replays.audits.work import Work

F = TypeVar("F", bound=Finding)

IDLE, NO_WORK = 0.9, 0.05
"""Least share of idle ticks, and most of the useful work, of a seat that idles."""
SHARED, ALONE = 0.9, 0.1
"""Share of deliveries through two seats' hands: least of a team that works on one thing, most of one that does not."""
PART = 0.5
"""Least part of an equal share of the work of a seat that works."""
ROLES = 0.4
"""Least part of a choice that its seat explains, where there are roles."""
COLLAPSED = 0.9
"""Least share of one primitive action where there is a collapse."""
BIASED = 0.25
"""Least difference of letters from chance of an agent that chooses by letter."""
BLIND = 0.5
"""Least share of beams at nothing."""
CHOICES = 100
"""Fewest choices of which letters tell anything: chance alone is far from even in a few."""
UNREADABLE = 0.05
"""Least share of replies that could not be read."""


class Sign(msgspec.Struct, frozen=True):
    """One thing that is plain."""

    name: str
    sentence: str


def signs(findings: Iterable[Finding]) -> list[Sign]:
    """Return what findings come to, of one each; audits that are not among them say nothing."""
    by_kind = {type(finding): finding for finding in findings}

    def of(kind: type[F]) -> F | None:
        return cast("F | None", by_kind.get(kind))

    idle = _idle(of(Idleness), of(Work))
    return [
        *_poor(of(Social)),
        *_idlers(idle, of(Idleness)),
        *_together(of(HandOffs), of(Work)),
        *_roles(of(Specialisation), idle),
        *_commons(of(Sustainability)),
        *_collapsed(of(Collapse)),
        *_lettered(of(Letters)),
        *_blind(of(Fired)),
        *_mute(of(Trouble)),
    ]


def _poor(social: Social | None) -> Iterator[Sign]:
    if social is not None and not any(social.returns):
        yield Sign("nothing earned", "the team earns nothing in any episode")


def _idle(idleness: Idleness | None, work: Work | None) -> list[int]:
    """Return the seats that do nothing while others do something."""
    if idleness is None or work is None:
        return []
    seats = range(len(work.deeds))
    still = [seat for seat in seats if (idleness.share(seat) or 0.0) >= IDLE and (work.share(seat) or 0.0) <= NO_WORK]
    return still if len(still) < len(seats) else []


def _idlers(idle: list[int], idleness: Idleness | None) -> Iterator[Sign]:
    if idleness is None:
        return
    for seat in idle:
        yield Sign("idler", f"seat {seat} idles: it does nothing in {idleness.share(seat):.0%} of its ticks")


def _together(handoffs: HandOffs | None, work: Work | None) -> Iterator[Sign]:
    if handoffs is None or work is None or handoffs.interdependence is None:
        return
    part = handoffs.interdependence
    each = handoffs.handoffs / handoffs.deliveries
    seats = range(len(work.deeds))
    working = [seat for seat in seats if (work.share(seat) or 0.0) >= PART / len(seats)]
    if part >= SHARED and each >= 1:
        said = f"{part:.0%} of deliveries went through two seats' hands, with {each:.1f} hand-offs a delivery"
        yield Sign("hand-over", f"the team hands over: {said}")
    elif part >= SHARED:
        said = f"{part:.0%} of deliveries are the work of two seats, with {each:.1f} hand-offs a delivery"
        yield Sign("joint work", f"the team works on one thing without handing it over: {said}")
    elif part <= ALONE and len(working) > 1:
        said = f"{part:.0%} of deliveries went through two seats' hands"
        yield Sign("independent", f"seats {listed(working)} work, each by itself: {said}")


def _roles(found: Specialisation | None, idle: list[int]) -> Iterator[Sign]:
    if found is None or found.apart:
        return
    working = [seat for seat in range(len(found.shares.chosen)) if seat not in idle]
    explained, bits = found.explained(working), found.bits(working)
    if explained is not None and explained >= ROLES:
        yield Sign("roles", f"seats have roles: the seat explains {explained:.0%} of its choices ({bits:.2f} bits)")


def _commons(found: Sustainability | None) -> Iterator[Sign]:
    if found is None or found.kind != "patches":
        return
    curve, last = found.curve, len(found.curve) - 1
    if curve[-1] < 0.5:
        dead = next(tick for tick, alive in enumerate(curve) if alive < 0.5)
        yield Sign("depletion", f"the commons are eaten up: hardly a patch outlives tick {dead}")
    elif curve[-1] >= found.whole / 2:
        yield Sign("restraint", f"the commons last: {curve[-1]:.1f} of {found.whole} patches live at tick {last}")


def _collapsed(found: Collapse | None) -> Iterator[Sign]:
    if found is None:
        return
    for seat in range(len(found.done)):
        action = found.commonest(seat)
        share = found.share(seat, action) or 0.0
        if share >= COLLAPSED and action != found.nothing:
            yield Sign("collapse", f"seat {seat} has fallen for one action: {action}, {share:.0%} of its ticks")


def _lettered(found: Letters | None) -> Iterator[Sign]:
    if found is None:
        return
    for seat in range(len(found.chosen)):
        bias = found.bias(seat)
        if bias is not None and bias >= BIASED and sum(found.chosen[seat]) >= CHOICES:
            place = max(range(len(found.chosen[seat])), key=lambda place: found.chosen[seat][place])
            yield Sign("letters", f"seat {seat} chooses by letter: {chr(65 + place)} most, {bias:.0%} away from chance")


def _blind(found: Fired | None) -> Iterator[Sign]:
    if found is None:
        return
    for seat in range(len(found.fired)):
        share = found.share(seat)
        if share is not None and share >= BLIND:
            yield Sign("blind beams", f"seat {seat} cleans where there is no dirt: {share:.0%} of its beams")


def _mute(found: Trouble | None) -> Iterator[Sign]:
    if found is None:
        return
    for seat in range(len(found.failed)):
        share = found.parse_failures(seat)
        if share is not None and share >= UNREADABLE:
            yield Sign("unreadable", f"seat {seat} writes what cannot be read: {share:.0%} of its replies")
