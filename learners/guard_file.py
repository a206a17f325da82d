"""Guards with where they come from, as a readable file of JSON."""

from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from hocket import __version__
from hocket.games import registry
from hocket.replays.trace import LibraryMark
from hocket.runtime.errors import GuardError
from hocket.runtime.game import Game, GameSpec
from hocket.runtime.guard import Channel, Guard, check
from hocket.runtime.option import Library
from hocket.runtime.whole_file import write_whole

SCHEMA = 1


class Refused(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A guard that the counts would allow and that was not adopted."""

    option: str
    channel: Channel
    when: dict[str, str]
    support: int
    why: str


class Origin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The burn-in log that guards were mined from."""

    digest: str
    records: int
    seed: int
    solo: int
    team: int
    steps: int
    starts: str
    policy: str


class _Schema(msgspec.Struct, frozen=True):
    """What is read of a guard file first: a newer one may have fields that this version does not know."""

    schema: int


class GuardFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All guards of one game and one option library."""

    schema: int
    hocket: str
    """Version that mined them."""
    game: str
    game_digest: str
    """Of every setting of the game, its layout included."""
    library: LibraryMark
    log: Origin
    min_support: int
    guards: tuple[Guard, ...]
    refused: tuple[Refused, ...]


def game_digest(spec: GameSpec) -> str:
    """Digest a game's kind and all settings that change its rules, but not its name, as 16 hexadecimal digits."""
    rules = registry.rules(spec)
    return blake2b(msgspec.json.encode([rules.kind, rules.settings], order="sorted"), digest_size=8).hexdigest()


def make_file(
    spec: GameSpec, library: LibraryMark, origin: Origin, min_support: int, guards: list[Guard], refused: list[Refused]
) -> GuardFile:
    """Put guards and their origin together."""
    return GuardFile(
        SCHEMA, __version__, spec.name, game_digest(spec), library, origin, min_support, tuple(guards), tuple(refused)
    )


def encode_guards(file: GuardFile) -> bytes:
    """Write a guard file as JSON, indented, with sorted keys."""
    return msgspec.json.format(msgspec.json.encode(file, order="sorted"), indent=1) + b"\n"


def decode_guards(raw: bytes, source: str) -> GuardFile:
    """Read a guard file.

    Raises:
        GuardError: it is none.
    """
    try:
        schema = msgspec.json.decode(raw, type=_Schema).schema
        if schema != SCHEMA:
            raise GuardError(guard=source, problem=f"is of schema {schema}, but this version reads {SCHEMA}")
        return msgspec.json.decode(raw, type=GuardFile)
    except msgspec.DecodeError as error:
        raise GuardError(guard=source, problem=f"is no guard file: {error}") from error


def read_guards(path: Path | str) -> GuardFile:
    """Read a guard file from disk.

    Raises:
        GuardError: it cannot be read, or is none.
    """
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        problem = f"cannot be read: {(error.strerror or str(error)).lower()}"
        raise GuardError(guard=str(path), problem=problem) from error
    return decode_guards(raw, str(path))


def write_guards(path: Path | str, file: GuardFile) -> None:
    """Write a guard file, whole or not at all.

    Raises:
        GuardError: it cannot be written.
    """
    try:
        write_whole(Path(path), encode_guards(file))
    except OSError as error:
        problem = f"cannot be written: {(error.strerror or str(error)).lower()}"
        raise GuardError(guard=str(path), problem=problem) from error


def fit(file: GuardFile, game: Game[Any], library: Library[Any], source: str) -> tuple[Guard, ...]:
    """Return a file's guards once they are known to be for this game and library.

    Raises:
        GuardError: they are for another game or layout, another library, or do not fit it.
    """
    if file.game_digest != game_digest(game.spec):
        raise GuardError(guard=source, problem=f"was mined on {file.game}, not on {game.spec.name} as it is set here")
    mark = LibraryMark(library.name, library.version, library.digest)
    if file.library != mark:
        raise GuardError(
            guard=source,
            problem=f"was mined for the library {file.library.name!r} version {file.library.version} "
            f"({file.library.digest}), not for {mark.name!r} version {mark.version} ({mark.digest})",
        )
    for guard in file.guards:
        check(guard, library)
    return file.guards
