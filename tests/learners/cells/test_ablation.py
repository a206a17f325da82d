"""An evaluation from beginning to end, played and kept, and not played twice."""

import shutil
from pathlib import Path

import msgspec
from tests.learners.cells.opening import FROZEN, GAME, Opened, only, played

from hocket.learners.cells.place import Place
from hocket.learners.match import trace_of
from hocket.learners.outcome import Outcome
from hocket.replays.rerun import rerun
from hocket.replays.trace import read_trace


def test_a_checkpoint_plays_what_its_run_has_seen_of_it(opened: Opened, tmp_path: Path) -> None:
    """The seeds, adapters, temperature and start of the run's own evaluation: the same returns, and a trace each."""
    report = played(opened('[[cell]]\nrun = "runs/0"\n' + FROZEN))

    run = msgspec.json.decode((tmp_path / "runs/0/result.json").read_bytes(), type=Outcome)
    learned, base = only(report, "menu", "private"), only(report, "menu", "frozen")
    assert learned.teams[0].returns == run.returns
    assert learned.teams[0].round == run.best_round
    assert set(learned.teams[0].adapters) == {folder.removeprefix("adapters/") for folder in run.adapters.values()}
    assert base.teams[0].adapters == {}
    traces = [read_trace(trace_of(tmp_path / "out" / learned.teams[0].traces, seed)) for seed in (10_000, 10_001)]
    assert all(rerun(trace).difference is None for trace in traces)
    assert [sum(trace.events[-1].returns) for trace in traces] == list(run.returns)  # type: ignore[union-attr]


def test_every_cell_of_the_grid_is_there_and_says_why_it_is_empty(opened: Opened) -> None:
    """Nine of a backbone and game, two of which were played; reasons of all others, in their own words."""
    waits = '[[cell]]\npreset = "pantry-tiny"\ninterface = "json"\nmissing = "waits for a GPU"\n'
    absent = '[[cell]]\npreset = "overcooked-aa-qwen3-4b"\ncapacity = "frozen"\n'

    report = played(opened('[[cell]]\nrun = "runs/0"\n' + FROZEN + waits + absent))

    told = {each.place: each.why for each in report.cells}
    assert len(report.cells) == 18
    assert sum(each.estimate is not None for each in report.cells) == 2
    assert all(bool(each.why) != bool(each.teams) for each in report.cells)
    assert told[Place("embedded", GAME, "json", "private")] == ("waits for a GPU",)
    assert told[Place("embedded", GAME, "native", "shared")] == ("not in cells.toml",)
    kitchen = Place("Qwen3-4B-Instruct-2507", "overcooked:asymmetric_advantages", "menu", "frozen")
    assert "there is no such folder" in told[kitchen][0]


def test_what_a_run_removes_later_is_still_there(opened: Opened, tmp_path: Path) -> None:
    """Its checkpoint is kept beside the episodes, under a name that no other weights have."""
    evaluation = opened('[[cell]]\nrun = "runs/0"\n')
    shutil.rmtree(tmp_path / "runs/0/adapters")

    found = only(played(evaluation), "menu", "private").teams[0]

    seats = read_trace(trace_of(tmp_path / "out" / found.traces, 10_000)).header.seats
    assert seats == tuple(f"llm#seat{seat}@{digest[:8]}" for seat, digest in enumerate(found.adapters.values()))


def test_a_folder_that_is_no_run_has_no_place_unless_one_is_named(opened: Opened, tmp_path: Path) -> None:
    """It is told below the tables, and the others go on."""
    (tmp_path / "empty").mkdir()

    report = played(opened('[[cell]]\nrun = "empty"\n' + FROZEN))

    assert report.unplaced == ("empty: is no run: it has no run.json",)
    assert only(report, "menu", "frozen").estimate.count == 2


def test_nothing_is_played_twice(opened: Opened, tmp_path: Path) -> None:
    """A second evaluation reads; with other weights under one name it would have other folders."""
    first = opened(FROZEN)
    told, again = list[int](), list[int]()

    once = first.play(1, told.append)
    twice = opened(FROZEN).play(1, again.append)

    assert once == twice
    assert (len(told), again) == (first.pieces, [])
    assert len(list((tmp_path / "out/cells").iterdir())) == 1
