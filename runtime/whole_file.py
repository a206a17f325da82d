"""A file that is there whole, or not at all."""

import os
import threading
from contextlib import suppress
from pathlib import Path


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
