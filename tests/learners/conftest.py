"""Burn-in logs for tests: played in a moment, or planted row by row."""

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, TypeAlias

import numpy as np
import pytest

from hocket.games import registry
from hocket.learners.burn_in import burn_in, manifest
from hocket.learners.burn_log import COLUMNS, EXPLICIT, Columns, Log, Manifest

Row: TypeAlias = tuple[int, str, dict[str, str], str]
"""Episode, option, features that are read, and outcome."""
OUTCOMES = ("success", "effect_fail", "timeout")


@pytest.fixture(scope="session")
def burn(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Log]:
    """Play a log; what is not named is small and the same every time."""

    def burn(name: str = "pantry", *, library: str = "default", jobs: int = 1, **changed: Any) -> Log:
        game = registry.make(name)
        plan: dict[str, Any] = {
            "seed": 1,
            "solo": 200,
            "team": 200,
            "steps": 60,
            "starts": "varied",
            "policy": "uniform",
        } | changed
        log = Log.begin(tmp_path_factory.mktemp("burned"), manifest(game, registry.library(game, library), **plan))
        burn_in(log, jobs=jobs)
        return log

    return burn


@pytest.fixture(scope="session")
def plant(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Log]:
    """Write a log of the pantry by hand; its episodes 0 to 99 are solo, 100 to 199 of the team, unless said."""
    numbers, root = count(), tmp_path_factory.mktemp("planted")

    def plant(rows: Sequence[Row], *, solo: int = 100, team: int = 100) -> Log:
        game = registry.make("pantry")
        library = registry.library(game, "default")
        plan = manifest(game, library, seed=0, solo=solo, team=team, steps=60, starts="varied", policy="uniform")
        log = Log.begin(root / str(next(numbers)), plan)
        for chunk in range(plan.chunks):
            log.write(chunk, _columns([row for row in rows if row[0] in plan.episodes(chunk)], plan))
        return log

    return plant


def _columns(rows: Sequence[Row], plan: Manifest) -> Columns:
    names = [option.name for option in plan.options]
    reasons = list(dict.fromkeys(row[3].removeprefix("explicit:") for row in rows if row[3] not in OUTCOMES))
    table: dict[str, list[int]] = {name: [0] * len(rows) for name in COLUMNS}
    table["changed"] = [1] * len(rows)
    table["ticks"] = [1] * len(rows)
    for place, (episode, option, read, outcome) in enumerate(rows):
        table["episode"][place] = episode
        table["step"][place] = place % plan.steps
        table["option"][place] = names.index(option)
        table["read"][place] = plan.options[names.index(option)].read_values().index(read)
        known = outcome in OUTCOMES
        table["outcome"][place] = (
            OUTCOMES.index(outcome) if known else EXPLICIT + reasons.index(outcome.removeprefix("explicit:"))
        )
    columns: Columns = {name: np.array(table[name], dtype=kind) for name, kind in COLUMNS.items()}
    return columns | {"targets": np.array(["here"]), "reasons": np.array(reasons, dtype=np.str_)}
