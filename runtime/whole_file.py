"""A file that is there whole, or not at all."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hocket.runtime.errors import FileError


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under another name first, then give it its own.

    Raises:
        OSError: it cannot be written; what stood there before still does.
    """
    temporary = path.parent / f".{path.name}.{os.getpid()}-{threading.get_ident()}"
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink()


@contextmanager
def writable(folder: Path) -> Iterator[None]:
    """Say it of a folder where something in it cannot be made or written.

    Raises:
        FileError: in place of an OSError.
    """
    try:
        yield
    except OSError as error:
        said = (error.strerror or str(error)).lower()
        raise FileError(path=folder, problem=f"cannot be written: {said}") from error
