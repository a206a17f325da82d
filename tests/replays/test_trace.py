"""The file format of a trace, and what is said of files that are none."""

import os
import time
from pathlib import Path

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from hocket.replays.line import chain, put_together, take_apart
from hocket.replays.trace import SCHEMA, AgentMark, Header, Lines, Trace, encode_event, encode_trace, read_trace
from hocket.replays.writer import TraceWriter
from hocket.runtime.errors import HocketError, TraceError, TracePathError
from hocket.runtime.events import ChoiceRejected, OptionChosen, Receipt, Stepped


def _read(content: bytes, path: Path) -> Trace:
    path.write_bytes(content)
    return read_trace(path)


def _refused(content: bytes, path: Path) -> str:
    with pytest.raises(TraceError) as caught:
        _read(content, path)
    return str(caught.value).removeprefix(str(path))


def test_the_file_format(played: Trace, snapshot: SnapshotAssertion) -> None:
    """A change of this snapshot is a change of schema; only versions of packages and the library's digest may vary."""
    library = msgspec.structs.replace(played.header.library, digest="of the library")
    header = msgspec.structs.replace(played.header, versions={"hocket": "0"}, library=library)

    content = encode_trace(header, played.events)

    assert content.decode() == snapshot


def test_the_header_says_which_versions_can_change_a_number(header: Header) -> None:
    """And nothing of wall time, machine or path."""
    text = encode_event(header).decode()

    assert sorted(header.versions) == ["hocket", "msgspec", "numpy", "python"]
    assert not any(word in text for word in (os.uname().nodename, str(Path.cwd()), str(Path.home())))


def test_what_is_written_is_read(played: Trace, tmp_path: Path) -> None:
    """Header and events are the same values again, and encode to the same bytes."""
    content = encode_trace(played.header, played.events)

    trace = _read(content, tmp_path / "ada.jsonl")

    assert (trace.header, trace.events, trace.torn, trace.ended) == (played.header, played.events, False, True)
    assert encode_trace(trace.header, trace.events) == content


def test_the_language_models_of_an_episode_stand_in_its_header(header: Header, tmp_path: Path) -> None:
    """With all that their answers depend on; style and prefix are kept as they were."""
    style = {"profile": "full", "scorer": "letter", "temperature": 1.0, "grammar": False, "most_tokens": 48}
    mark = AgentMark("local", "toy", "b" * 16, "seat0@v1", "a" * 16, style, (1, 2, 3), {"torch": "2.0"})
    marked = msgspec.structs.replace(header, agents={"llm:toy#seat0@v1": mark})

    trace = _read(encode_trace(marked, ()), tmp_path / "ada.jsonl")

    assert trace.header == marked
    assert trace.header.agents["llm:toy#seat0@v1"] == mark
    assert encode_trace(trace.header, ()) == encode_trace(marked, ())


def test_a_trace_from_before_there_were_language_models_is_read(header: Header, played: Trace, tmp_path: Path) -> None:
    """It has no marks and its rejections no receipts; nothing else is new."""
    fields = {name: getattr(header, name) for name in header.__struct_fields__ if name != "agents"}
    older = msgspec.defstruct("Older", [(name, object) for name in fields])(**fields)

    class Rejected(msgspec.Struct, tag="choice_rejected", tag_field="type"):
        tick: int = 0
        seat: int = 1
        decision: int = 0
        reason: str = "malformed"
        detail: str = "a str, not a Choice"

    content = encode_trace(older, [Rejected()])  # type: ignore[arg-type, list-item]
    trace = _read(content, tmp_path / "ada.jsonl")

    assert b"agents" not in content
    assert b"receipt" not in content
    assert trace.header == header
    assert trace.header.agents == {}
    assert trace.events == (ChoiceRejected(0, 1, 0, "malformed", "a str, not a Choice"),)


def test_a_whole_receipt_is_read_as_it_was_written(header: Header, tmp_path: Path) -> None:
    """Of a choice and of a rejection, to the last bit of each number."""
    receipt = Receipt(
        -1 / 3, "local", "b", "seat0@v1", "a", "", "text", 0.1, (1, 2), (-0.1, -2.3), 0, (-1e-17,), (9,), 3, 2
    )
    events = (
        ChoiceRejected(0, 0, 3, "malformed", "1 lines, not two: ''", receipt),
        OptionChosen(0, 0, 3, 0, "wait", "ada", receipt),
    )

    content = encode_trace(header, events)
    trace = _read(content, tmp_path / "ada.jsonl")

    assert trace.events == events
    assert encode_trace(trace.header, trace.events) == content


def test_every_line_is_canonical_json(played: Trace) -> None:
    """Sorted keys and no spaces, so that equal episodes are equal bytes."""
    lines = encode_trace(played.header, played.events).splitlines()

    assert all(msgspec.json.encode(msgspec.json.decode(line), order="sorted") == line for line in lines)


def test_a_tail_cut_anywhere_is_torn_and_the_rest_readable(played: Trace, tmp_path: Path) -> None:
    """A crash leaves any number of the last bytes out; a cut between two lines only leaves no end."""
    content = encode_trace(played.header, played.events)
    lines = content.splitlines(keepends=True)
    last = len(content) - sum(map(len, lines[-3:]))

    for size in range(last, len(content)):
        trace = _read(content[:size], tmp_path / "ada.jsonl")
        assert trace.torn == (content[size - 1 : size] != b"\n")
        assert trace.events == played.events[: content.count(b"\n", 0, size) - 1]
        assert not trace.ended


def test_a_compressed_tail_cut_anywhere_loses_its_frame_only(played: Trace, tmp_path: Path) -> None:
    """What stands in the frames before is readable."""
    path = tmp_path / "ada.jsonl.zst"
    writer = TraceWriter(path, played.header)
    sizes = [path.stat().st_size]
    for event in played.events:
        writer.write(event)
        writer.flush()
        sizes.append(path.stat().st_size)
    writer.close()
    content, start = path.read_bytes(), sizes[-1]
    whole = 64 * (len(played.events) // 64)

    assert read_trace(path).events == played.events
    for size in range(start, len(content)):
        trace = _read(content[:size], path)
        assert (trace.torn, trace.events) == (size > start, played.events[:whole])


def test_a_compressed_file_cut_within_its_header_says_so(header: Header, tmp_path: Path) -> None:
    """There is nothing to read then."""
    path = tmp_path / "ada.jsonl.zst"
    TraceWriter(path, header).close()
    content = path.read_bytes()

    problems = {_refused(content[:size], path) for size in range(1, len(content))}

    assert problems == {": is cut within its first line"}


def test_a_changed_byte_in_a_compressed_trace_is_found_with_an_event_of_its_frame(
    played: Trace, tmp_path: Path
) -> None:
    """The events of the frames before were read and were sound, so it is the first of the frame that is named."""
    path = tmp_path / "ada.jsonl.zst"
    writer = TraceWriter(path, played.header)
    for event in played.events:
        writer.write(event)
    edges = [path.stat().st_size]
    writer.flush()
    edges.append(path.stat().st_size)
    writer.close()
    content = path.read_bytes()

    for place in range(0, len(content), 3):
        changed = content[:place] + bytes([content[place] ^ 0x41]) + content[place + 1 :]
        with pytest.raises(TraceError) as caught:
            _read(changed, path)
        assert caught.value.number == (0 if place < edges[0] else 1 if place < edges[1] else 65)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", ": is empty"),
        (b'{"hash":"0', ": is cut within its first line"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", ": is not a trace: its first line is no header"),
        (b"\n", ": is not a trace: its first line is no header"),
        (b'{"kind":"recipe"}\n', ": is not a trace: its first line is no header"),
        (b"3", ": is not a trace: its first line is no header"),
        (b"\xff" * 5_000_000, ": is not a trace: its first line is no header"),
        (b'{"hash":"' + b"a" * 5_000_000 + b"\n", ", event 0: is not a line of a trace: it cannot be read"),
        (b"[" * 100_000 + b"\n", ": is not a trace: its first line is no header"),
    ],
    ids=["empty", "cut", "binary", "newline", "JSON", "a number", "huge", "huge and alike", "nested"],
)
def test_a_file_that_is_no_trace_is_refused_in_a_sentence(content: bytes, problem: str, tmp_path: Path) -> None:
    """Whatever it holds, however large its first line is, and at once."""
    began = time.monotonic()

    refusal = _refused(content, tmp_path / "ada.jsonl")

    assert refusal == problem
    assert time.monotonic() - began < 2


@pytest.mark.parametrize("content", [b"ada", b"\x28\xb5\x2f\xfd\x00", b"\0" * 99])
def test_a_file_that_only_says_it_is_compressed_is_refused(content: bytes, tmp_path: Path) -> None:
    """Whether it was damaged or never a trace cannot be told."""
    assert _refused(content, tmp_path / "ada.jsonl.zst") == (
        ", event 0: stands in a zstandard frame that is damaged, or none of ours"
    )


def test_a_place_where_nothing_can_be_read_is_named(tmp_path: Path) -> None:
    """A file that is not there, a folder, a device that would never end."""
    places = [tmp_path / "nobody.jsonl", tmp_path, Path(os.devnull), tmp_path / "a.jsonl" / "b", Path("/dev/zero")]

    said = []
    for place in places:
        with pytest.raises(TracePathError) as caught:
            read_trace(place)
        said.append(str(caught.value).removeprefix(f"{place}: "))

    device = "is a device, not a trace"
    assert said == [
        "no such file or directory",
        "is a folder, not a trace",
        device,
        "no such file or directory",
        device,
    ]


def test_a_trace_that_may_not_be_read_is_refused(played: Trace, tmp_path: Path) -> None:
    """With the system's own words; root may read everything but the memory at address 0."""
    path = tmp_path / "ada.jsonl"
    path.write_bytes(encode_trace(played.header, played.events))
    path.chmod(0)

    with pytest.raises(TracePathError, match=r"permission denied|input/output error"):
        read_trace(Path("/proc/self/mem") if os.geteuid() == 0 else path)


def test_a_newer_schema_is_told_from_damage(header: Header, tmp_path: Path) -> None:
    """Whether or not its lines are still hashed as ours are."""
    newer = encode_trace(msgspec.structs.replace(header, schema=SCHEMA + 1), ())
    otherwise_hashed = b'{"hash":"sha3:77","header":{"schema":7},"n":0}\n'

    refusals = [_refused(content, tmp_path / "ada.jsonl") for content in (newer, otherwise_hashed)]

    assert refusals == [
        f", event 0, field schema: is of schema {schema}, but this version reads up to {SCHEMA}"
        for schema in (SCHEMA + 1, 7)
    ]


def test_lines_that_are_missing_in_the_middle_are_found(played: Trace, tmp_path: Path) -> None:
    """Cut out, doubled or exchanged: the first line in a wrong place is named."""
    lines = encode_trace(played.header, played.events).splitlines(keepends=True)
    without = [*lines[:5], *lines[8:]]
    doubled = [*lines[:6], *lines[5:]]
    exchanged = [*lines[:5], lines[6], lines[5], *lines[7:]]

    for content, number in ((without, 5), (doubled, 6), (exchanged, 5)):
        assert _refused(b"".join(content), tmp_path / "ada.jsonl").startswith(f", event {number}")


def test_time_that_runs_backwards_is_refused(header: Header, tmp_path: Path) -> None:
    """Even where the hashes are right."""
    events = [Stepped(tick, (4, 4), (0.0, 0.0)) for tick in (0, 1, 0)]

    refusal = _refused(encode_trace(header, events), tmp_path / "ada.jsonl")

    assert refusal == ", event 3 (tick 0), field tick: tick 0 follows 1"


@pytest.mark.parametrize("kind", [b"stopped", b"stepped_2"])
def test_an_event_of_no_known_kind_is_refused(header: Header, kind: bytes, tmp_path: Path) -> None:
    """A later version may have new ones; to leave them out would be to agree with what was not read."""

    class Other(msgspec.Struct, tag=kind.decode(), tag_field="type"):
        tick: int = 0

    refusal = _refused(encode_trace(header, [Other()]), tmp_path / "ada.jsonl")  # type: ignore[list-item]

    assert refusal.startswith(", event 1: is no event that this version knows: Invalid value")


@pytest.mark.parametrize("field", ["seed", "seats", "game", "library", "schema"])
def test_a_header_that_says_nonsense_is_refused(header: Header, field: str, tmp_path: Path) -> None:
    """Even where its hash is right."""
    nonsense = msgspec.structs.replace(header, **{field: [["?"]]})

    refusal = _refused(encode_trace(nonsense, ()), tmp_path / "ada.jsonl")

    assert refusal.startswith(", event 0: header cannot be read: Expected")
    assert f"$.{field}" in refusal


def test_a_hundred_thousand_events_are_read_in_a_moment(header: Header, tmp_path: Path) -> None:
    """A folder of traces is what a learner learns from."""
    content = encode_trace(header, [Stepped(tick, (4, 4), (0.0, 0.0)) for tick in range(100_000)])
    began = time.monotonic()

    trace = _read(content, tmp_path / "ada.jsonl")

    assert len(trace.events) == 100_000
    assert time.monotonic() - began < 5


def test_every_refusal_is_the_user_s_mistake() -> None:
    """So the front door says it in a sentence."""
    assert issubclass(TraceError, HocketError)
    assert issubclass(TracePathError, HocketError)


def test_an_event_that_is_nested_too_deeply_is_named(header: Header, tmp_path: Path) -> None:
    """Its hash is right, and still nobody can read it."""
    first = Lines(header).first
    body = b'{"events":' + b"[" * 100_000
    path = tmp_path / "deep.jsonl"
    path.write_bytes(first + put_together(body, chain(take_apart(first, 0)[1], body), 1))

    with pytest.raises(TraceError, match=r"deep.jsonl, event 1: is no event that this version knows"):
        read_trace(path)
