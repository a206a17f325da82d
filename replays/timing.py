"""How long decisions took: a side file, beside a trace and not part of it.

Nothing in a trace depends on wall time; what does is kept here, in `NAME.timing.jsonl`,
one JSON object a batch of decisions, without hashes.
"""

from contextlib import suppress
from pathlib import Path
from typing import IO

import msgspec

_SUFFIXES = (".zst", ".jsonl")
ENDING = ".timing.jsonl"


class Call(msgspec.Struct, frozen=True, omit_defaults=True):
    """One call to a server that was answered."""

    seconds: float
    requests: tuple[str, ...]
    """Ids on the server, of the try that was answered: questions and canaries."""
    cached_tokens: tuple[int, ...]
    """Of each prompt, those that the server had computed before."""
    tries: int = 1


class Timing(msgspec.Struct, frozen=True, omit_defaults=True):
    """Decisions that were answered together, as the wall clock has it."""

    tick: int
    decisions: tuple[tuple[int, int], ...]
    """Seat and number of each."""
    seconds: float
    """From the question to the answer of all."""
    calls: tuple[Call, ...] = ()
    """What was asked of a server meanwhile."""


class TimingFile:
    """The side file of one trace; it is there once there is something to tell."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._file: IO[bytes] | None = None
        self._failed = False

    def beside(self, trace: Path) -> None:
        """Say which trace it belongs to; what is told before that is let go."""
        name = trace.name
        for suffix in _SUFFIXES:
            name = name.removesuffix(suffix)
        self._path = trace.with_name(f"{name}{ENDING}")

    def write(self, timing: Timing) -> None:
        """Add a line; what cannot be written is let go, since no episode is to fail for it."""
        if self._path is None or self._failed:
            return
        try:
            if self._file is None:
                self._file = self._path.open("wb", buffering=0)
            self._file.write(msgspec.json.encode(timing) + b"\n")
        except (OSError, ValueError):
            self._failed = True

    def close(self) -> None:
        """Close the file; closing twice does nothing."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
