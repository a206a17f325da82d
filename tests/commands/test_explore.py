"""`hocket explore`: exit codes, what it prints, and that what it prints shows it again."""

import json
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]
PANTRY = ("explore", "pantry", "--seat", "0=random", "--processes", "1")


@pytest.fixture
def planted(kitchen: Path) -> None:
    """Agents and checks with a known fault, in the working folder."""
    shutil.copy(Path(__file__).parents[1] / "data/planted.py", kitchen)


def test_where_all_holds_the_exit_code_is_0(call: Call) -> None:
    """And the answer is one line, or one object."""
    shown = call(*PANTRY, "--seat", "1=random", "--runs", "12")
    told = call(*PANTRY, "--seat", "1=random", "--runs", "12", "--faults", "lossy", "--json")

    assert (shown.code, shown.err) == (0, "")
    assert shown.out == "12 runs of pantry under hostile: none breaks an invariant\n"
    assert (told.code, json.loads(told.out)) == (0, {"runs": 12, "findings": []})


@pytest.mark.usefixtures("planted")
def test_what_it_prints_shows_the_finding_again(call: Call) -> None:
    """One command, with one seed and the smallest schedule; and the moment, as a timeline."""
    found = call(*PANTRY, "--seat", "1=planted:PreviousMenu", "--runs", "25", "--steps", "40")
    again = next(line for line in found.out.splitlines() if "again: " in line).partition("again: ")[2]

    shown = call(*shlex.split(again)[1:])

    assert found.code == shown.code == 1
    problem = next(line for line in found.out.splitlines() if "was rejected for no fault" in line)
    assert problem in shown.out.splitlines()
    assert "0 of " in found.out
    assert "  tick  seat 0 random" in shown.out


@pytest.mark.usefixtures("planted")
def test_an_invariant_of_ones_own_is_asked(call: Call) -> None:
    """A function over a trace; those that come with hocket can be left out."""
    invariant = ("--invariant", "planted:all_is_done_in_five_ticks")

    holds = call(*PANTRY, "--seat", "1=random", "--runs", "5", "--faults", "ideal")
    broken = call(*PANTRY, "--seat", "1=random", "--runs", "5", "--faults", "ideal", *invariant, "--json")
    rest = call(*PANTRY, "--seat", "1=planted:PreviousMenu", "--runs", "25", "--without", "rejected_for_cause")

    assert holds.code == 0
    finding = json.loads(broken.out)["findings"][0]
    assert (broken.code, finding["invariant"]) == (1, "planted:all_is_done_in_five_ticks")
    assert finding["problem"].endswith("ticks")
    assert finding["faults"] == []
    assert rest.code == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--runs", "0"), "--runs is 0, but must be 1 to 10,000,000"),
        (("--seed", "-1"), "--seed is -1, but must be 0 or more, below 2^62"),
        (("--faults", "lousy"), "there is no fault profile 'lousy' (nearest: lossy)"),
        (("--without", "it_end"), "there is no invariant 'it_end' (nearest: it_ends)"),
        (("--fault", "drop:5:1:offer"), "seat 5 of drop:5:1:offer is not there: pantry has seats 0 to 1"),
        (("--fault", "drop:0:1:offer", "--faults", "lossy"), "but must be left out with --faults"),
        (("--invariant", "nowhere:check"), "MODULE:FUNCTION that imports from here (ModuleNotFoundError"),
        (("--seat", "1=llm:nowhere"), "model nowhere:"),
        (("--fallback", "llm"), "fallback is 'llm', but must be an agent that is no language model"),
        (("--processes", "0"), "--processes is 0, but must be 1 to 4096"),
    ],
)
def test_a_mistake_is_told_in_one_sentence(words: tuple[str, ...], sentence: str, call: Call) -> None:
    """Exit code 2, nothing on stdout, and no traceback."""
    outcome = call("explore", "pantry", *words)

    assert (outcome.code, outcome.out) == (2, "")
    assert sentence in outcome.err
    assert outcome.err.count("\n") == 1
