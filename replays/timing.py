"""How long decisions took: a side file, beside a trace and not part of it.

Nothing in a trace depends on wall time; what does is kept here, in `NAME.timing.jsonl`,
one JSON object a line, without hashes.
"""

from contextlib import suppress
from pathlib import Path
from typing import IO

import msgspec

_SUFFIXES = (".zst", ".jsonl")


class Timing(msgspec.Struct, frozen=True, omit_defaults=True):
    """One decision of one seat, as the wall clock has it."""

    seat: int
    decision: int
    tick: int
    seconds: float
    """From the question to the answer; a batch's divided by its size."""
    cached: int = 0
    """Tokens of the prompt that a server had in its cache."""
    request: str = ""
    """Name of the request on the server."""
    tries: int = 1


class TimingFile:
    """The side file of one trace; it is there once there is something to tell."""

    def __init__(self, trace: Path) -> None:
        """Take the place of the side file of an earlier trace of this name."""
        name = trace.name
        for suffix in _SUFFIXES:
            name = name.removesuffix(suffix)
        self.path = trace.with_name(f"{name}.timing.jsonl")
        self._file: IO[bytes] | None = None
        self._closed = False
        with suppress(OSError):
            self.path.unlink()

    def write(self, timing: Timing) -> None:
        """Add a line; what cannot be written is let go, since no episode is to fail for it."""
        if self._closed:
            return
        try:
            if self._file is None:
                self._file = self.path.open("wb", buffering=0)
            self._file.write(msgspec.json.encode(timing) + b"\n")
        except OSError:
            self.close()

    def close(self) -> None:
        """Close the file; what is written afterwards is let go, and closing twice does nothing."""
        self._closed = True
        if self._file is not None:
            self._file.close()
