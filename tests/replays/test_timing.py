"""How long decisions took, beside a trace."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec
import pytest

from hocket.replays.timing import Timing, TimingFile

TIMING = Timing(0, 3, 17, 0.25)


@pytest.mark.parametrize("name", ["ada.jsonl", "ada.jsonl.zst", "ada.zst", "ada"])
def test_it_stands_beside_its_trace(name: str, tmp_path: Path) -> None:
    """Under the same name, compressed or not."""
    assert TimingFile(tmp_path / name).path == tmp_path / "ada.timing.jsonl"


def test_a_decision_is_a_line(tmp_path: Path) -> None:
    """There at once, for whoever watches; fields that say nothing are left out."""
    file = TimingFile(tmp_path / "ada.jsonl")

    file.write(TIMING)
    file.write(Timing(1, 4, 18, 0.5, cached=120, request="hocket-7", tries=2))

    lines = file.path.read_bytes().splitlines()
    assert lines == [
        b'{"seat":0,"decision":3,"tick":17,"seconds":0.25}',
        b'{"seat":1,"decision":4,"tick":18,"seconds":0.5,"cached":120,"request":"hocket-7","tries":2}',
    ]
    assert msgspec.json.decode(lines[0], type=Timing) == TIMING
    file.close()


def test_without_anything_to_tell_there_is_no_file(tmp_path: Path) -> None:
    """Most agents take no time worth telling; an older file of that name is not of this trace."""
    (tmp_path / "ada.timing.jsonl").write_text("of yesterday")

    file = TimingFile(tmp_path / "ada.jsonl")
    file.close()
    file.close()

    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_ends_the_file_and_not_the_episode(
    tmp_path: Path, little_room: Callable[[], AbstractContextManager[None]]
) -> None:
    """What has been written stays; nothing is raised, however often it is tried again."""
    file = TimingFile(tmp_path / "ada.jsonl")

    with little_room():
        for _ in range(200):
            file.write(TIMING)
    for _ in range(3):
        file.write(TIMING)
    file.close()

    lines = file.path.read_bytes().split(b"\n")
    assert len(file.path.read_bytes()) == 3000
    assert set(lines[:-1]) == {msgspec.json.encode(TIMING)}


def test_a_place_where_nothing_can_be_written_is_let_go(tmp_path: Path) -> None:
    """A folder of that name, or none to write to."""
    (tmp_path / "ada.timing.jsonl").mkdir()
    (tmp_path / "file").touch()

    for trace in (tmp_path / "ada.jsonl", tmp_path / "nowhere" / "ada.jsonl", tmp_path / "file" / "ada.jsonl"):
        file = TimingFile(trace)
        file.write(TIMING)
        file.write(TIMING)
        file.close()

    assert sorted(path.name for path in tmp_path.iterdir()) == ["ada.timing.jsonl", "file"]


def test_what_comes_after_the_end_is_let_go(tmp_path: Path) -> None:
    """An answer may still be on its way when the episode is over."""
    file = TimingFile(tmp_path / "ada.jsonl")
    file.write(TIMING)
    file.close()

    file.write(TIMING)

    assert file.path.read_bytes().count(b"\n") == 1
