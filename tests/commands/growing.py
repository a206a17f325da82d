"""A file that another process writes to."""

import time
from pathlib import Path


def grow(path: Path, size: int) -> None:
    """Wait until a trace is so long."""
    for _ in range(1000):
        if path.exists() and path.stat().st_size > size:
            return
        time.sleep(0.02)
    raise AssertionError(f"{path} does not grow")
