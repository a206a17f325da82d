"""Tables of an evaluation: shape, what is best, what is published, what is compared."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import pytest

from hocket.games import registry
from hocket.learners.cells.cell import Cell, Team, cell
from hocket.learners.cells.contestant import Contestant
from hocket.learners.cells.measure import Measure, counted, measured
from hocket.learners.cells.pairs import pairs
from hocket.learners.cells.place import Place, grid
from hocket.learners.cells.plan import Protocol
from hocket.learners.cells.published import OVER_EPISODES, OVER_SEEDS, deviations, published
from hocket.learners.cells.report import Report
from hocket.learners.cells.tables import tables
from hocket.learners.cells.text import as_csv, as_markdown, as_text
from hocket.learners.match import Match, Score, Terms, trace_of
from hocket.replays.statistics import corrected, estimate, mann_whitney
from hocket.replays.trace import LibraryMark, Trace, make_header
from hocket.replays.writer import TraceWriter
from hocket.runtime.errors import TraceError
from hocket.runtime.events import EpisodeEnded, GameEvent, Stepped

QWEN, KITCHEN = "Qwen3-4B-Instruct-2507", "overcooked:asymmetric_advantages"
FULL, BASE = Place(QWEN, KITCHEN, "menu", "private"), Place(QWEN, KITCHEN, "menu", "frozen")
PAPER = Protocol()
JSON = Place(QWEN, KITCHEN, "json", "private")


def match(steps: int = 400) -> Match:
    """Two seeds of a kitchen."""
    game = registry.make(KITCHEN)
    library = registry.library(game)
    terms = Terms(game.spec, LibraryMark(library.name, library.version, library.digest), (), steps)
    return Match(terms, ("idle", "idle"), (0, 1))


def made(place: Place, *values: Sequence[float], collapsed: int = 0, steps: int = 400) -> Cell:
    """A cell of one team for each row of values, and of so many that collapsed."""
    those = [Contestant(entry=0, source=str(number), place=place, match=match(steps)) for number in range(len(values))]
    gone = [
        Contestant(entry=0, source="x", place=place, why=f"run {number} collapsed", collapsed=True)
        for number in range(collapsed)
    ]
    teams = [
        Team(
            source=str(number),
            adapters={},
            round=None,
            training_return=None,
            library="default",
            traces="",
            values=tuple(row),
            returns=tuple(20 * value for value in row),
            failed=0,
        )
        for number, row in enumerate(values)
    ]
    return cell(place, [*those, *gone], teams, "not in cells.toml")


def report(*cells: Cell, protocol: Protocol = PAPER) -> Report:
    """What came of these cells, and of the rest of their grid."""
    known = {each.place: each for each in cells}
    whole = [known.get(place) or cell(place, (), (), "not in cells.toml") for place in grid(known)]
    return Report(
        about="Made up",
        protocol=protocol,
        deviations=deviations(protocol, {each.place.game: each.steps for each in cells if each.steps is not None}),
        cells=tuple(whole),
        pairs=tuple(pairs(whole)),
        notes=(),
        unplaced=("somewhere: is no run",),
        versions={},
    )


def test_a_table_of_ablations_has_the_papers_rows() -> None:
    """Its six in its order, then the rest of the grid; one game, one column, and what is counted there."""
    [table] = tables(report(made(FULL, [6, 7]), made(BASE, [0, 1])))

    assert table.columns == ("overcooked:asymmetric_advantages (deliveries)",)
    assert [row.name for row in table.rows][:6] == [
        "Frozen + native (Abl. C)",
        "Frozen + option menu (base)",
        "Native + MAGRPO (Abl. A)",
        "Compound-JSON + MAGRPO (Abl. D)",
        "Shared-LoRA + option menu (Abl. B)",
        "Full method",
    ]
    assert len(table.rows) == 9
    assert [row.name for row in table.rows for box in row.boxes if box is not None and box.best] == ["Full method"]


def test_several_training_seeds_have_a_table_of_backbones() -> None:
    """Mean and spread of the seeds' means there, of all episodes below; a collapsed seed is a zero in the first."""
    made_up = report(made(FULL, [2, 4], [6, 8], collapsed=1), made(BASE, [0, 1]))

    first, second = tables(made_up)

    over = {row.name: row.boxes[0] for row in first.rows}
    pooled = {row.name: row.boxes[0] for row in second.rows}
    assert (first.number, second.number) == (1, 2)
    assert over["Full method"] is not None
    assert over["Full method"].shown == estimate([3.0, 7.0, 0.0])
    assert over["Frozen + option menu"] is not None
    assert over["Frozen + option menu"].over == "episodes"
    assert pooled["Full method"] is not None
    assert pooled["Full method"].shown == estimate([2.0, 4.0, 6.0, 8.0])


def test_markdown_has_the_best_in_bold_and_the_published_beside_it() -> None:
    """And a dagger where training collapsed, with its reason below."""
    written = as_markdown(report(made(FULL, [6, 7]), made(BASE, [0, 0]), made(JSON, collapsed=1)))

    [full] = [line for line in written.splitlines() if line.startswith("| Full method")]
    [base] = [line for line in written.splitlines() if line.startswith("| Frozen + option menu")]
    [gone] = [line for line in written.splitlines() if line.startswith("| Compound-JSON + MAGRPO")]
    assert "**6.50 ± 0.71**<br>" in full
    assert "paper: 6.80 ± 1.89 (Table 2)" in full
    assert "| 0.00 ± 0.00<br>no spread, 2 episodes<br>paper: 0.20 ± 0.51 (Table 2) |" in base
    assert "0.00† [2]<br>paper: 0.00† (Table 2)" in gone
    assert "- [2] run 0 collapsed" in written
    assert "- without a place: somewhere: is no run" in written


def test_text_says_whether_it_is_the_papers_protocol() -> None:
    """In the first lines."""
    same = as_text(report(made(FULL, [6, 7])))
    other = as_text(report(made(FULL, [6, 7]), protocol=Protocol(episodes=2)))

    assert same.startswith("Made up\n\n20 episodes a team, seeds 10,000 to 10,019, as in the paper. Mean ± std [95%")
    assert "2 episodes a team, seeds 10,000 to 10,001; NOT the paper's protocol: 2 episodes." in other


def test_a_length_that_is_not_the_papers_is_told_whoever_set_it() -> None:
    """The file, a run or a preset may; the paper's own length is none, even where the file says it."""
    short = as_text(report(made(FULL, [6, 7], steps=60)))
    same = as_text(report(made(FULL, [6, 7]), protocol=Protocol(steps=400)))

    assert f"NOT the paper's protocol: 60 ticks of {KITCHEN} instead of 400." in short
    assert "as in the paper" in same


def test_csv_has_numbers_in_columns() -> None:
    """A line a row, of each game the same columns; what is not known is empty."""
    written = as_csv(report(made(FULL, [6, 7])))

    rows = list(csv.DictReader(io.StringIO(written)))
    [full] = [row for row in rows if row["row"] == "Full method"]
    assert (full[f"{KITCHEN} mean"], full[f"{KITCHEN} n"], full[f"{KITCHEN} over"]) == ("6.5", "2", "episodes")
    assert (full[f"{KITCHEN} paper mean"], full[f"{KITCHEN} paper std"]) == ("6.80", "1.89")
    assert {row[f"{KITCHEN} why"] for row in rows} == {"", "not in cells.toml"}
    assert len(rows) == 9


@pytest.mark.parametrize(
    ("table", "place", "steps", "starts", "text"),
    [
        (OVER_EPISODES, FULL, 400, "standard", "6.80 ± 1.89"),
        (OVER_EPISODES, FULL, None, "standard", "6.80 ± 1.89"),
        (OVER_SEEDS, FULL, 400, "standard", "6.21 ± 0.80"),
        (OVER_EPISODES, Place(QWEN, "cleanup", "json", "private"), 150, "standard", "59.70 ± 47.66"),
        (OVER_EPISODES, Place(QWEN, "cleanup", "native", "private"), 150, "standard", "0.00†"),
        (OVER_SEEDS, Place("Qwen3.5-2B", "cleanup", "menu", "private"), 150, "standard", "105.69 ± 50.71"),
        (
            OVER_SEEDS,
            Place("gemma-4-E4B-it", "harvest:no_thinning", "menu", "private"),
            400,
            "standard",
            "99.84 ± 15.76",
        ),
        (OVER_SEEDS, Place("gemma-4-E2B-it", KITCHEN, "native", "frozen"), 400, "standard", "0.00 ± 0.00"),
        (
            OVER_EPISODES,
            Place(QWEN, "overcooked:forced_coordination", "menu", "private"),
            400,
            "standard",
            "7.57 ± 1.16",
        ),
        (OVER_EPISODES, FULL, 200, "standard", None),
        (OVER_EPISODES, FULL, 400, "varied", None),
        (OVER_EPISODES, Place("embedded", KITCHEN, "menu", "private"), 400, "standard", None),
        (OVER_EPISODES, Place("gemma-4-E2B-it", KITCHEN, "menu", "private"), 400, "standard", None),
        (OVER_EPISODES, Place(QWEN, "pantry", "menu", "private"), 400, "standard", None),
    ],
)
def test_a_published_value_is_shown_for_its_own_setting_alone(
    table: int, place: Place, steps: int | None, starts: str, text: str | None
) -> None:
    """Backbone, game, interface, capacity, length and start."""
    found = published(table, place, steps, starts)

    assert (found and found.text) == text


def test_all_cells_of_one_game_are_compared_and_corrected_together() -> None:
    """Cells of another game are not; where a side has no spread there is no p, and what can be said is."""
    many, few, none = [5.0, 6, 7, 8, 6], [1.0, 2, 0, 1, 3], [0.0] * 5
    apple = Place(QWEN, "cleanup", "menu", "private")

    found = pairs([made(FULL, many), made(BASE, few), made(JSON, none), made(apple, many)])

    asked = mann_whitney(many, few)
    assert asked is not None
    assert [(each.one, each.other) for each in found] == [(FULL, BASE), (FULL, JSON), (BASE, JSON)]
    assert [each.p for each in found] == [asked, None, None]
    assert found[0].corrected == corrected([asked])[0]
    assert found[0].difference == pytest.approx(6.4 - 1.4)
    assert found[1].note == "one side is 0 in every episode; the interval of the other excludes it"


def test_the_correction_is_for_all_pairs_that_were_tested() -> None:
    """Two games, one test each: both are paid for."""
    many, few = [5.0, 6, 7, 8, 6], [1.0, 2, 0, 1, 3]
    there = [Place(QWEN, "cleanup", "menu", capacity) for capacity in ("private", "frozen")]

    found = pairs([made(FULL, many), made(BASE, few), made(there[0], many), made(there[1], few)])

    ps = [each.p for each in found if each.p is not None]
    assert len(ps) == 2
    assert [each.corrected for each in found] == corrected(ps)
    assert found[0].corrected is not None
    assert found[0].corrected > ps[0]


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ([0.0, 0], [0.0, 0], "neither has any spread: 0 in every episode, and the same in those of the other"),
        ([0.0, 0], [1.0, 1], "neither has any spread: 0 in every episode, and another in those of the other"),
        ([1.0, 1, 1], [0.0, 1, 2], "one side is 1 in every episode; the interval of the other holds it"),
    ],
)
def test_without_spread_it_is_said_what_can_be(one: Sequence[float], other: Sequence[float], said: str) -> None:
    """A p from one value repeated would be made up."""
    [found] = pairs([made(FULL, one), made(BASE, other)])

    assert (found.p, found.corrected, found.note) == (None, None, said)


def recorded(folder: Path, seed: int, amounts: Sequence[float]) -> tuple[float, float]:
    """Record an episode with deliveries of these amounts; return its returns."""
    game = registry.make(KITCHEN)
    header = make_header(
        game, registry.library(game), seed=seed, starts="standard", steps=len(amounts), seats=("idle", "idle")
    )
    writer = TraceWriter(trace_of(folder, seed), header)
    for tick, amount in enumerate(amounts):
        events = (GameEvent("delivered", 0, "soup", amount=amount), GameEvent("potted", 1, "onion"))
        writer.write(Stepped(tick, (4, 4), (amount, 0.0), events))
    writer.write(EpisodeEnded(len(amounts), "horizon", (sum(amounts), 0.0)))
    writer.close()
    return sum(amounts), 0.0


def test_deliveries_are_counted_from_traces(tmp_path: Path) -> None:
    """Those that were paid; other events and soups that nobody ordered are none."""
    returns = (recorded(tmp_path, 0, [20, 0, 20]), recorded(tmp_path, 1, [0, 0]))

    assert measured(match(), Score(returns, ("idle", "idle"), (0, 0)), tmp_path) == [2.0, 0.0]


def test_a_trace_that_is_not_the_episode_that_was_scored_is_refused(tmp_path: Path) -> None:
    """Somebody has put another one in its place."""
    returns = (recorded(tmp_path, 0, [20]), recorded(tmp_path, 1, [20]))

    with pytest.raises(TraceError, match="is not the whole episode that was scored"):
        measured(match(), Score((returns[0], (40.0, 0.0)), ("idle", "idle"), (0, 0)), tmp_path)


def test_nothing_is_counted_where_nothing_happened() -> None:
    """An episode that ended at once."""
    game = registry.make(KITCHEN)
    header = make_header(game, registry.library(game), seed=0, starts="standard", steps=1, seats=("idle", "idle"))

    assert counted(Trace(header, ()), Measure("deliveries", "delivered")) == 0.0
