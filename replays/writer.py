"""Writes a trace, appended in place, so that a crash loses no more than its tail.

The header goes to a temporary file that then takes the trace's name: what stood
there before is replaced only by a trace that has begun. A lock keeps two episodes
from writing one file.
"""

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import zstandard

from hocket.replays.trace import Header, Lines
from hocket.runtime.errors import TracePathError
from hocket.runtime.events import Event

FRAME = 64
"""Events in a zstandard frame."""


class TraceWriter:
    """An open trace."""

    def __init__(self, path: Path | str, header: Header) -> None:
        """Begin a trace.

        Raises:
            TracePathError: the folder is not there or not writable, the name is a folder's, or
                another episode is writing this file.
        """
        self.path = Path(path)
        self._lines = Lines(header)
        self._waiting: list[bytes] = []
        self._frame = FRAME if self.path.suffix == ".zst" else 0
        with _as_path_error(self.path):
            self._file = _begin(self.path, self._pack(self._lines.first))

    def write(self, event: Event) -> None:
        """Add an event; it reaches the file with the next `flush`."""
        self._waiting.append(self._lines.line(event))

    def flush(self) -> None:
        """Hand what was written to the operating system; of compressed traces, whole frames only."""
        if self._frame:
            while len(self._waiting) >= self._frame:
                frame, self._waiting = self._waiting[: self._frame], self._waiting[self._frame :]
                self._put(self._pack(b"".join(frame)))
        elif self._waiting:
            self._put(b"".join(self._waiting))
            self._waiting = []

    def close(self) -> None:
        """Write what is left and close the file; closing twice does nothing."""
        if self._file.closed:
            return
        try:
            if self._waiting:
                self._put(self._pack(b"".join(self._waiting)))
                self._waiting = []
        finally:
            self._file.close()

    def _put(self, data: bytes) -> None:
        with _as_path_error(self.path):
            self._file.write(data)
            self._file.flush()

    def _pack(self, data: bytes) -> bytes:
        return zstandard.ZstdCompressor(level=9).compress(data) if self._frame else data


def _begin(path: Path, first: bytes) -> IO[bytes]:
    if path.is_dir():
        raise TracePathError(path=path, problem="is a folder; name a file")
    if path.exists():
        with path.open("rb") as old:
            _lock(old, path)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    file = os.fdopen(handle, "wb")
    try:
        _lock(file, path)
        file.write(first)
        file.flush()
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(path)
    except BaseException:
        file.close()
        Path(name).unlink(missing_ok=True)
        raise
    return file


def _lock(file: IO[bytes], path: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise TracePathError(path=path, problem="is being written by another episode") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextlib.contextmanager
def _as_path_error(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise TracePathError(path=path, problem=f"the folder {path.parent} is not there") from error
    except OSError as error:
        raise TracePathError(
            path=path, problem=f"cannot be written: {(error.strerror or str(error)).lower()}"
        ) from error
