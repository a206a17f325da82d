"""A trace is appended in place; nothing that goes wrong costs more than its tail."""

import os
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from hocket.replays.frames import pack
from hocket.replays.trace import Trace, encode_trace, read_trace
from hocket.replays.writer import FRAME, TraceWriter
from hocket.runtime.errors import TracePathError

Room = Callable[[], AbstractContextManager[None]]


def _write(path: Path, trace: Trace) -> None:
    writer = TraceWriter(path, trace.header)
    for event in trace.events:
        writer.write(event)
    writer.close()


def test_the_file_is_the_encoded_trace(played: Trace, tmp_path: Path) -> None:
    """Line by line it comes to the same bytes."""
    _write(tmp_path / "ada.jsonl", played)

    assert (tmp_path / "ada.jsonl").read_bytes() == encode_trace(played.header, played.events)


def test_what_was_flushed_is_there_for_others(played: Trace, tmp_path: Path) -> None:
    """Should the process be killed in the next moment, it is on the disk's side."""
    writer = TraceWriter(tmp_path / "ada.jsonl", played.header)
    for event in played.events[:5]:
        writer.write(event)
    before = read_trace(tmp_path / "ada.jsonl").events
    writer.flush()

    after = read_trace(tmp_path / "ada.jsonl").events

    assert (before, after) == ((), played.events[:5])
    writer.close()


def test_a_compressed_trace_grows_by_whole_frames(played: Trace, tmp_path: Path) -> None:
    """Flushing after every event would compress nothing; the last frame comes with the closing."""
    path = tmp_path / "ada.jsonl.zst"
    writer = TraceWriter(path, played.header)
    seen = set()
    for event in played.events:
        writer.write(event)
        writer.flush()
        seen.add(len(read_trace(path).events))
    writer.close()
    writer.close()

    assert len(played.events) > FRAME
    assert seen == set(range(0, len(played.events) + 1, FRAME))
    assert read_trace(path).events == played.events


@pytest.mark.parametrize("older", [b"", b'{"ha', b'{"hash":"0f and more', pack(b"lines"), pack(b"lines")[:5]])
def test_a_trace_that_stood_there_is_replaced_by_one_that_has_begun(
    played: Trace, older: bytes, tmp_path: Path
) -> None:
    """At no moment is there half a header; nothing else is left in the folder."""
    path = tmp_path / "ada.jsonl"
    path.write_bytes(older)

    TraceWriter(path, played.header).close()

    assert read_trace(path).header == played.header
    assert list(tmp_path.iterdir()) == [path]
    assert stat.S_IMODE(path.stat().st_mode) & 0o111 == 0


@pytest.mark.parametrize("other", [b"precious", b"[[link]]\n", b'{"cassette":1}\n', b"\x00" * 40])
def test_a_file_that_is_no_trace_is_not_replaced(played: Trace, other: bytes, tmp_path: Path) -> None:
    """A slip of the hand must not cost a profile, a cassette, or a thesis."""
    path = tmp_path / "ada.jsonl"
    path.write_bytes(other)

    with pytest.raises(TracePathError, match="is there and is no trace, so it is not replaced"):
        TraceWriter(path, played.header)

    assert path.read_bytes() == other
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(played: Trace, tmp_path: Path) -> None:
    """The trace takes the place of what it points to."""
    (tmp_path / "ada.jsonl").symlink_to("bo.jsonl")

    _write(tmp_path / "ada.jsonl", played)

    assert (tmp_path / "ada.jsonl").is_symlink()
    assert read_trace(tmp_path / "bo.jsonl").ended


def test_two_episodes_cannot_write_one_trace(played: Trace, tmp_path: Path) -> None:
    """The second is refused, the first goes on; after it the place is free."""
    path = tmp_path / "ada.jsonl"
    writer = TraceWriter(path, played.header)

    with pytest.raises(TracePathError, match=r"ada\.jsonl: is being written by another episode"):
        TraceWriter(path, played.header)

    for event in played.events:
        writer.write(event)
    writer.close()
    assert read_trace(path).events == played.events
    TraceWriter(path, played.header).close()
    assert list(tmp_path.iterdir()) == [path]


def test_of_many_that_begin_at_once_one_is_let_in(played: Trace, tmp_path: Path) -> None:
    """Where nothing stood before, there is nothing yet that could be locked."""

    def begin(_: int) -> TraceWriter | None:
        try:
            return TraceWriter(tmp_path / "ada.jsonl", played.header)
        except TracePathError:
            return None

    with ThreadPoolExecutor(16) as cooks:
        writers = [writer for writer in cooks.map(begin, range(64)) if writer is not None]

    assert len(writers) == 1
    writers[0].close()


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ("nowhere/ada.jsonl", "the folder {}/nowhere is not there"),
        (".", "is a folder; name a file"),
        ("file/ada.jsonl", "cannot be written: not a directory"),
        ("a" * 300, "cannot be written: file name too long"),
    ],
)
def test_a_place_where_nothing_can_be_written_is_named(place: str, problem: str, played: Trace, tmp_path: Path) -> None:
    """Nothing is left behind there."""
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(TracePathError) as caught:
        TraceWriter(tmp_path / place, played.header)

    assert str(caught.value) == f"{tmp_path / place}: {problem.format(tmp_path)}"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_device_is_written_to_and_not_replaced(played: Trace) -> None:
    """Root could otherwise put a file in the place of /dev/null."""
    _write(Path(os.devnull), played)

    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_device_is_said_to_be_full(played: Trace) -> None:
    """The header is the first that finds no room."""
    with pytest.raises(TracePathError, match="/dev/full: cannot be written: no space left on device"):
        TraceWriter("/dev/full", played.header)

    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


@pytest.mark.parametrize("name", ["ada.jsonl", "ada.jsonl.zst"])
def test_a_disk_that_fills_up_costs_the_tail_only(name: str, played: Trace, tmp_path: Path, little_room: Room) -> None:
    """It is said once; what was written is readable, and nothing is written twice at the closing."""
    writer = TraceWriter(tmp_path / name, played.header)

    def write() -> None:
        for event in played.events * 10:
            writer.write(event)
            writer.flush()

    with little_room():
        with pytest.raises(TracePathError, match=r"cannot be written: file too large"):
            write()
        size = (tmp_path / name).stat().st_size
        writer.close()

    trace = read_trace(tmp_path / name)
    assert trace.torn
    assert trace.events
    assert trace.events == played.events[: len(trace.events)]
    assert (tmp_path / name).stat().st_size == size
