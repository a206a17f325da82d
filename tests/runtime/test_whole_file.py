"""Files that are there whole, or not at all."""

import os
from pathlib import Path

import pytest

from hocket.runtime.errors import FileError
from hocket.runtime.whole_file import writable, write_whole


def test_a_file_that_cannot_be_written_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full in the middle of it, and nothing else is left in the folder."""
    path = tmp_path / "kept"
    write_whole(path, b"before")

    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(FileError, match="cannot be written: no space left on device"), writable(tmp_path):
        write_whole(path, b"after")

    assert path.read_bytes() == b"before"
    assert os.listdir(tmp_path) == ["kept"]  # noqa: PTH208


def test_only_what_the_disk_refuses_is_put_into_words(tmp_path: Path) -> None:
    """Any other error is what it is."""
    with pytest.raises(ZeroDivisionError), writable(tmp_path):
        _ = 1 / 0
