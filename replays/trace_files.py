"""The traces that names stand for: files, and folders with all within."""

from collections.abc import Iterable
from pathlib import Path

from hocket.replays.timing import ENDING as TIMING
from hocket.runtime.errors import TracePathError


def trace_files(named: Iterable[Path]) -> list[Path]:
    """Return the traces, those of a folder in order of path.

    Raises:
        TracePathError: a folder without a trace.
    """
    return [path for name in named for path in (_some(name) if name.is_dir() else [name])]


def traces_within(folder: Path) -> list[Path]:
    """Return the traces of a folder and of those within it, in order of path; none where it is not there."""
    found = [*folder.rglob("*.jsonl"), *folder.rglob("*.jsonl.zst")]
    return sorted(path for path in found if path.is_file() and not path.name.endswith(TIMING))


def _some(folder: Path) -> list[Path]:
    found = traces_within(folder)
    if not found:
        raise TracePathError(path=folder, problem="is a folder without a trace (.jsonl, .jsonl.zst)")
    return found
