"""The chapter of a team: its return, who did what, an episode, settings."""

from collections.abc import Iterator, Sequence

from hocket.learners.report.bars import bars
from hocket.learners.report.curves import survival
from hocket.learners.report.dots import dots
from hocket.learners.report.maps import maps
from hocket.learners.report.parts import Chapter, Fold, Part, Picture, Table, Words, sentence
from hocket.learners.report.settings import settings
from hocket.learners.report.story import story
from hocket.learners.report.teams import Team
from hocket.replays.audits.audit import AUDITS
from hocket.replays.audits.finding import Row
from hocket.replays.audits.text import cells
from hocket.replays.statistics import estimate


def team_chapter(team: Team) -> Chapter:
    """Write the chapter of a team.

    Raises:
        TraceError: a trace was damaged since it was audited.
    """
    signs = tuple(sentence(sign.sentence) for sign in team.audited.signs())
    parts: list[Part] = [_opening(team), *([Words(signs, strong=True)] if signs else [])]
    parts += [*_pictures(team), _audits(team), story(team), settings(team)]
    return Chapter(f"team-{team.number}", f"{team.name}: {team.who} in {team.header.game.name}", tuple(parts))


def _opening(team: Team) -> Words:
    audited = team.audited
    held = ", ".join(f"seat {seat} {holder}" for seat, holder in enumerate(team.header.seats))
    return Words((f"{held}; {team.terms}.", f"Team return {_told(audited.returns)}.", *map(sentence, audited.notes)))


def _told(returns: Sequence[float]) -> str:
    found = estimate(returns)
    if found.count == 1:
        return f"{found}: one episode, so no interval"
    return f"{found}, {found.count} episodes" + ("" if found.low is None else ", 95% bootstrap interval")


def _pictures(team: Team) -> Iterator[Picture]:
    found, name = team.audited.findings, f"team-{team.number}"
    yield dots(team.audited.returns, f"{name}-dots")
    if "sustainability" in found:
        yield survival(found["sustainability"], f"{name}-survival")
    if "shares" in found:
        yield bars(team.audited.rows()["shares"], f"{name}-shares")
    if "territory" in found:
        yield maps(found["territory"], team.header.game, f"{name}-maps")


def _audits(team: Team) -> Fold:
    """Every audit as a table, and why those that are not there are not."""
    seats = len(team.header.seats)
    tables: list[Words | Table] = [_table(name, rows, seats) for name, rows in team.audited.rows().items()]
    absent = team.audited.absent
    if absent:
        reasons = tuple((name, absent[name]) for name in AUDITS if name in absent)
        tables.append(Table("Audits that have nothing to say", ("audit", "why"), reasons, plain=True))
    return Fold("Who did what: every audit", tuple(tables))


def _table(name: str, rows: list[Row], seats: int) -> Table:
    """Write the rows of an audit; a column in which nothing would stand is left out."""
    columns = ("team", *(f"seat {seat}" for seat in range(seats)))
    written = [cells(row, seats) for row in rows]
    used = [place for place in range(len(columns)) if any(row[place] for row in written)]
    return Table(
        name,
        ("what", *(columns[place] for place in used)),
        tuple((row.name, *(told[place] for place in used)) for row, told in zip(rows, written, strict=True)),
    )
