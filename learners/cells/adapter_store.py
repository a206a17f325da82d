"""Adapters kept beside what was played with them, under names that no other weights have.

    ADAPTERS/DIGEST/seat0       from seat0@v17 of some run

Every run calls its adapters `seat0@v17` and so on, and a process that plays the teams of several has
one name for one set of weights: a folder without a version is named for its digest. What is kept
is linked where that can be done, and stays when the run goes on and removes it.
"""

import os
import shutil
from contextlib import suppress
from pathlib import Path

from hocket.runtime.whole_file import writable


class AdapterStore:
    """Adapters in a folder, by digest."""

    def __init__(self, folder: Path) -> None:
        """Keep them there.

        Args:
            folder: for them; it is made when the first one comes, and may hold some already.
        """
        self._folder = folder

    def keep(self, adapter: Path, digest: str) -> Path:
        """Keep an adapter, whole or not at all; one of its digest that is there already is left as it is.

        Args:
            adapter: its folder, which is never changed.
            digest: of it.

        Returns:
            The folder in which it is kept, named without its version.

        Raises:
            FileError: it cannot be written.
        """
        place = self._folder / digest / adapter.name.partition("@")[0]
        if place.is_dir():
            return place
        torn = place.with_name(f".{place.name}.{os.getpid()}")
        try:
            with writable(self._folder):
                torn.mkdir(parents=True, exist_ok=True)
                for file in sorted(adapter.iterdir()):
                    if file.is_file():
                        _put(file, torn / file.name)
                torn.rename(place)
        finally:
            shutil.rmtree(torn, ignore_errors=True)
        return place


def _put(file: Path, there: Path) -> None:
    """Link a file, or copy it where the disk has no links; what stood there is replaced."""
    with suppress(FileNotFoundError):
        there.unlink()
    try:
        there.hardlink_to(file)
    except OSError:
        shutil.copyfile(file, there)
