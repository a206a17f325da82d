"""Curves: TensorBoard reads them back, a file each time that a run goes on."""

from importlib import import_module
from pathlib import Path

from hocket.learners.metrics import Curves, Telling


def telling(number: int, team_return: float) -> Telling:
    """A round in which one adapter was updated."""
    return Telling(
        round=number,
        team_return=team_return,
        returns=(team_return,) * 2,
        events={},
        without_spread=0.0,
        refused=(),
        difference=0.0,
        decisions=4,
        shares={"0": {"wash": 0.25, "serve": 0.75}},
        updated={"seat0": {"loss": 0.1, "kl": 0.0, "clipped": 0.0, "entropy": 0.5, "gradient": 1.0}},
        unheard=(),
        seconds={"model": 1.5},
    )


def test_curves_go_on_where_a_run_does(tmp_path: Path) -> None:
    """Its rounds are one line in TensorBoard, whatever number of times it was begun."""
    for numbers in ((0, 1), (2,)):
        curves = Curves(tmp_path / "curves")
        for number in numbers:
            curves.add(telling(number, number / 2))

    reader = import_module("tensorboard.backend.event_processing.event_accumulator")
    read = reader.EventAccumulator(str(tmp_path / "curves"))
    read.Reload()
    assert [(each.step, each.value) for each in read.Scalars("return")] == [(0, 0.0), (1, 0.5), (2, 1.0)]
    assert [each.value for each in read.Scalars("options of seat 0/serve")] == [0.75] * 3
    assert {"entropy/seat0", "receipts/difference", "seconds/model"} <= set(read.Tags()["scalars"])
    assert len(list((tmp_path / "curves").iterdir())) == 2
