"""Files of JSON and TOML, read as structs or refused in one sentence."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from hocket.runtime.errors import FileError

T = TypeVar("T")


def read_json(path: Path, kind: type[T], what: str) -> T:
    """Read a file of JSON.

    Args:
        path: of it.
        kind: of struct.
        what: it should be, in words: `certificate`.

    Raises:
        FileError: it cannot be read, or is nothing of the kind.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except OSError as error:
        raise FileError(path=path, problem=(error.strerror or "cannot be read").lower()) from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise FileError(path=path, problem=f"is no {what} that this version reads: {error}") from error


def read_toml(path: Path) -> dict[str, Any]:
    """Read a file of TOML as it stands.

    Raises:
        FileError: it cannot be read, or is no TOML.
    """
    try:
        return tomllib.loads(path.read_bytes().decode())
    except OSError as error:
        raise FileError(path=path, problem=(error.strerror or "cannot be read").lower()) from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, letters that are no UTF-8
        raise FileError(path=path, problem=f"is no TOML: {error}") from error


def fitted(path: Path, tree: dict[str, Any], kind: type[T], place: Callable[[str], str] = lambda at: at) -> T:
    """Return what was read from a file as a struct.

    Args:
        path: of the file.
        tree: that was read.
        kind: of struct.
        place: says where something stands, from msgspec's own words for it.

    Raises:
        FileError: a value is not of its key's kind.
    """
    try:
        return msgspec.convert(tree, kind)
    except msgspec.ValidationError as error:
        said, _, at = str(error).partition(" - at `$")
        where = place(at.rstrip("`").lstrip(".")) or "it"
        raise FileError(path=path, problem=f"{where}: {said[:1].lower()}{said[1:]}") from error
