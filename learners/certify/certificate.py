"""The cooperation certificate: what a team earns, what each seat earns, and a verdict.

A team return says nothing of who earned it, or whether it took a team. Axes: N seats, E episodes.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from hocket.learners.certify.absence import Absence
from hocket.learners.certify.conditions import Conditions, Partner
from hocket.learners.certify.evidence import Check, Evidence, checks
from hocket.learners.certify.sentence import sentence
from hocket.learners.certify.starts import starts_because
from hocket.learners.certify.thresholds import Thresholds, VerdictName
from hocket.learners.certify.verdict import judge
from hocket.learners.match import Score
from hocket.replays.audits.finding import Absent
from hocket.replays.audits.handoffs import HandOffs, handoffs
from hocket.replays.audits.record import Record
from hocket.replays.audits.work import Work, work
from hocket.replays.statistics import Estimate, estimate
from hocket.replays.trace import read_trace


class Measured(msgspec.Struct, frozen=True):
    """One number of each episode."""

    values: Annotated[tuple[float, ...], Meta(min_length=1)]
    """In order of the seeds, shape [episodes]."""
    estimate: Estimate
    failed: int = 0
    """Times that an agent failed, and its seat went to nobody."""


class SeatPart(msgspec.Struct, frozen=True):
    """One seat of the team; team returns unless said, in game points."""

    seat: int
    agent: str
    name: str
    """Under which it played."""
    alone: Measured
    """The others idle."""
    beside_random: Measured
    beside_scripted: Measured | None
    added: Measured
    """The team's return less what it would have been with this seat idle from half time on."""
    after: Measured
    """What the team earned from half time on."""
    added_share: float | None
    """Of that; None where it is nothing."""
    work_share: float | None
    """Of the team's useful deeds; None where there were none."""


class Certificate(msgspec.Struct, frozen=True):
    """What is known of a team."""

    verdict: VerdictName
    sentence: str
    verdict_seats: tuple[int, ...]
    """Those that the verdict is about; empty for all."""
    expected: bool
    """Whether it is one of those that hold."""
    game: str
    library: str
    steps: int
    starts: str
    why: str
    """Why episodes begin so."""
    seeds: Annotated[tuple[int, ...], Meta(min_length=1)]
    team: Measured
    seats: Annotated[tuple[SeatPart, ...], Meta(min_length=1)]
    partner: Partner
    handoffs: int | None
    """Things that one seat put down and another took up and used; None where nothing is carried."""
    deliveries: int | None
    shared: int | None
    """Deliveries that went through the hands of several."""
    checks: tuple[Check, ...]
    thresholds: Thresholds


class Played(msgspec.Struct, frozen=True):
    """What came of everything that was played."""

    team: Score
    alone: tuple[Score, ...]
    """Of each seat, shape [N]; so are the next two."""
    random: tuple[Score, ...]
    scripted: tuple[Score, ...]
    """Empty where there is no scripted partner."""
    absences: tuple[tuple[Absence, ...], ...]
    """Shape [N, E]."""
    work: tuple[Work, ...]
    """Of the team, shape [E]; so is the next."""
    handoffs: tuple[HandOffs, ...]
    """Empty where nothing is carried."""


def observe(traces: Iterable[Path]) -> tuple[tuple[Work, ...], tuple[HandOffs, ...]]:
    """Look at work and hand-offs in the traces of a team, with one of them in memory at a time.

    Raises:
        UsageError: one cannot be read.
    """
    records = (Record(read_trace(path)) for path in traces)
    found = [(work(record), handoffs(record)) for record in records]
    return tuple(each for each, _ in found), tuple(each for _, each in found if not isinstance(each, Absent))


def certificate(matches: Conditions, partner: Partner, played: Played, thresholds: Thresholds) -> Certificate:
    """Put a certificate together.

    Args:
        matches: that were played.
        partner: the scripted one.
        played: what came of them.
        thresholds: the lines.

    Raises:
        MissingExtraError: SciPy is not installed.
        HocketError: the game cannot be begun.
    """
    known = evidence(played)
    held = checks(known, thresholds)
    verdict = judge(known, held)
    carried, terms, seeds = played.handoffs, matches.team.terms, matches.team.seeds
    return Certificate(
        verdict=verdict.name,
        sentence=sentence(verdict, known, thresholds, held) + _failures(played.team),
        verdict_seats=verdict.seats,
        expected=verdict.name in thresholds.expect,
        game=terms.game.name,
        library=terms.library.name,
        steps=terms.steps,
        starts=terms.starts,
        why=starts_because(terms.game, terms.starts, seeds),
        seeds=seeds,
        team=_of(played.team),
        seats=tuple(_seat(matches, played, known, seat) for seat in range(len(matches.alone))),
        partner=partner,
        handoffs=sum(each.handoffs for each in carried) if carried else None,
        deliveries=sum(each.deliveries for each in carried) if carried else None,
        shared=sum(each.shared for each in carried) if carried else None,
        checks=tuple(held),
        thresholds=thresholds,
    )


def evidence(played: Played) -> Evidence:
    """Return what a team is judged on."""
    return Evidence(
        team=tuple(played.team.team),
        alone=tuple(tuple(score.team) for score in played.alone),
        added=tuple(tuple(each.added for each in absences) for absences in played.absences),
        after=tuple(tuple(each.after for each in absences) for absences in played.absences),
        work=tuple(zip(*(each.useful for each in played.work), strict=True)),
        deliveries=tuple(each.deliveries for each in played.handoffs),
        shared=tuple(each.shared for each in played.handoffs),
    )


def _failures(team: Score) -> str:
    """Say that a seat stood idle for another reason than its agent's will."""
    if not team.failed:
        return ""
    times = "once" if team.failed == 1 else f"{team.failed} times"
    return f"; agents of the team failed {times}, and their seats stood idle from then on"


def _seat(matches: Conditions, played: Played, known: Evidence, seat: int) -> SeatPart:
    return SeatPart(
        seat=seat,
        agent=matches.team.agents[seat],
        name=played.team.names[seat],
        alone=_of(played.alone[seat]),
        beside_random=_of(played.random[seat]),
        beside_scripted=_of(played.scripted[seat]) if played.scripted else None,
        added=_measured(known.added[seat]),
        after=_measured(known.after[seat]),
        added_share=known.added_share(seat),
        work_share=known.work_share(seat),
    )


def _of(score: Score) -> Measured:
    return msgspec.structs.replace(_measured(score.team), failed=score.failed)


def _measured(values: Sequence[float]) -> Measured:
    return Measured(tuple(values), estimate(values))
