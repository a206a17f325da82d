"""The published schema is that of the structs, and traces keep to it."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from hocket.recipe import Recipe, Simulation
from hocket.replays.fault_file import read_profile
from hocket.replays.schema import trace_schema
from hocket.replays.trace import encode_trace, read_trace
from hocket.runtime.contract import Contract

ROOT = Path(__file__).parents[2]
TRACES = sorted((ROOT / "tests/traces").glob("*.jsonl*"))


def _lines(path: Path) -> list[Any]:
    trace = read_trace(path)
    return [json.loads(line) for line in encode_trace(trace.header, trace.events).splitlines()]


def test_the_published_schema_is_that_of_the_structs() -> None:
    """Made again by: python -m hocket.replays.schema > docs/trace.schema.json."""
    assert json.loads((ROOT / "docs/trace.schema.json").read_text("utf-8")) == json.loads(json.dumps(trace_schema()))


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name)
def test_recorded_traces_keep_to_the_schema(path: Path) -> None:
    """Line by line; the schema itself is sound."""
    Draft202012Validator.check_schema(trace_schema())
    validator = Draft202012Validator(trace_schema())

    wrong = [error.message for line in _lines(path) for error in validator.iter_errors(line)]

    assert not wrong, wrong[:3]


def test_a_simulated_trace_keeps_to_the_schema() -> None:
    """Its header has terms, and its events faults."""
    contracts = {seat: Contract(deadline=12, meanwhile="wait", misses=2, back=10) for seat in range(2)}
    recipe = Recipe(game="pantry", profile=read_profile("hostile"), contracts=contracts, seats={0: "random"})
    trace = Simulation(recipe).play(3)[0].trace
    validator = Draft202012Validator(trace_schema())

    lines = [json.loads(line) for line in encode_trace(trace.header, trace.events).splitlines()]

    assert "terms" in lines[0]["header"]
    assert "fault_injected" in {line["event"]["type"] for line in lines[1:]}
    assert all(validator.is_valid(line) for line in lines)


@pytest.mark.parametrize(
    "change",
    [
        {"n": -1},
        {"hash": "0"},
        {"event": {"type": "stepped", "tick": 1}},
        {"event": {"type": "teleported", "tick": 1}},
        {"more": 1},
    ],
    ids=str,
)
def test_a_line_that_is_none_is_told(change: dict[str, object]) -> None:
    """A schema that takes everything would be no schema."""
    line = _lines(TRACES[0])[3]
    validator = Draft202012Validator(trace_schema())

    assert validator.is_valid(line)
    assert not validator.is_valid(line | change)
