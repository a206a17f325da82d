"""Every team in one table: its return, and beside it who did what."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from hocket.learners.report.parts import Table, Words
from hocket.learners.report.teams import Team
from hocket.replays.audits.finding import Unit
from hocket.replays.audits.sustainability import Sustainability
from hocket.replays.audits.told import NOTHING, number
from hocket.replays.statistics import estimate


class _Column(msgspec.Struct, frozen=True):
    name: str
    meaning: str
    audit: str
    tell: Callable[[Any, range], Sequence[str]]
    """From a finding and the seats to one text, or one a seat; none where there is nothing to tell."""


def overview(teams: Sequence[Team]) -> tuple[Words, Table, Words]:
    """Put teams beside one another; a column that says nothing of any of them is left out.

    Args:
        teams: at least one.

    Returns:
        What returns are, the table, and what its columns are.
    """
    cells = [[_cell(team, column) for column in _COLUMNS] for team in teams]
    told = [place for place in range(len(_COLUMNS)) if any(row[place] for row in cells)]
    table = Table(
        "Every result, and who did what",
        ("team", "team return", "seats", *(_COLUMNS[place].name for place in told)),
        tuple(
            (*_opening(team), *(row[place] or NOTHING for place in told))
            for team, row in zip(teams, cells, strict=True)
        ),
    )
    meanings = [f"{_COLUMNS[place].name}: {_COLUMNS[place].meaning}" for place in told]
    return Words((_RETURNS,)), table, Words(tuple(f"{each[:1].upper()}{each[1:]}." for each in meanings))


_RETURNS = (
    "Returns are undiscounted and of the whole team, with the 95% percentile bootstrap interval of their mean (10,000"
    " resamples); where all are equal there is no spread, and no interval. A cell of several lines has one a seat."
)


def _opening(team: Team) -> tuple[str, ...]:
    header, returns = team.header, team.audited.returns
    game = header.game.name.replace(":", ":\n")
    about = f"{team.name}\n{game}\n{header.steps} ticks, {team.starts} starts"
    seats = "\n".join(f"{seat}  {holder}" for seat, holder in enumerate(header.seats))
    count = "1 episode" if len(returns) == 1 else f"{len(returns)} episodes"
    return about, f"{estimate(returns)}\n{count}", seats


def _cell(team: Team, column: _Column) -> str:
    """Write what an audit found; nothing where it found nothing."""
    finding = team.audited.findings.get(column.audit)
    return "" if finding is None else "\n".join(column.tell(finding, range(len(team.header.seats))))


def _by_seat(found: Any, seats: range) -> list[str]:
    shares = [found.share(seat) for seat in seats]
    return [number(each, "share") for each in shares] if any(each is not None for each in shares) else []


def _told(value: float | None, unit: Unit = "share") -> list[str]:
    return [] if value is None else [number(value, unit)]


def _commons(found: Sustainability, seats: range) -> list[str]:
    last = found.curve[-1]
    return [f"{number(last, 'number')} of {found.whole} alive"] if found.kind == "patches" else [f"{last:.0%} dirty"]


_COLUMNS = (
    _Column(
        "useful work",
        "each seat's share of what went into something that was delivered, or was eaten or cleaned",
        "work",
        _by_seat,
    ),
    _Column("doing nothing", "share of its ticks in which a seat stood still", "idleness", _by_seat),
    _Column(
        "hand-offs",
        "things that one seat put down and another took up and used, in an episode",
        "handoffs",
        lambda found, seats: _told(found.handoffs / found.episodes, "number"),
    ),
    _Column(
        "through two hands",
        "share of deliveries of which two seats or more had a part in their hands",
        "handoffs",
        lambda found, seats: _told(found.interdependence),
    ),
    _Column(
        "overlap",
        "what the maps of where two seats were have in common, on average",
        "territory",
        lambda found, seats: _told(found.mean_overlap),
    ),
    _Column(
        "specialisation",
        "how much of a choice is told by the seat that makes it",
        "specialisation",
        lambda found, seats: _told(found.explained()),
    ),
    _Column(
        "commons",
        "patches that bear apples, or the share of the river that is dirty, at the end",
        "sustainability",
        _commons,
    ),
)
