"""The four parts of an option, and the library that holds them.

An option is a named, short behaviour with a target: `place_in_pot@4,2`. Its
parts are where it may be aimed (`instances`), how it is carried out (`expand`),
when it is over (the plan is drained, expansion failed, or time ran out), and
what it promises (`effect`). Whether it makes sense just now is no part of it:
that is for guards, which are counted from play and read the features that the
option declares.

Source: Sutton, Precup & Singh, "Between MDPs and semi-MDPs", Artificial
Intelligence 112 (1999), section 2; the four-part contract is section 5.1 of the
PA-MAGRPO paper.
"""

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Generic, Protocol, TypeAlias, TypeVar

import msgspec

from hocket.runtime.events import Cell

F_contra = TypeVar("F_contra", contravariant=True)
F = TypeVar("F")

Plan: TypeAlias = tuple[int, ...]
"""Primitive actions in order, as indices into the game's actions."""


class Instance(msgspec.Struct, frozen=True):
    """An option aimed at one target."""

    option: str
    target: Cell | None
    words: str
    """The line on the menu."""
    key: str
    """What traces and guards call it: `option@x,y`, or the option alone."""


def instance(option: str, target: Cell | None, words: str) -> Instance:
    """Make an instance; key and menu line end with the target."""
    if target is None:
        return Instance(option, None, words, option)
    x, y = target
    return Instance(option, target, f"{words} @ ({x}, {y})", f"{option}@{x},{y}")


class Feature(msgspec.Struct, frozen=True):
    """Something that can be read off the facts about an instance, with one of a few values."""

    name: str
    values: tuple[str, ...]
    """Every value that it can have; facts are read as places in it."""
    own: bool = False
    """Whether it is the acting seat's own, such as what it holds; what a private effect changes."""


class Failure(msgspec.Struct, frozen=True):
    """Why an option could not be expanded: `TargetAbsent`, `NoPath`, `NothingHeld`, ..."""

    reason: str
    passing: bool = False
    """Whether an option under way waits for it to pass, as when somebody stands in the way."""


def source_digest(*sources: str) -> str:
    """Digest the files (`__file__`) that define a library, as 16 hexadecimal digits."""
    return blake2b(b"".join(Path(source).read_bytes() for source in sources), digest_size=8).hexdigest()


class Option(Protocol[F_contra]):
    """One behaviour of a library, bound to one game."""

    @property
    def name(self) -> str:
        """What it is called, in snake case."""
        ...

    @property
    def private(self) -> bool:
        """Whether its effect includes a private change of the acting seat (a held item, a place)."""
        ...

    @property
    def replans(self) -> bool:
        """Whether the plan is made anew each tick, because others may stand in its way."""
        ...

    @property
    def slack(self) -> int:
        """How many ticks longer than its first plan it may take."""
        ...

    @property
    def fixed(self) -> bool:
        """Whether its instances are the same in every state of a game and for every seat."""
        ...

    @property
    def reads(self) -> tuple[Feature, ...]:
        """Features that its guards may read: functions of the facts and nothing passing."""
        ...

    @property
    def senses(self) -> tuple[Feature, ...]:
        """Features that are logged beside them and that no guard may read, such as who is near."""
        ...

    def read(self, instance: Instance, facts: F_contra, seat: int) -> tuple[int, ...]:
        """Return the value of each feature of `reads`, as a place among its values."""
        ...

    def sense(self, instance: Instance, facts: F_contra, seat: int) -> tuple[int, ...]:
        """Return the value of each feature of `senses`, as a place among its values."""
        ...

    def instances(self, facts: F_contra, seat: int) -> Sequence[Instance]:
        """List its targets: existence only, no judgement of sense."""
        ...

    def expand(self, instance: Instance, facts: F_contra, seat: int) -> Plan | Failure:
        """Turn an instance into primitive actions, or say why it cannot be."""
        ...

    def effect(self, instance: Instance, before: F_contra, after: F_contra, seat: int) -> bool:
        """Tell whether what its name promises came about, between two states, by this seat."""
        ...


class Library(Generic[F]):
    """The options of one game, in menu order before it is shuffled."""

    def __init__(self, *, name: str, version: int, digest: str, options: Sequence[Option[F]]) -> None:
        """Collect options.

        Args:
            name: of the library.
            version: counted up when its behaviour changes.
            digest: of the source that defines it, in hexadecimal.
            options: each with a name of its own; one is called `wait` and is always
                possible, so that no menu is empty.
        """
        self.name, self.version, self.digest = name, version, digest
        self.options: tuple[Option[F], ...] = tuple(options)
        self.by_name: dict[str, Option[F]] = {option.name: option for option in self.options}
