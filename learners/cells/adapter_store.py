"""Adapters kept beside what was played with them, under names that no other weights have.

    ADAPTERS/DIGEST/seat0       from seat0@v17 of some run

Every run calls its adapters `seat0@v17` and so on, and a process that plays the teams of several has
one name for one set of weights: a folder without a version is named for its digest. What is kept is a
copy: whatever becomes of the run, by removal or by a file that is written over, it stays as it is.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from hocket.agents.adapter import WEIGHTS, adapter_digest
from hocket.runtime.errors import FileError
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
        """Keep an adapter, whole or not at all; one that is there already is left as long as it is the same.

        Args:
            adapter: its folder, which is never changed.
            digest: of it.

        Returns:
            The folder in which it is kept, named without its version.

        Raises:
            FileError: it cannot be written, or is another by now than that of the digest.
        """
        place = self._folder / digest / adapter.name.partition("@")[0]
        if _same(adapter, place, digest):
            return place
        torn = place.with_name(f".{place.name}.{os.getpid()}")
        try:
            with writable(self._folder):
                _copy(adapter, torn)
                if not _same(adapter, torn, digest):
                    raise FileError(path=adapter, problem="was changed while it was copied")
                if place.is_dir():
                    shutil.rmtree(place)
                torn.rename(place)
        finally:
            shutil.rmtree(torn, ignore_errors=True)
        return place


def _same(adapter: Path, place: Path, digest: str) -> bool:
    """Tell whether a folder holds weights of a digest, and beside them what stands beside those of an adapter."""
    with suppress(OSError):
        beside = (file for file in _files(adapter) if file.name != WEIGHTS)
        return adapter_digest(place) == digest and all(
            (place / file.name).read_bytes() == file.read_bytes() for file in beside
        )
    return False


def _copy(adapter: Path, there: Path) -> None:
    """Copy the files of an adapter into a new folder; what a process that was killed has left there is removed."""
    shutil.rmtree(there, ignore_errors=True)
    there.mkdir(parents=True)
    for file in _files(adapter):
        shutil.copyfile(file, there / file.name)


def _files(adapter: Path) -> Iterator[Path]:
    return (file for file in sorted(adapter.iterdir()) if file.is_file())
