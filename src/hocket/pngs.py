"""A folder of PNG files, one a tick."""

from contextlib import suppress
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from hocket.runtime.errors import FilmError
from hocket.runtime.whole_file import write_whole

_QUICK = 1
"""Of zlib's levels: half the time of the usual one, and files a third larger."""


class Pngs:
    """Writes 00000.png, 00001.png and so on, pixel for pixel; each is there whole or not at all."""

    def __init__(self, folder: Path) -> None:
        """Make the folder, where it is not there.

        Raises:
            FilmError: it is a file, or not empty.
            OSError: it cannot be made, or not be written.
        """
        self.path = folder
        self._made = self._taken = False
        if folder.exists() and not folder.is_dir():
            raise FilmError(path=folder, problem="is no folder; name one")
        if not folder.exists():
            folder.mkdir()
            self._made = True
        elif any(folder.iterdir()):
            raise FilmError(path=folder, problem="is not empty, and frames go to a folder of their own; name another")
        TemporaryFile(dir=folder).close()

    def take(self, tick: int, frame: NDArray[np.uint8]) -> None:
        """Write a frame.

        Raises:
            OSError: it cannot be written.
        """
        content = BytesIO()
        Image.fromarray(frame).save(content, "PNG", compress_level=_QUICK)
        write_whole(self.path / f"{tick:05}.png", content.getvalue())
        self._taken = True

    def close(self) -> None:
        """Take the folder away again, where it was made for nothing."""
        if self._made and not self._taken:
            with suppress(OSError):
                self.path.rmdir()
