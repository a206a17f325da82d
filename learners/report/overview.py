"""Every team in one table: its return, and beside it who did what.

Numbers are rows of the audits, so they are those that stand below and that `hocket audit` prints.
"""

from collections.abc import Mapping, Sequence

import msgspec

from hocket.learners.report.parts import Table, Words, sentence
from hocket.learners.report.teams import Team
from hocket.replays.audits.finding import Row
from hocket.replays.audits.text import NOTHING, cells
from hocket.replays.statistics import estimate


class _Column(msgspec.Struct, frozen=True):
    name: str
    meaning: str
    audit: str
    rows: tuple[str, ...]
    """How the name of its row in the audit begins, one of these; of several such rows, it is the last."""


def overview(teams: Sequence[Team]) -> tuple[Words, Table, Words]:
    """Put teams beside one another; a column that says nothing of any of them is left out.

    Args:
        teams: at least one.

    Returns:
        What returns are, the table, and what its columns are.
    """
    audited = [team.audited.rows() for team in teams]
    told = {column: [_cell(rows, column) for rows in audited] for column in _COLUMNS}
    shown = [column for column in _COLUMNS if any(told[column])]
    table = Table(
        "Every result, and who did what",
        ("team", "team return", "seats", *(column.name for column in shown)),
        tuple(
            (*_opening(team), *(told[column][place] or NOTHING for column in shown)) for place, team in enumerate(teams)
        ),
    )
    meanings = (f"{each.name}: {each.meaning} (audit {each.audit}, {' or '.join(each.rows)})" for each in shown)
    return Words((_RETURNS,)), table, Words(tuple(map(sentence, meanings)))


_RETURNS = (
    "Returns are undiscounted and of the whole team, with the 95% percentile bootstrap interval of their mean (10,000"
    " resamples); where all are equal there is no spread, and no interval. Numbers one below the other"
    " are of the seats."
)


def _opening(team: Team) -> tuple[str, ...]:
    header, returns = team.header, team.audited.returns
    game = header.game.name.replace(":", ":\n")
    about = f"{team.name}\n{game}\n{header.steps} ticks, {team.starts} starts"
    seats = "\n".join(f"{seat}  {holder}" for seat, holder in enumerate(header.seats))
    count = "1 episode" if len(returns) == 1 else f"{len(returns)} episodes"
    count += f",\n{team.audited.cut} of them cut off" if team.audited.cut else ""
    return about, f"{estimate(returns)}\n{count}", seats


def _cell(audited: Mapping[str, Sequence[Row]], column: _Column) -> str:
    """Write a row; nothing where there is none."""
    for row in reversed(audited.get(column.audit, ())):
        for begin in column.rows:
            if row.name.startswith(begin):
                return _written(row, begin)
    return ""


def _written(row: Row, begin: str) -> str:
    """Write the team's number, else one a seat, and what a name says beyond how it begins; nothing without a number."""
    if all(each is None for each in (row.team, *row.seats)):
        return ""
    team, *seats = cells(row, len(row.seats))
    more = row.name.removeprefix(begin).strip()
    return "\n".join([team] if team else seats) + (f" {begin}\n{more}" if more else "")


_COLUMNS = (
    _Column(
        "useful work",
        "each seat's share of what went into something that was delivered, or was eaten or cleaned",
        "work",
        ("share of useful work",),
    ),
    _Column("doing nothing", "share of its ticks in which a seat stood still", "idleness", ("ticks of doing nothing",)),
    _Column(
        "hand-offs",
        "things that one seat put down and another took up and used, in an episode",
        "handoffs",
        ("handed over",),
    ),
    _Column(
        "through two hands",
        "share of deliveries of which two seats or more had a part in their hands",
        "handoffs",
        ("deliveries through two seats' hands",),
    ),
    _Column(
        "overlap",
        "what the maps of where two seats were have in common, on average",
        "territory",
        ("overlap with the others",),
    ),
    _Column(
        "specialisation",
        "how much of a choice is told by the seat that makes it",
        "specialisation",
        ("of all that there is to tell",),
    ),
    _Column(
        "commons",
        "patches that bear apples, or the share of the river that is dirty, at the end",
        "sustainability",
        ("patches alive", "river dirty"),
    ),
)
