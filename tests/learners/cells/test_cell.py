"""What came of a cell: several training seeds, and those that collapsed."""

from pathlib import Path

import msgspec
import pytest
from tests.learners.cells.opening import Opened, changed, only, played


def test_several_training_seeds_are_one_cell(opened: Opened) -> None:
    """Its mean and spread are over the seeds' means; the episodes are pooled beside that."""
    report = played(opened('[[cell]]\nruns = ["runs/0", "runs/1"]\n', episodes=3))

    found = only(report, "menu", "private")
    means = [sum(team.values) / 3 for team in found.teams]
    assert [team.source for team in found.teams] == ["runs/0", "runs/1"]
    assert (found.over_seeds.mean, found.over_seeds.count) == (pytest.approx(sum(means) / 2), 2)
    assert (found.estimate.mean, found.estimate.count) == (pytest.approx(sum(means) / 2), 6)


def test_a_run_without_a_positive_return_has_no_checkpoint(opened: Opened, tmp_path: Path) -> None:
    """Alone it is a dagger; among others it counts as the zero that it is, since leaving it out would flatter."""
    state = tmp_path / "runs/1/state.json"
    best = msgspec.json.decode(state.read_bytes())["best"]
    changed(state, best=best | {"team_return": 0.0})

    alone = played(opened('[[cell]]\nrun = "runs/1"\n'))
    among = played(opened('[[cell]]\nruns = ["runs/0", "runs/1"]\n'))

    empty, full = only(alone, "menu", "private"), only(among, "menu", "private")
    assert (empty.estimate, empty.collapsed) == (None, 1)
    assert empty.why == ("runs/1: none of its 2 rounds had a positive return: no checkpoint to evaluate",)
    assert full.over_seeds.mean == pytest.approx(full.estimate.mean / 2)
    assert any("1 of its training seeds collapsed, and count as 0" in line for line in among.notes)
