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
from math import isfinite
from pathlib import Path
from typing import IO

from hocket.replays.frames import pack
from hocket.replays.trace import Header, Lines, begins_a_trace
from hocket.runtime.errors import EpisodeError, TracePathError
from hocket.runtime.events import Event, GameEvent, Stepped

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
        """Add an event; it reaches the file with the next `flush`.

        Raises:
            EpisodeError: the game's rewards or events are such that they could not be read back.
        """
        if isinstance(event, Stepped) and not _readable(event):
            problem = "its rewards or events are not finite numbers and GameEvents, which no trace can hold"
            raise EpisodeError(part="game", tick=event.tick, problem=problem)
        try:
            self._waiting.append(self._lines.line(event))
        except (TypeError, ValueError, OverflowError) as error:
            problem = f"{type(event).__name__} cannot be written as JSON: {error}"
            raise EpisodeError(part="recorder", tick=event.tick, problem=problem) from error

    def flush(self) -> None:
        """Hand what was written to the operating system; of compressed traces, whole frames only."""
        size = self._frame or max(1, len(self._waiting))
        while len(self._waiting) >= size:
            self._put(size)

    def close(self) -> None:
        """Write what is left and close the file; closing twice does nothing."""
        try:
            if self._waiting and not self._file.closed:
                self._put(len(self._waiting))
        finally:
            self._file.close()

    def _put(self, lines: int) -> None:
        """Write some of the waiting lines; where that fails they are given up, so that none comes twice."""
        data, self._waiting = self._pack(b"".join(self._waiting[:lines])), self._waiting[lines:]
        try:
            with _as_path_error(self.path):
                _write(self._file, data)
        except BaseException:
            self._waiting = []
            self._file.close()
            raise

    def _pack(self, data: bytes) -> bytes:
        return pack(data) if self._frame else data


def _readable(event: Stepped) -> bool:
    return all(type(reward) in (float, int) and isfinite(reward) for reward in event.rewards) and all(
        type(each) is GameEvent and isfinite(each.amount) for each in event.events
    )


def _begin(path: Path, first: bytes) -> IO[bytes]:
    if path.is_dir():
        raise TracePathError(path=path, problem="is a folder; name a file")
    if path.exists() and not path.is_file():
        return _begun(path.open("wb", buffering=0), first)
    with _alone_in(path.parent):
        if path.exists():
            with path.open("rb") as old:
                _lock(old, path)
                _check_is_trace(old, path)
        return _replace(Path(os.path.realpath(path)), first)


def _check_is_trace(old: IO[bytes], path: Path) -> None:
    """Let nothing be replaced that is no trace, nor the beginning of one."""
    if not begins_a_trace(old.read(16)):
        raise TracePathError(path=path, problem="is there and is no trace, so it is not replaced; name another file")


def _replace(path: Path, first: bytes) -> IO[bytes]:
    """Put a new file in the place of `path`, and hold its lock."""
    handle, name = tempfile.mkstemp(prefix=".hocket-", dir=path.parent)
    try:
        file = _begun(os.fdopen(handle, "wb", buffering=0), first)
        _lock(file, path)
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return file


def _begun(file: IO[bytes], first: bytes) -> IO[bytes]:
    try:
        _write(file, first)
    except BaseException:
        file.close()
        raise
    return file


def _write(file: IO[bytes], data: bytes) -> None:
    """Write all of it, unbuffered: what has failed once must not be tried again at the closing."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]


@contextlib.contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Let one trace begin in a folder at a time."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


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
        folder = Path(os.path.realpath(path)).parent if path.is_symlink() else path.parent
        raise TracePathError(path=path, problem=f"the folder {folder} is not there") from error
    except OSError as error:
        raise TracePathError(
            path=path, problem=f"cannot be written: {(error.strerror or str(error)).lower()}"
        ) from error
