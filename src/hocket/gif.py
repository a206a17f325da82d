"""One animated GIF, written frame by frame: only the last frame is kept in memory.

The frames go to a temporary file beside the film's place, and get its name at the end. That file is
a whole GIF after each of them, so that whatever ends an episode leaves what was filmed until then.
A frame holds the pixels that differ from the frame before, with a palette of its own: exact up to
255 colours, else the nearest of 255.
"""

import os
import struct
from contextlib import suppress
from errno import EEXIST
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from PIL.GifImagePlugin import getdata

from hocket.runtime.errors import FilmError

_WIDTH = 400
"""Pixels that a film is wide at least."""
_COLOURS = 255
"""In a frame, beside the one that stands for no change."""
_SHORTEST, _LONGEST = 2, 65535
"""Hundredths of a second that a frame can last; viewers take their time with shorter ones."""
_FOR_EVER = b"!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"
_END = b";"
_KEEP = 1
"""What a viewer does with a frame before it draws the next."""


class Gif:
    """Writes one file; pixels become squares, so that the film is at least 400 wide."""

    def __init__(self, path: Path, hz: float) -> None:
        """Begin a file.

        Args:
            path: of the film; a GIF that stands there is replaced at the end.
            hz: frames a second.

        Raises:
            FilmError: there is something else.
            OSError: no file can be made there.
        """
        if not _free(path):
            raise FilmError(path=path, problem="is there and is no GIF, so it is not replaced; name another file")
        self.path, self._hz = path, hz
        self._place = Path(os.path.realpath(path))
        self._temporary = self._place.parent / f".{self._place.name}.{os.getpid()}"
        self._file = self._temporary.open("wb", buffering=0)
        self._size = 0
        """Bytes of all frames that are whole."""
        self._before: NDArray[np.uint8] | None = None

    def take(self, tick: int, frame: NDArray[np.uint8]) -> None:
        """Add a frame.

        Raises:
            OSError: it cannot be written; the film ends with the one before.
        """
        frames = _block(frame, self._before, self._lasting(tick))
        if self._before is None:
            frames = _head(frame) + frames
        try:
            self._write(frames + _END)
        except OSError:
            with suppress(OSError):
                self._file.truncate(self._size)
                self._write(_END)
            raise
        self._size += len(frames)
        self._before = frame.copy()

    def close(self) -> None:
        """Put the film in its place.

        Raises:
            OSError: it cannot be put there.
        """
        if self._file.closed:
            return
        self._file.close()
        try:
            if self._size:
                if not _free(self.path):
                    raise FileExistsError(EEXIST, os.strerror(EEXIST), str(self.path))
                self._temporary.replace(self._place)
        finally:
            with suppress(OSError):
                self._temporary.unlink()

    def _write(self, data: bytes) -> None:
        """Write behind the last whole frame, unbuffered: what has failed must not be tried again later."""
        self._file.seek(self._size)
        rest = memoryview(data)
        while rest:
            rest = rest[self._file.write(rest) :]

    def _lasting(self, tick: int) -> int:
        """Return how long a frame lasts, in hundredths of a second; what is rounded off does not add up."""
        begins, ends = (round(100 * moment / self._hz) for moment in (tick, tick + 1))
        return min(max(ends - begins, _SHORTEST), _LONGEST)


def _free(path: Path) -> bool:
    """Whether nothing would be replaced but a GIF."""
    if not path.is_file():
        return not path.exists()
    with path.open("rb") as there:
        return there.read(4) == b"GIF8"


def _scaled(frame: NDArray[np.uint8]) -> tuple[int, int]:
    """Return width and height of the film."""
    height, width = frame.shape[:2]
    times = max(1, -(-_WIDTH // width))
    return width * times, height * times


def _head(frame: NDArray[np.uint8]) -> bytes:
    return b"GIF89a" + struct.pack("<HHBBB", *_scaled(frame), 0x70, 0, 0) + _FOR_EVER


def _block(frame: NDArray[np.uint8], before: NDArray[np.uint8] | None, lasting: int) -> bytes:
    picture = Image.fromarray(frame).quantize(_COLOURS)
    marks = np.array(picture)
    unchanged = int(marks.max()) + 1
    colours = (picture.getpalette() or [])[: 3 * unchanged]
    if before is not None:
        marks[(frame == before).all(axis=2)] = unchanged
    drawn = Image.fromarray(marks)
    drawn.putpalette([*colours, 0, 0, 0])
    drawn = drawn.resize(_scaled(frame), Image.Resampling.NEAREST)
    parts = getdata(drawn, duration=10 * lasting, disposal=_KEEP, transparency=unchanged, include_color_table=True)
    return b"".join(parts)
