"""The traces that names stand for: files, and folders with all within."""

import os
from collections.abc import Iterable
from pathlib import Path

from hocket.replays.timing import ENDING as TIMING
from hocket.replays.trace import begins_a_trace
from hocket.runtime.errors import TracePathError

_ENDINGS = (".jsonl", ".jsonl.zst")
_LOOKED_AT = 32
"""Bytes at the beginning of a file."""


def trace_files(named: Iterable[Path]) -> list[Path]:
    """Return the traces, those of a folder in order of path.

    Raises:
        TracePathError: a folder without a trace.
    """
    return [path for name in named for path in (_some(name) if name.is_dir() else [name])]


def traces_within(folder: Path, *, deep: bool = True) -> list[Path]:
    """Return the traces of a folder, in order of path; none where it is not there. Other lines of JSON are none.

    Args:
        folder: where they lie.
        deep: whether those of the folders within it are among them; folders that are links are not gone into.

    Raises:
        TracePathError: a folder that cannot be looked into: what it holds would be missed without a word.
    """
    found: list[Path] = []
    for place, _, names in os.walk(folder, onerror=_refuse) if folder.is_dir() else ():
        found += [Path(place, name) for name in names if name.endswith(_ENDINGS) and not name.endswith(TIMING)]
        if not deep:
            break
    return sorted(filter(_may_be_one, found))


def _refuse(error: OSError) -> None:
    raise TracePathError(path=error.filename, problem=(error.strerror or "cannot be read").lower()) from error


def _may_be_one(path: Path) -> bool:
    """Tell a trace, whole or not, from other files of that ending; what cannot be read is for its reader to say."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return begins_a_trace(file.read(_LOOKED_AT))
    except OSError:
        return True


def _some(folder: Path) -> list[Path]:
    found = traces_within(folder)
    if not found:
        raise TracePathError(path=folder, problem="is a folder without a trace (.jsonl, .jsonl.zst)")
    return found
