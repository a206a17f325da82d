"""A lettered menu: every instance of every option, in an order drawn per decision.

A fixed order would tell an option by its place, and models lean to letter A, so
the order is shuffled by the stream of (seed, seat, decision number).
"""

from collections.abc import Sequence
from functools import cache
from string import ascii_uppercase
from typing import Generic, TypeVar

from hocket.runtime.option import Instance, Library
from hocket.runtime.seed import Stream, Streams

F = TypeVar("F")


class Menu:
    """What a seat may start now, in the order of its letters."""

    __slots__ = ("entries", "keys")

    def __init__(self, entries: Sequence[Instance]) -> None:
        self.entries: tuple[Instance, ...] = tuple(entries)
        self.keys: tuple[str, ...] = tuple([entry.key for entry in self.entries])

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
    """Builds the menus of one episode."""

    def __init__(self, library: Library[F], streams: Streams, seats: int) -> None:
        self._instances = [option.instances for option in library.options]
        self._shuffles: list[Stream] = [streams.stream("letters", seat) for seat in range(seats)]

    def menu(self, facts: F, seat: int, decision: int) -> Menu:
        """Return the menu of one decision."""
        entries: list[Instance] = []
        for instances in self._instances:
            entries += instances(facts, seat)
        order = self._shuffles[seat].order(decision, len(entries))
        return Menu([entries[place] for place in order])
