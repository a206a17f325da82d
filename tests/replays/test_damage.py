"""One changed byte in a trace is found, and named."""

import itertools
import json
import re
import time
from pathlib import Path

import msgspec
import pytest

from hocket.replays.damage import find_damage, hopeless
from hocket.replays.line import chain, put_together
from hocket.replays.trace import Trace, encode_event, encode_trace, read_trace
from hocket.runtime.errors import TraceError
from hocket.runtime.events import AgentFailed, OptionChosen, Stepped


@pytest.fixture(scope="module")
def short(played: Trace) -> Trace:
    """A short trace: how long it takes to find a byte grows with the square of its line."""
    header = msgspec.structs.replace(played.header, versions={})
    chosen = next(number for number, event in enumerate(played.events) if isinstance(event, OptionChosen))
    happened = next(number for number, event in enumerate(played.events) if isinstance(event, Stepped) and event.events)
    failed = AgentFailed(played.events[happened].tick, 0, "ada", "ValueError: “jar”")
    return Trace(header, (played.events[chosen], played.events[happened], failed))


def _damaged(content: bytes, place: int, byte: int, path: Path) -> TraceError:
    path.write_bytes(content[:place] + bytes([byte]) + content[place + 1 :])
    with pytest.raises(TraceError) as caught:
        read_trace(path)
    return caught.value


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("number", range(4), ids=["header", "input", "derived", "letters beyond ASCII"])
def test_every_changed_byte_is_found_and_named(short: Trace, number: int, tmp_path: Path) -> None:
    """The number of the event always; tick and field where the line can still be read."""
    content = encode_trace(short.header, short.events)
    start = sum(len(line) for line in content.splitlines(keepends=True)[:number])
    line = content.splitlines(keepends=True)[number]
    tick = short.events[number - 1].tick if number else None

    for place, byte in enumerate(line):
        for other in (ord("7") if byte != ord("7") else ord("x"), 0xE9):
            error = _damaged(content, start + place, other, tmp_path / "ada.jsonl")
            assert error.number == number, (place, other, str(error))
            if place < len(line) - 1:
                assert error.tick == tick, (place, other, str(error))
                changed = line[:place] + bytes([other]) + line[place + 1 :]
                assert not _is_json(changed) or error.field, (place, other, str(error))
            assert f"event {number}" in str(error)


def test_every_byte_that_can_be_printed_is_found_in_every_place_of_a_number(short: Trace, tmp_path: Path) -> None:
    """0.0 and 0e0 are equal and still two texts; 1.5 and 1,5 are not even of one shape."""
    content = encode_trace(short.header, short.events)
    found = re.search(rb'"rewards":\[([^\]]+)', content)
    assert found is not None

    for place, other in itertools.product(range(*found.span(1)), range(0x20, 0x7F)):
        if content[place] != other:
            error = _damaged(content, place, other, tmp_path / "ada.jsonl")
            assert (error.number, error.tick) == (2, short.events[1].tick)


@pytest.mark.parametrize("place", [-1, 0, 1])
@pytest.mark.parametrize("byte", b" x}\xff")
def test_a_changed_end_of_line_is_no_torn_tail(short: Trace, place: int, byte: int, tmp_path: Path) -> None:
    """A crash cuts a file, it changes nothing: whether in the last line or before, the event is named."""
    content = encode_trace(short.header, short.events)
    ends = [number for number, each in enumerate(content) if each == ord("\n")]

    error = _damaged(content, ends[place], byte, tmp_path / "ada.jsonl")

    number = place % len(ends)
    assert error.number == number
    assert error.tick == (short.events[number - 1].tick if number else None)


def test_a_byte_that_became_an_end_of_line_is_found(short: Trace, tmp_path: Path) -> None:
    """It makes two lines of one, neither of which is whole."""
    content = encode_trace(short.header, short.events)
    start = content.index(b"\n") + 1

    numbers = {
        _damaged(content, place, ord("\n"), tmp_path / "ada.jsonl").number
        for place in range(start, content.index(b"\n", start))
    }

    assert numbers == {1}


def test_the_sentence_says_what_was_there_and_what_is() -> None:
    """So that a person can put it right by hand."""
    body = b'{"joint":[4,5],"rewards":[0.0,0.0],"tick":7,"type":"stepped"}'
    line = put_together(body, chain(b"before", body), 12).replace(b"[4,5]", b"[4,3]")

    damage = find_damage(line, 12, b"before")

    assert damage is not None
    assert (damage.tick, damage.field, damage.problem) == (7, "joint.1", "is 3, but was recorded as 5")


def test_two_changed_bytes_are_damage_without_a_field(short: Trace, tmp_path: Path) -> None:
    """The event is named, and its tick as it stands there."""
    content = encode_trace(short.header, short.events).replace(b'"seat"', b'"SeAt"', 1)
    (tmp_path / "ada.jsonl").write_bytes(content)

    with pytest.raises(TraceError) as caught:
        read_trace(tmp_path / "ada.jsonl")

    assert (caught.value.number, caught.value.tick, caught.value.field) == (1, short.events[0].tick, None)


@pytest.mark.parametrize("line", [b"", b"\n", b"null\n", b"[]\n", b'{"event":3}\n', b"[" * 9000, b"\xff" * 99])
def test_what_was_never_a_line_is_hopeless(line: bytes) -> None:
    """Nothing in it is taken for granted."""
    assert find_damage(line, 3, b"before") is None
    assert hopeless(line).tick is None


def test_a_long_line_is_given_up_in_time(short: Trace, tmp_path: Path) -> None:
    """A megabyte would be searched for days: the event is named, and the search left out."""
    long = AgentFailed(3, 0, "ada", "x" * 1_000_000)
    content = encode_trace(short.header, [long])
    began = time.monotonic()

    error = _damaged(content, content.index(b"xxx") + 5, ord("y"), tmp_path / "ada.jsonl")

    assert (error.number, error.tick) == (1, 3)
    assert time.monotonic() - began < 2


def test_the_hash_of_a_long_line_is_mended_without_a_search(short: Trace, tmp_path: Path) -> None:
    """The body says what the hash should be."""
    long = AgentFailed(3, 0, "ada", "x" * 100_000)
    content = encode_trace(short.header, [long])
    place = content.rindex(b'"hash":"') + 10

    error = _damaged(content, place, ord("g"), tmp_path / "ada.jsonl")

    assert (error.number, error.tick, error.field) == (1, 3, "hash")
    assert len(encode_event(long)) > 100_000
