"""The lines of a certificate, and which verdicts hold: the configuration of `hocket certify`.

A file is TOML, and says only what differs:

    idle = 0.1
    expect = ["needs its partner"]
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, get_args

import msgspec
from msgspec import Meta

from hocket.runtime.errors import FileError, UnknownNameError
from hocket.runtime.struct_file import fitted, read_toml

VerdictName: TypeAlias = Literal[
    "needs its partner",
    "independent workers",
    "works together",
    "one works and one idles",
    "some idle",
    "spare seat",
    "hindered",
    "nothing earned",
    "undecided",
]
VERDICTS: tuple[VerdictName, ...] = get_args(VerdictName)
"""All that there are; the first three are of teams in which every seat counts."""
EXPECTED = VERDICTS[:3]
Part: TypeAlias = Annotated[float, Meta(ge=0.0, le=1.0)]


class Thresholds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The lines between one verdict and another."""

    idle: Part = 0.2
    """Part of an equal share below which a seat neither works nor adds anything."""
    able: Part = 0.1
    """Part of the team's return below which a seat cannot do the task alone."""
    shared: Part = 0.2
    """Part of all deliveries from which on seats work together: those that went through the hands of several."""
    expect: tuple[str, ...] = EXPECTED
    """Verdicts that hold; any other is exit code 1."""


def read_thresholds(path: Path | None, expect: Sequence[str] = ()) -> Thresholds:
    """Read a file of thresholds.

    Args:
        path: of it; None for our own.
        expect: verdicts in the place of those that stand there; none for just those.

    Raises:
        FileError: it does not read, or a value is not of its key's kind.
        UnknownNameError: a key or a verdict that there is not.
    """
    found = Thresholds() if path is None else _read(path)
    found = msgspec.structs.replace(found, expect=tuple(expect)) if expect else found
    for verdict in found.expect:
        if verdict not in VERDICTS:
            raise UnknownNameError(kind="verdict", name=verdict, known=VERDICTS)
    if not found.expect:
        raise FileError(path=path or "--expect", problem="expect is empty: then no verdict holds")
    return found


def _read(path: Path) -> Thresholds:
    tree, known = read_toml(path), Thresholds.__struct_fields__
    for key in tree:
        if key not in known:
            raise UnknownNameError(kind=f"key of {path}", name=key, known=known)
    return fitted(path, tree, Thresholds)
