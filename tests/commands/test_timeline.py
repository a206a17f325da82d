"""`hocket timeline`: a trace as text."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hocket.replays.timeline import timeline
from hocket.replays.trace import read_trace

Call = Callable[..., Any]


@pytest.fixture
def played(call: Call) -> Path:
    """An episode of two random cooks."""
    call("play", "pantry", "--seat", "0=random", "--seat", "1=random", "--steps", "20", "--trace", "ada.jsonl")
    return Path("ada.jsonl")


def test_a_timeline_is_printed_line_by_line(played: Path, call: Call) -> None:
    """As the trace gives it."""
    outcome = call("timeline", played)

    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.splitlines() == list(timeline(read_trace(played)))


def test_a_trace_as_json_is_one_object(played: Path, call: Call) -> None:
    """The header and every event, as they stand in the file."""
    outcome = call("timeline", played, "--json")

    found = msgspec.json.decode(outcome.out)
    lines = [msgspec.json.decode(line) for line in played.read_bytes().splitlines()]
    assert found == {
        "header": lines[0]["header"],
        "events": [line["event"] for line in lines[1:]],
        "torn": False,
    }


def test_a_torn_trace_is_shown_with_a_note(played: Path, call: Call) -> None:
    """The note goes to standard error."""
    played.write_bytes(played.read_bytes()[:-20])

    outcome = call("timeline", played)

    assert outcome.code == 0
    assert outcome.err == "note: the trace is torn: it ends in the middle of a line\n"
