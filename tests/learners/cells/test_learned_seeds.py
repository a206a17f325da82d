"""Seeds that were learned from are not evaluated."""

from pathlib import Path

import pytest
from tests.learners.cells.opening import FROZEN, Opened, changed, played
from tests.learners.training import trained

from hocket.runtime.errors import UsageError


def test_a_seed_that_was_learned_from_is_refused(opened: Opened, tmp_path: Path) -> None:
    """A trace of the run's own that holds one, by name; and rollouts that it is said to have learned from."""
    recorded = next((tmp_path / "runs/0/traces/v0").glob("*.jsonl.zst"))
    renamed = recorded.with_name("0000-10001.jsonl.zst")
    base = opened(FROZEN)
    played(base)
    folder = Path("out/cells") / base.contestants[0].folder_name

    with pytest.raises(UsageError, match="cell 1: runs/0 learned from seed 10,000"):
        opened(f'[[cell]]\nrun = "runs/0"\nlearned_from = "{folder}"\n')
    recorded.rename(renamed)
    with pytest.raises(UsageError, match=r"runs/0 learned from seed 10,001 \(traces/v0/0000-10001"):
        opened('[[cell]]\nrun = "runs/0"\n')
    renamed.unlink()

    assert opened('[[cell]]\nrun = "runs/0"\n').contestants[0].match is not None


def test_a_run_that_learned_from_recorded_rollouts_is_said_to_have_unknown_seeds(
    opened: Opened, tmp_path: Path, runs: Path
) -> None:
    """It asked no model; nothing in its folder tells whose episodes they were, unless one names them."""
    trained(tmp_path / "recorded", "rounds=1", traces=runs / "0/traces")

    [silent] = opened('[[cell]]\nrun = "recorded"\n').contestants
    [named] = opened('[[cell]]\nrun = "recorded"\nlearned_from = "runs/0/traces"\n').contestants

    assert "recorded: its training seeds are not known: it learned from recorded rollouts" in silent.notes[0]
    assert named.notes == ()


def test_a_run_that_does_not_say_where_its_rollouts_came_from_is_judged_by_its_metrics(
    opened: Opened, tmp_path: Path, runs: Path
) -> None:
    """One of before that was written down: whoever plays has asked a model."""
    trained(tmp_path / "recorded", "rounds=1", traces=runs / "0/traces")
    for run in ("runs/0", "recorded"):
        changed(tmp_path / run / "run.json", recorded=None)

    [plays] = opened('[[cell]]\nrun = "runs/0"\n').contestants
    [reads] = opened('[[cell]]\nrun = "recorded"\n').contestants
    for run in ("runs/0", "recorded"):
        (tmp_path / run / "metrics.jsonl").unlink()
    [silent] = opened('[[cell]]\nrun = "runs/0"\n').contestants

    assert plays.notes == ()
    assert "it learned from recorded rollouts" in reads.notes[0]
    assert "neither its run.json nor its metrics.jsonl says" in silent.notes[0]


def test_what_a_run_says_goes_before_its_metrics(opened: Opened, tmp_path: Path) -> None:
    """It knows, where they would have to be read between the lines."""
    changed(tmp_path / "runs/0/run.json", recorded=True)

    [found] = opened('[[cell]]\nrun = "runs/0"\n').contestants

    assert "it learned from recorded rollouts" in found.notes[0]
