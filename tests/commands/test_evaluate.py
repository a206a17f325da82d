"""`hocket evaluate`: killed in the middle and gone on with, and its kinds of tables."""

import csv
import io
import json
import os
import signal
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import pytest
from tests.commands.conftest import Call
from tests.learners.cells.opening import FROZEN
from tests.learners.training import trained

from hocket.agents.llm import LocalModel
from hocket.agents.models import Models
from hocket.games.pantry.roles import Roles

CELLS = """
about = "Two roles"

[[cell]]
run = "run"

[[cell]]
preset = "pantry-tiny"
capacity = "frozen"
"""


def files(folder: Path) -> dict[str, int]:
    """Return when each score was written."""
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("*.json")}


def test_a_killed_evaluation_goes_on_where_it_stopped(call: Call, start: Callable[..., Any], kitchen: Path) -> None:
    """What was played is not played again, and all is as if nobody had killed it."""
    trained(kitchen / "run", "rounds=1")
    (kitchen / "cells.toml").write_text(CELLS, "utf-8")
    words = ("evaluate", "cells.toml", "--processes", "1", "--json")

    process = start(*words)
    while not files(kitchen / "cells-evaluation/scores"):
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = files(kitchen / "cells-evaluation/scores")
    second = call(*words)
    whole = call(*words, "--out", "whole")

    after = files(kitchen / "cells-evaluation/scores")
    assert 0 < len(before) < len(after) == 40
    assert {name: after[name] for name in before} == before
    assert (second.code, whole.code, second.err) == (0, 0, "")
    assert second.out == whole.out
    told = json.loads(second.out)
    assert told["deviations"] == []
    assert sum(len(team["values"]) for cell in told["cells"] for team in cell["teams"]) == 40
    assert len(told["pairs"]) == 1


def test_tables_are_printed_and_kept(call: Call, kitchen: Path) -> None:
    """For people, for a paper, for a spreadsheet: one evaluation, played once."""
    trained(kitchen / "run", "rounds=1")
    (kitchen / "cells.toml").write_text(CELLS + "[protocol]\nepisodes = 2\n", "utf-8")

    text, markdown, rows = (
        call("evaluate", "cells.toml", "--processes", "1", *form) for form in ((), ("--markdown",), ("--csv",))
    )

    kept = kitchen / "cells-evaluation"
    assert (text.code, markdown.code, rows.code) == (0, 0, 0)
    assert "Full method" in text.out
    assert text.out.endswith("kept in cells-evaluation\n")
    assert markdown.out == (kept / "table.md").read_text("utf-8")
    assert rows.out == (kept / "table.csv").read_text("utf-8")
    assert len(list(csv.DictReader(io.StringIO(rows.out)))) == 9
    assert json.loads((kept / "results.json").read_bytes())["about"] == "Two roles"


def test_a_mistake_is_one_sentence(call: Call, kitchen: Path) -> None:
    """Exit code 2, and nothing is made."""
    (kitchen / "cells.toml").write_text('[[cell]]\nrun = "runn"\n', "utf-8")
    (kitchen / "cells").write_text(CELLS, "utf-8")

    outcomes = {
        "cells.toml: cell 1: runn: there is no such folder": call("evaluate", "cells.toml"),
        "none.toml: no such file": call("evaluate", "none.toml"),
        "--out FOLDER is missing: cells does not end in .toml": call("evaluate", "cells"),
        "--processes is 0, but must be 1 to 256": call("evaluate", "cells.toml", "--processes", 0),
        "--csv is 'given', but must be left out with --json": call("evaluate", "cells.toml", "--json", "--csv"),
    }

    for said, outcome in outcomes.items():
        assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
        assert said in outcome.err
    assert sorted(path.name for path in kitchen.iterdir()) == ["cells", "cells.toml"]


@pytest.mark.parametrize("form", ["--json", "--markdown", "--csv"])
def test_what_is_printed_while_it_plays_is_no_part_of_a_table(
    call: Call, kitchen: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """By a game when it begins, and by models when they are seated and asked: it goes to stderr."""
    (kitchen / "cells.toml").write_text(f"{FROZEN}[protocol]\nepisodes = 2\nsteps = 20\n", "utf-8")
    for kind, name in ((Roles, "reset"), (Models, "holder"), (LocalModel, "choose_many")):
        monkeypatch.setattr(kind, name, printing(getattr(kind, name)))

    outcome = call("evaluate", "cells.toml", "--processes", "1", form)

    kept = {"--json": "results.json", "--markdown": "table.md", "--csv": "table.csv"}[form]
    assert outcome.out == (kitchen / "cells-evaluation" / kept).read_text("utf-8")
    assert {"reset", "holder", "choose_many"} == set(outcome.err.split())


def printing(method: Callable[..., Any]) -> Callable[..., Any]:
    """The same, and it prints its name."""

    @wraps(method)
    def chatty(*words: Any, **named: Any) -> Any:
        print(method.__name__)  # noqa: T201
        return method(*words, **named)

    return chatty
