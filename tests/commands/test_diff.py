"""`hocket diff`: where two traces part."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

Call = Callable[..., Any]


@pytest.fixture
def compare(call: Call) -> Call:
    """Compare two traces of the pantry."""
    for name, seed in (("ada.jsonl", 1), ("bo.jsonl", 1), ("cy.jsonl", 2), ("ada.jsonl.zst", 1)):
        call("play", "pantry", "--seat", "0=random", "--seed", seed, "--steps", "9", "--trace", name)
    return lambda *words: call("diff", *words)


def test_equal_traces_give_exit_code_0(compare: Call) -> None:
    """Compression is no difference."""
    outcomes = [compare("ada.jsonl", "bo.jsonl"), compare("ada.jsonl", "ada.jsonl.zst")]

    assert [(outcome.code, outcome.out, outcome.err) for outcome in outcomes] == [(0, "the traces are equal\n", "")] * 2


def test_traces_that_part_give_exit_code_1(compare: Call) -> None:
    """A line for each field of the headers, and one for the first event."""
    outcome = compare("ada.jsonl", "cy.jsonl")

    lines = outcome.out.splitlines()
    assert outcome.code == 1
    assert lines[0] == "the header, field seed: 1 in ada.jsonl, 2 in cy.jsonl"
    assert lines[1].startswith("event ")
    assert len(lines) == 2


def test_differences_as_json_are_one_object(compare: Call) -> None:
    """With the same exit codes."""
    equal, other = compare("ada.jsonl", "bo.jsonl", "--json"), compare("ada.jsonl", "cy.jsonl", "--json")

    assert (equal.code, msgspec.json.decode(equal.out)) == (0, {"equal": True, "differences": []})
    found = msgspec.json.decode(other.out)
    assert (other.code, found["equal"]) == (1, False)
    assert found["differences"][0] == {"number": 0, "tick": None, "field": "seed", "one": 1, "other": 2}


def test_a_trace_that_is_not_there_gives_exit_code_2(compare: Call) -> None:
    """It is neither equal nor different."""
    outcome = compare("ada.jsonl", "nobody.jsonl")

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "hocket: nobody.jsonl: no such file or directory\n"
