"""How long decisions took, beside a trace."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec
import pytest

from hocket.replays.timing import Call, Timing, TimingFile

CALL = b'{"seconds":0.4,"requests":["a"],"cached_tokens":[9],"tries":2}'
TIMING = Timing(17, ((0, 3),), 0.25)


def beside(trace: Path) -> TimingFile:
    """The side file of a trace."""
    file = TimingFile()
    file.beside(trace)
    return file


@pytest.mark.parametrize("name", ["ada.jsonl", "ada.jsonl.zst", "ada.zst", "ada"])
def test_it_stands_beside_its_trace(name: str, tmp_path: Path) -> None:
    """Under the same name, compressed or not."""
    file = beside(tmp_path / name)

    file.write(TIMING)
    file.close()

    assert [path.name for path in tmp_path.iterdir()] == ["ada.timing.jsonl"]


def test_a_batch_of_decisions_is_a_line(tmp_path: Path) -> None:
    """There at once, for whoever watches; fields that say nothing are left out."""
    file = beside(tmp_path / "ada.jsonl")

    file.write(TIMING)
    file.write(Timing(18, ((0, 4),), 0.5, (Call(0.4, ("a",), (9,), 2),)))

    lines = (tmp_path / "ada.timing.jsonl").read_bytes().splitlines()
    assert lines == [
        b'{"tick":17,"decisions":[[0,3]],"seconds":0.25}',
        b'{"tick":18,"decisions":[[0,4]],"seconds":0.5,"calls":[%s]}' % CALL,
    ]
    assert msgspec.json.decode(lines[0], type=Timing) == TIMING
    file.close()


def test_without_anything_to_tell_nothing_is_touched(tmp_path: Path) -> None:
    """Most agents take no time worth telling, and what has that name may be somebody's."""
    (tmp_path / "ada.timing.jsonl").write_text("of yesterday", "utf-8")

    file = beside(tmp_path / "ada.jsonl")
    file.close()
    file.close()

    assert (tmp_path / "ada.timing.jsonl").read_text("utf-8") == "of yesterday"


def test_what_is_told_before_there_is_a_trace_is_let_go(tmp_path: Path) -> None:
    """A model is made before its episode is."""
    file = TimingFile()

    file.write(TIMING)

    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_ends_the_file_and_not_the_episode(
    tmp_path: Path, little_room: Callable[[], AbstractContextManager[None]]
) -> None:
    """What has been written stays; nothing is raised, however often it is tried again."""
    file = beside(tmp_path / "ada.jsonl")

    with little_room():
        for _ in range(200):
            file.write(TIMING)
    for _ in range(3):
        file.write(TIMING)
    file.close()

    content = (tmp_path / "ada.timing.jsonl").read_bytes()
    assert len(content) == 3000
    assert set(content.split(b"\n")[:-1]) == {msgspec.json.encode(TIMING)}


def test_a_place_where_nothing_can_be_written_is_let_go(tmp_path: Path) -> None:
    """A folder of that name, or none to write to."""
    (tmp_path / "ada.timing.jsonl").mkdir()
    (tmp_path / "file").touch()

    for trace in (tmp_path / "ada.jsonl", tmp_path / "nowhere" / "ada.jsonl", tmp_path / "file" / "ada.jsonl"):
        file = beside(trace)
        file.write(TIMING)
        file.write(TIMING)
        file.close()

    assert sorted(path.name for path in tmp_path.iterdir()) == ["ada.timing.jsonl", "file"]


def test_what_comes_after_the_end_is_let_go(tmp_path: Path) -> None:
    """An answer may still be on its way when the episode is over."""
    file = beside(tmp_path / "ada.jsonl")
    file.write(TIMING)
    file.close()

    file.write(TIMING)

    assert (tmp_path / "ada.timing.jsonl").read_bytes().count(b"\n") == 1
