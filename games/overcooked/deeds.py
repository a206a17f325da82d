"""Deeds: options that are done with one interact, and what each of them promises.

Effects compare before with after and are bound to the acting cook's own hands, since
only the last action of a plan can change them: a partner's onion in the same pot is
never taken for one's own. `StartCooking` changes no hands; nothing in the facts
tells who did it.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache

from hocket.games.overcooked.at_tile import NOTHING_HELD, TARGET_ABSENT, AtTile, Facts, Words
from hocket.games.overcooked.items import DISH, NOTHING, ONION, SOUP, TOMATO, item_name, unpack
from hocket.games.overcooked.kitchen import Kitchen
from hocket.games.paths import Paths
from hocket.runtime.option import Failure, Instance, Plan, instance


class Hands(AtTile):
    """Done when the acting cook's hands changed in the right way."""

    def __init__(
        self,
        name: str,
        words: Words,
        kitchen: Kitchen,
        paths: Paths,
        tiles: Sequence[int],
        change: Callable[[int, int], bool],
    ) -> None:
        super().__init__(name, words, kitchen, paths, tiles)
        self._change = change

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        """Compare what the seat held before and after."""
        return self._change(before[3 + 3 * seat], after[3 + 3 * seat])


class PutIntoPot(AtTile):
    """An ingredient left the hands, and the pot holds more of them than before.

    Where a partner has emptied the pot on the way, the second does not hold, so that it
    counts as failed: as the paper has it.
    """

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        """Compare the hands and the pot before and after."""
        slot = self._slot[instance.key]
        more = len(unpack(after[slot])) > len(unpack(before[slot]))
        return more and before[3 + 3 * seat] in (ONION, TOMATO) and after[3 + 3 * seat] == NOTHING


class PutDown(Hands):
    """Needs something in hand to be expanded at all."""

    def __init__(self, name: str, words: Words, kitchen: Kitchen, paths: Paths, tiles: Sequence[int]) -> None:
        super().__init__(name, words, kitchen, paths, tiles, put_down)

    def expand(self, instance: Instance, facts: Facts, seat: int) -> Plan | Failure:
        """Fail where there is nothing to put down."""
        return super().expand(instance, facts, seat) if facts[3 + 3 * seat] else NOTHING_HELD


class TakeUp(AtTile):
    """Aims only at counters on which something lies."""

    fixed = False

    def __init__(self, name: str, words: str, kitchen: Kitchen, paths: Paths, tiles: Sequence[int]) -> None:
        """Say how it is put on the menu: `{}` in `words` stands for the item."""
        super().__init__(name, words, kitchen, paths, tiles)
        self._words = words
        self._latest: tuple[Facts, tuple[Instance, ...]] = ((), ())
        """What lay on the counters when they were last looked at, and the instances of that."""

    def expand(self, instance: Instance, facts: Facts, seat: int) -> Plan | Failure:
        """Fail where the item is gone: to interact there would put down what is held."""
        return super().expand(instance, facts, seat) if facts[self._slot[instance.key]] else TARGET_ABSENT

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        """Tell whether empty hands now hold what lay there."""
        return before[3 + 3 * seat] == NOTHING != after[3 + 3 * seat] == before[self._slot[instance.key]]

    def instances(self, facts: Facts, seat: int) -> Sequence[Instance]:
        """One for each item on a counter, with the item's name on the menu."""
        counters = facts[self._first :]
        if counters != self._latest[0]:
            self._latest = counters, self._named(counters)
        return self._latest[1]

    @cached_property
    def _named(self) -> Callable[[Facts], tuple[Instance, ...]]:
        """The instances by what lies on the counters; the last few thousand are kept."""

        @lru_cache(maxsize=4096)
        def name(counters: Facts) -> tuple[Instance, ...]:
            return tuple(
                instance(entry.option, entry.target, self._words.format(_thing(item)))
                for entry in self._targets
                if (item := counters[self._slot[entry.key] - self._first])
            )

        return name


class StartCooking(AtTile):
    """A change of shared state alone: the pot was idle and is not any more."""

    private = False

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        """Compare the pot's timer before and after."""
        timer = self._slot[instance.key] + 1
        return before[timer] < 0 <= after[timer]


def plated(held: int, now: int) -> bool:
    """Tell whether a dish became a soup."""
    return held == DISH and now > SOUP


def delivered(held: int, now: int) -> bool:
    """Tell whether a soup left the hands."""
    return held > SOUP and now == NOTHING


def put_down(held: int, now: int) -> bool:
    """Tell whether anything left the hands."""
    return held != NOTHING and now == NOTHING


def _thing(item: int) -> str:
    return item_name(item).partition(":")[0]
