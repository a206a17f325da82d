"""`hocket rerun`: does a trace come about again?"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hocket.replays.trace import encode_trace, read_trace
from hocket.runtime.events import Stepped
from hocket.runtime.game import GameSpec

Call = Callable[..., Any]


@pytest.fixture
def played(call: Call) -> Path:
    """An episode of two random cooks."""
    call("play", "pantry", "--seat", "0=random", "--seat", "1=random", "--steps", "20", "--trace", "ada.jsonl")
    return Path("ada.jsonl")


def _tampered(path: Path) -> int:
    """Double the reward of tick 3, hashes and all; return the event's number."""
    trace = read_trace(path)
    events = list(trace.events)
    number = next(place for place, event in enumerate(events) if isinstance(event, Stepped) and event.tick == 3)
    events[number] = msgspec.structs.replace(events[number], rewards=(2.0, 0.0))
    path.write_bytes(encode_trace(trace.header, events))
    return number + 1


def test_a_trace_that_agrees_gives_exit_code_0(played: Path, call: Call) -> None:
    """Compressed or not."""
    call("play", "pantry", "--seed", "3", "--trace", "bo.jsonl.zst")

    outcomes = [call("rerun", name) for name in ("ada.jsonl", "bo.jsonl.zst")]

    assert [(outcome.code, outcome.err) for outcome in outcomes] == [(0, ""), (0, "")]
    assert outcomes[0].out.startswith(f"ada.jsonl agrees: {len(read_trace(played).events)} events, return ")


def test_a_trace_that_parts_gives_exit_code_1(played: Path, call: Call) -> None:
    """The first event that differs is named, with its tick and field."""
    number = _tampered(played)

    outcome = call("rerun", played)

    assert outcome.code == 1
    assert outcome.out == (
        f"ada.jsonl does not agree: event {number} (tick 3), field rewards.0: 2.0 in the trace, 0.0 in the rerun\n"
    )


def test_a_verdict_as_json_is_one_object(played: Path, call: Call) -> None:
    """Whether it agrees or not."""
    good = call("rerun", played, "--json")
    number = _tampered(played)
    bad = call("rerun", played, "--json")

    verdict = msgspec.json.decode(bad.out)
    assert (good.code, bad.code) == (0, 1)
    assert msgspec.json.decode(good.out)["agrees"] is True
    assert (verdict["agrees"], verdict["events"]) == (False, number - 1)
    assert verdict["difference"] == {"number": number, "tick": 3, "field": "rewards.0", "one": 2.0, "other": 0.0}


def test_a_changed_byte_gives_exit_code_2(played: Path, call: Call) -> None:
    """Damage is no disagreement: what was recorded is not known any more."""
    content = played.read_bytes()
    played.write_bytes(content.replace(b'"joint":[4', b'"joint":[3', 1))

    outcome = call("rerun", played)

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("hocket: ada.jsonl, event ")
    assert "field joint.0: is 3, but was recorded as 4" in outcome.err


def test_a_torn_trace_agrees_with_a_note(played: Path, call: Call) -> None:
    """The note goes to standard error."""
    played.write_bytes(played.read_bytes()[:-20])
    count = len(read_trace(played).events)

    outcome = call("rerun", played)

    assert outcome.code == 0
    assert outcome.err == f"note: the trace is torn: it was cut after event {count}\n"


def test_a_trace_of_another_game_is_refused_in_one_sentence(played: Path, call: Call) -> None:
    """Of one that is not installed, or a kitchen that cannot be built."""
    trace = read_trace(played)
    said = []
    for spec in (GameSpec("chess", "chess", {}), GameSpec("overcooked", "overcooked:x", {"layout": {"grid": []}})):
        played.write_bytes(encode_trace(msgspec.structs.replace(trace.header, game=spec), trace.events))
        said.append(call("rerun", played))

    assert [(outcome.code, outcome.out, outcome.err.count("\n")) for outcome in said] == [(2, "", 1)] * 2
    assert said[0].err == "hocket: there is no game 'chess' (known: overcooked, pantry)\n"


@pytest.mark.parametrize("command", ["rerun", "timeline", "diff"])
@pytest.mark.parametrize("content", [None, b"", b"\x89PNG\r\n", b'{"kind":"recipe"}\n', b"[" * 100_000])
def test_what_is_no_trace_is_refused_in_one_sentence(command: str, content: bytes | None, call: Call) -> None:
    """By each command that reads one; None is a folder."""
    path = Path("bo.jsonl")
    path.mkdir() if content is None else path.write_bytes(content)

    outcome = call(command, path, *([path] if command == "diff" else []))

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("hocket: bo.jsonl: is ")
    assert outcome.err.count("\n") == 1
