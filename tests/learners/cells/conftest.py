"""Runs and evaluations for tests of cells."""

import shutil
from pathlib import Path

import pytest
from tests.learners.cells.opening import Opened
from tests.learners.training import trained

from hocket.learners.cells.ablation import Ablation
from hocket.learners.cells.plan import read_plan


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two short runs that differ in their training seed."""
    folder = tmp_path_factory.mktemp("runs")
    for seed in (0, 1):
        trained(folder / str(seed), "rounds=2", "rollouts.record=true", f"seed={seed}")
    return folder


@pytest.fixture
def opened(tmp_path: Path, runs: Path) -> Opened:
    """Open an evaluation of a file that lies beside copies of the runs."""
    shutil.copytree(runs, tmp_path / "runs")

    def opened(content: str, *, episodes: int = 2, **protocol: object) -> Ablation:
        keys = "".join(f"{key} = {value}\n" for key, value in ({"episodes": episodes} | protocol).items())
        path = tmp_path / "cells.toml"
        path.write_text(f"[protocol]\n{keys}\n{content}", "utf-8")
        return Ablation(read_plan(path), tmp_path / "out")

    return opened
