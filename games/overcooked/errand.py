"""Errands are options that go from place to place until a job is done.

What is held decides the stage that an errand is at, and so its plan is made anew from
the facts alone. A plan is the whole rest of the errand: the way to the nearest place of
each stage in turn, the first around the others, those after it as if nobody stood there.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

from hocket.games.overcooked.at_tile import NO_PATH, AtTile, Facts
from hocket.games.overcooked.items import NOTHING
from hocket.games.overcooked.kitchen import STAY, Kitchen
from hocket.games.paths import Paths
from hocket.runtime.option import Failure, Instance, Plan

ERRAND_SLACK = 20
"""Ticks that an errand may lose to others in its way; it has more ways to go than a deed."""
_KEPT = 4096
"""Ways that an option keeps at hand."""

Stages: TypeAlias = tuple[tuple[int, ...], ...]
"""The tiles to interact with in turn, any one of each."""


class Errand(AtTile):
    """Several stages, of which the target is one; may begin and end with empty hands, so not `private`."""

    private = False
    slack = ERRAND_SLACK

    def __init__(self, name: str, words: str, kitchen: Kitchen, paths: Paths, tiles: Sequence[int]) -> None:
        super().__init__(name, words, kitchen, paths, tiles)
        self._ahead, self._moved = kitchen.tables.grid.ahead, kitchen.tables.grid.moved
        self._ways = lru_cache(maxsize=_KEPT)(self._find_ways)

    def go(self, stages: Stages, facts: Facts, seat: int) -> tuple[Plan, ...] | None:
        """Return the way of each stage, None where there is none."""
        place = 1 + 3 * seat
        return self._ways(stages, facts[place] * 4 + facts[place + 1], self._blocked(facts, seat))

    def stands_at(self, tiles: Sequence[int], facts: Facts, seat: int) -> bool:
        """Tell whether the cook faces one of some tiles."""
        place = 1 + 3 * seat
        return self._ahead[facts[place] * 4 + facts[place + 1]] in tiles

    def _find_ways(self, stages: Stages, pose: int, blocked: tuple[int, ...]) -> tuple[Plan, ...] | None:
        ways: list[Plan] = []
        for tiles in stages:
            found = [plan for tile in tiles if (plan := self._paths.plan(tile, pose, blocked)) is not None]
            if not found:
                return None
            ways.append(min(found, key=len))
            pose, blocked = self._after(pose, ways[-1]), ()
        return tuple(ways)

    def _after(self, pose: int, plan: Plan) -> int:
        for move in plan:
            if move < STAY:
                pose = self._moved[pose // 4 * 4 + move] * 4 + move
        return pose


class Bring(Errand):
    """One thing from the nearest dispenser, or the one in hand, to the target."""

    def __init__(
        self,
        name: str,
        words: str,
        kitchen: Kitchen,
        paths: Paths,
        tiles: Sequence[int],
        thing: tuple[int, str],
    ) -> None:
        """Say what is brought: the item, and the letter of its dispensers."""
        self._code, self._dispensers = thing[0], kitchen.tiles(thing[1])
        super().__init__(name, words, kitchen, paths, tiles if self._dispensers else ())

    def expand(self, instance: Instance, facts: Facts, seat: int) -> Plan | Failure:
        """Go by a dispenser with empty hands, and straight to the target with anything in them."""
        target = (self._tile[instance.key],)
        ways = self.go((target,) if facts[3 + 3 * seat] else (self._dispensers, target), facts, seat)
        return NO_PATH if ways is None else joined(ways)

    def handed(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        """Tell whether hands without anything else in them are empty, before the target."""
        return (
            before[3 + 3 * seat] in (NOTHING, self._code)
            and after[3 + 3 * seat] == NOTHING
            and self.stands_at((self._tile[instance.key],), after, seat)
        )


def joined(ways: Sequence[Plan]) -> Plan:
    """Return several ways as one plan."""
    return tuple(move for way in ways for move in way)
