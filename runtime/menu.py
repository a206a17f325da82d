"""A lettered menu: option instances that no guard hides, in an order drawn per decision.

A fixed order would tell an option by its place, and models lean to letter A, so
the order is shuffled by the stream of (seed, seat, decision number).
"""

from collections.abc import Sequence
from functools import cache
from string import ascii_uppercase
from typing import Generic, TypeVar

import msgspec

from hocket.runtime.guard import GuardSet
from hocket.runtime.option import Instance, Library
from hocket.runtime.seed import Stream, Streams

F = TypeVar("F")


class Menu(msgspec.Struct, frozen=True, eq=False):
    """What a seat may start now, in the order of its letters."""

    entries: tuple[Instance, ...]
    keys: tuple[str, ...]
    """Key of each entry."""

    @classmethod
    def of(cls, entries: Sequence[Instance]) -> "Menu":
        """Make a menu of these entries, in this order."""
        return cls(tuple(entries), tuple([entry.key for entry in entries]))

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def letters(self) -> tuple[str, ...]:
        """A to Z, then AA, AB, and so on: one an entry."""
        return letters(len(self.entries))

    def lines(self) -> tuple[str, ...]:
        """The menu as people and models read it: `A) pick up an onion @ (0, 1)`."""
        return tuple(f"{letter}) {entry.words}" for letter, entry in zip(self.letters, self.entries, strict=True))


@cache
def letters(size: int) -> tuple[str, ...]:
    """Return the letters of a menu of `size` entries."""
    return tuple(_letter(place) for place in range(size))


def _letter(place: int) -> str:
    rest, last = divmod(place, 26)
    return (_letter(rest - 1) if rest else "") + ascii_uppercase[last]


class Menus(Generic[F]):
    """Builds the menus of one episode: every instance of every option, less what guards hide."""

    def __init__(self, library: Library[F], streams: Streams, seats: int, guards: GuardSet[F] | None = None) -> None:
        self._options = library.options
        self._guards = guards
        self._shuffles: list[Stream] = [streams.stream("letters", seat) for seat in range(seats)]

    def menu(self, facts: F, seat: int, decision: int) -> Menu:
        """Return the menu of one decision."""
        entries: list[Instance] = []
        for option in self._options:
            instances = option.instances(facts, seat)
            entries += instances if self._guards is None else self._guards.filter(option, instances, facts, seat)
        order = self._shuffles[seat].order(decision, len(entries))
        return Menu.of([entries[place] for place in order])
