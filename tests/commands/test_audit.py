"""`hocket audit` as a user runs it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

Call = Callable[..., Any]
KITCHEN = "overcooked:cramped_room"


@pytest.fixture
def traces(call: Call, kitchen: Path) -> Path:
    """A folder with two episodes of a cook and an idle partner, one of them further down."""
    folder = kitchen / "kept"
    (folder / "more").mkdir(parents=True)
    for seed, place in ((1, folder / "one.jsonl"), (2, folder / "more" / "two.jsonl.zst")):
        seats = ("--seat", "0=scripted:cook", "--seat", "1=idle")
        assert call("play", KITCHEN, *seats, "--seed", seed, "--steps", 200, "--json", "--trace", place).code == 0
    return folder


def test_a_folder_is_audited_whole(call: Call, traces: Path) -> None:
    """A table an audit; the plain thing first."""
    found = call("audit", traces)

    assert (found.code, found.err) == (0, "")
    lines = found.out.splitlines()
    assert lines[0] == f"{KITCHEN}, 2 traces, 200 ticks"
    assert lines[1].startswith("team return ")
    assert lines[2:4] == ["seat 0: scripted:cook", "seat 1: idle"]
    assert lines[4] == "seat 1 idles: it does nothing in 100% of its ticks"
    assert "beams: there is no cleaning beam in this game" in lines
    for audit in ("shares", "work", "handoffs", "territory", "social", "letters"):
        assert any(line.startswith(audit) and "seat 1" in line for line in lines)


def test_json_holds_every_number(call: Call, traces: Path) -> None:
    """Rows as they are printed, and the counts that they come from."""
    found = call("audit", traces, "--only", "work", "--only", "territory", "--json")

    told = msgspec.json.decode(found.out)
    assert list(told["audits"]) == ["work", "territory"]
    assert told["audits"]["work"]["rows"][0]["seats"] == [1.0, 0.0]
    counts = told["audits"]["territory"]["counts"]
    assert [sum(map_) for map_ in counts["visits"]] == [400, 400]
    assert told["traces"] == 2
    assert told["holders"] == [{"scripted:cook": 2}, {"idle": 2}]


def test_one_trace_has_no_interval(call: Call, traces: Path) -> None:
    """And it is said so."""
    found = call("audit", traces / "one.jsonl", "--only", "work")

    assert found.out.splitlines()[1].endswith(": one trace, so no interval")
    assert "[" not in found.out.splitlines()[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nowhere.jsonl",), "nowhere.jsonl: no such file or directory"),
        (("empty",), "empty: is a folder without a trace"),
        (("kept", "--only", "hands"), "there is no audit 'hands' (nearest: handoffs"),
        (("kept", "other.jsonl"), "other.jsonl: is of pantry, but "),
        (("kept", "cut.jsonl"), "cut.jsonl: is cut within its first line"),
        ((), "Missing argument 'TRACE...'"),
    ],
)
def test_a_mistake_is_one_sentence(call: Call, traces: Path, words: tuple[str, ...], said: str) -> None:
    """With the exit code of a user's mistake, and nothing on stdout."""
    Path("empty").mkdir()
    call("play", "pantry", "--seat", "0=random", "--seat", "1=random", "--json", "--trace", "other.jsonl")
    Path("cut.jsonl").write_bytes((traces / "one.jsonl").read_bytes()[:100])

    found = call("audit", *words)

    assert (found.code, found.out) == (2, "")
    assert said in found.err
    assert "Traceback" not in found.err


def test_a_torn_trace_counts_as_far_as_it_goes(call: Call, traces: Path) -> None:
    """What a crash left is still evidence."""
    whole = (traces / "one.jsonl").read_bytes()
    (traces / "one.jsonl").write_bytes(whole[: len(whole) // 2])

    found = call("audit", traces, "--only", "shares")

    assert found.code == 0
    assert found.out.splitlines()[4] == "note: 1 of 2 traces are torn: they count as far as they go"
