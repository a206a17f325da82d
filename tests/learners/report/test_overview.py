"""Teams beside one another: every column has a row of an audit, and shows its number."""

from pathlib import Path
from typing import Any

import msgspec
from tests.learners.report.made import recorded

from hocket.learners.report.contents import contents
from hocket.learners.report.overview import overview
from hocket.learners.report.teams import Team, teams
from hocket.replays.audits.handoffs import HandOffs
from hocket.replays.audits.idleness import Idleness
from hocket.replays.audits.shares import Shares
from hocket.replays.audits.specialisation import Specialisation
from hocket.replays.audits.sustainability import Sustainability
from hocket.replays.audits.territory import Territory
from hocket.replays.audits.work import Work

FOUND = {
    "work": Work(2, (9.0, 3.0), (6.0, 2.0)),
    "idleness": Idleness(100, (50.0, 25.0), (10.0, 10.0), (1.0, 2.0)),
    "handoffs": HandOffs(2, (3.0, 0.0), (0.0, 3.0), 4, 3),
    "territory": Territory((2, 1), ((1.0, 1.0), (2.0, 0.0))),
    "specialisation": Specialisation(Shares(({"cook": 1.0}, {"wait": 1.0})), False),
    "sustainability": Sustainability("patches", 6, (2.0, 2.0, 1.0), (12.0, 9.0, 2.0), (8.0, 4.0, 1.0)),
}
RIVER = Sustainability("dirt", 10, (1.0, 1.0), (2.0, 7.0), (8.0, 4.0))


def team(folder: Path, found: dict[str, Any]) -> Team:
    """A team of which audits found this."""
    [made] = teams(contents(recorded(folder, count=2)))
    return msgspec.structs.replace(made, audited=msgspec.structs.replace(made.audited, findings=found))


def test_every_column_shows_its_row(tmp_path: Path) -> None:
    """The team's number where there is one, else one a seat; of the commons those of the last tick."""
    some = [team(tmp_path / "a", FOUND), team(tmp_path / "b", FOUND | {"sustainability": RIVER})]

    returns, table, meanings = overview(some)

    shown = [dict(zip(table.columns[3:], row[3:], strict=True)) for row in table.rows]
    both = {
        "useful work": "75%\n25%",
        "doing nothing": "50%\n25%",
        "hand-offs": "1.5",
        "through two hands": "75%",
        "overlap": "50%",
        "specialisation": "100%",
    }
    assert shown[0] == {**both, "commons": "2 patches alive\nat tick 2, of 6"}
    assert shown[1] == {**both, "commons": "70% river dirty\nat tick 1"}
    assert "95% percentile bootstrap" in returns.lines[0]
    assert [line.partition(":")[0].lower() for line in meanings.lines] == list(table.columns[3:])


def test_a_column_of_nothing_is_left_out(tmp_path: Path) -> None:
    """What was not looked at has none, and without a delivery there is no share of deliveries."""
    _, table, _ = overview([team(tmp_path, {"work": FOUND["work"], "handoffs": HandOffs(1, (0.0,), (0.0,), 0, 0)})])

    assert table.columns == ("team", "team return", "seats", "useful work", "hand-offs")
