"""What is found in a folder, and what is said of one without anything."""

from pathlib import Path

import pytest
from tests.learners.report.made import evaluated, recorded, trained

from hocket.learners.report.contents import contents
from hocket.runtime.errors import TracePathError


def test_everything_that_can_be_reported_is_found(tmp_path: Path) -> None:
    """However deep it lies, and each kind in order of path."""
    recorded(tmp_path / "b" / "traces", count=2)
    recorded(tmp_path / "a", count=1)
    evaluated(tmp_path / "evaluation")
    trained(tmp_path / "runs" / "pantry")

    found = contents(tmp_path)

    names = [found.within(path) for path in found.traces]
    assert names[:3] == ["a/0.jsonl", "b/traces/0.jsonl", "b/traces/1.jsonl"]
    assert [found.within(path) for path in found.evaluations] == ["evaluation/results.json"]
    assert [found.within(path) for path in found.runs] == ["runs/pantry"]
    assert found.certificates == ()


def test_rollouts_of_training_are_no_results(tmp_path: Path) -> None:
    """Each was played by other adapters, so together they are no team; the metrics are no trace either."""
    run = trained(tmp_path / "run")
    recorded(run / "traces" / "v1")

    assert contents(tmp_path).traces == ()
    assert len(contents(run / "traces" / "v1").traces) == 3


@pytest.mark.parametrize(
    ("name", "said"),
    [("empty", "holds nothing to report"), ("file.txt", "is a file"), ("nowhere", "is not there")],
)
def test_a_folder_without_anything_is_refused(tmp_path: Path, name: str, said: str) -> None:
    """In one sentence that names it."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "file.txt").write_text("")

    with pytest.raises(TracePathError, match=said) as error:
        contents(tmp_path / name)

    assert name in str(error.value)
