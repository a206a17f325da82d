"""Runs as contestants: what plays, and why one does not."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.learners.cells.opening import FROZEN, GAME, Opened, changed, only, played, why
from tests.learners.training import trained

from hocket.learners.cells.place import Place
from hocket.learners.outcome import Outcome


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda run: (run / "state.json").unlink(), "runs/1: is still in its first round"),
        (lambda run: (run / "run.json").unlink(), "runs/1: is no run: it has no run.json"),
        (lambda run: (run / "run.json").write_text("{", "utf-8"), "runs/1: its run.json does not read"),
        (lambda run: changed(run / "run.json", base="0"), "was trained on base 0, but llm is"),
        (lambda run: changed(run / "run.json", game="0"), "pantry:roles is set otherwise here than there"),
    ],
)
def test_a_run_that_cannot_be_played_says_why_and_stops_nobody(
    opened: Opened, tmp_path: Path, damage: Callable[[Path], Any], said: str
) -> None:
    """Its place is known from its preset where its own files do not say."""
    damage(tmp_path / "runs/1")

    evaluation = opened('[[cell]]\nrun = "runs/1"\npreset = "pantry-tiny"\n' + FROZEN)

    assert said in why(evaluation)[0]
    assert [each.match is None for each in evaluation.contestants] == [True, False]
    assert evaluation.contestants[0].place == Place("embedded", GAME, "menu", "private")


@pytest.mark.parametrize(("capacity", "names"), [("shared", {"team"}), ("frozen", set())])
def test_a_run_of_another_capacity_plays_as_it_learned(
    opened: Opened, tmp_path: Path, capacity: str, names: set[str]
) -> None:
    """One adapter in every seat, or none: what the run's own evaluation had."""
    trained(tmp_path / "other", "rounds=1", f"cell.capacity={capacity}")

    found = only(played(opened('[[cell]]\nrun = "other"\n')), "menu", capacity)

    run = msgspec.json.decode((tmp_path / "other/result.json").read_bytes(), type=Outcome)
    assert found.teams[0].returns == run.returns
    assert {name.partition("@")[0] for name in found.teams[0].adapters} == names


def test_a_run_that_goes_on_is_evaluated_at_its_best_so_far_and_that_is_said(opened: Opened, tmp_path: Path) -> None:
    """Later rounds may have a better checkpoint."""
    path = tmp_path / "runs/0/run.json"
    changed(path, config=msgspec.json.decode(path.read_bytes())["config"] | {"rounds": 9})

    [found] = opened('[[cell]]\nrun = "runs/0"\n').contestants

    assert found.match is not None
    assert found.notes == ("runs/0 has not been trained to its end: its best of 2 rounds of 9",)


def test_an_adapter_that_is_not_what_its_run_saved_is_not_played(opened: Opened, tmp_path: Path) -> None:
    """Weights of somebody else under the name of the checkpoint."""
    round_ = msgspec.json.decode((tmp_path / "runs/0/result.json").read_bytes())["best_round"]
    other = tmp_path / f"runs/1/adapters/seat0@v{round_}"
    ours = tmp_path / f"runs/0/adapters/seat0@v{round_}"
    shutil.rmtree(ours)
    shutil.copytree(other, ours)

    evaluation = opened('[[cell]]\nrun = "runs/0"\n')

    assert f"adapters/seat0@v{round_} is not what the run saved" in why(evaluation)[0]
