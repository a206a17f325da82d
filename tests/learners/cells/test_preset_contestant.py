"""Presets as contestants: adapters that are named, and those that come along."""

from pathlib import Path

import msgspec
from tests.learners.cells.opening import Opened, only, played

from hocket.learners.outcome import Outcome


def test_adapters_can_be_named(opened: Opened, tmp_path: Path) -> None:
    """One a seat: what the run played with them comes out again, and the seeds of their run are known."""
    run = msgspec.json.decode((tmp_path / "runs/0/result.json").read_bytes(), type=Outcome)
    named = ", ".join(f'"runs/0/{folder}"' for folder in run.adapters.values())

    evaluation = opened(f'[[cell]]\npreset = "pantry-tiny"\nadapters = [{named}]\n')

    assert evaluation.contestants[0].notes == ()
    assert only(played(evaluation), "menu", "private").teams[0].returns == run.returns


def test_the_adapters_that_come_along_are_known_by_name(opened: Opened) -> None:
    """Those of the game and library of the preset; their metrics say that they played above the floor."""
    evaluation = opened('[[cell]]\npreset = "overcooked-fc-tiny"\nadapters = "shipped"\n', steps=5)

    [found] = evaluation.contestants
    assert found.match is not None
    assert found.match.terms.library.name == "errands"
    assert [name.partition("@")[0] for name in found.adapters] == ["seat0", "seat1"]
    assert found.notes == ()
