"""An option that aims at one tile of a kitchen, and the features of guards.

Facts are the flat tuple that kitchen.py describes. The plan walks the shortest way
to face the tile, around the cells where the others stand, and interacts once.
What that promises is said by those who build on it.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from hocket.games.overcooked.items import SOUP
from hocket.games.overcooked.kitchen import Kitchen
from hocket.games.paths import Paths, Table
from hocket.runtime.option import Failure, Feature, Instance, Plan, instance

Facts: TypeAlias = tuple[int, ...]
Words: TypeAlias = str | Callable[[int], str]
"""A menu line, or one for each tile."""
SLACK = 10
"""Ticks that a plan may lose to others in its way."""
_KEPT = 128
"""Sets of blocked cells for which an option keeps tables at hand."""

NO_PATH = Failure("NoPath", passing=True)
NOTHING_HELD, TARGET_ABSENT = Failure("NothingHeld"), Failure("TargetAbsent")

_ITEMS = ("nothing", "onion", "tomato", "dish", "soup")
HELD = Feature("held", _ITEMS, own=True)
POT_STATE = Feature("tgt_pot_state", ("empty", "filling", "full", "cooking", "ready"))
ITEM = Feature("tgt_item", _ITEMS)
PARTNER_NEAR = Feature("partner_near", ("no", "yes"))
_NO, _YES = (0,), (1,)


class AtTile:
    """An option that walks up to a tile of one class and interacts with it."""

    private = True
    replans = True
    slack = SLACK
    fixed = True
    senses: tuple[Feature, ...] = (PARTNER_NEAR,)

    def __init__(self, name: str, words: Words, kitchen: Kitchen, paths: Paths, tiles: Sequence[int]) -> None:
        self.name, self._paths = name, paths
        self._width, self._first = kitchen.width, kitchen.counter0
        self._cook_time, self._full = kitchen.tables.cook_time, kitchen.tables.full
        near = [tile for tile in tiles if paths.reachable(tile)]
        place = kitchen.tables.grid.place
        self._targets = tuple(
            instance(name, place(tile), words if isinstance(words, str) else words(tile)) for tile in near
        )
        self._tile = {entry.key: tile for entry, tile in zip(self._targets, near, strict=True)}
        self._slot = {key: kitchen.tables.slots.get(tile, -1) for key, tile in self._tile.items()}
        at_pot = any(tile in kitchen.pots for tile in near)
        at_counter = any(tile in kitchen.counters for tile in near)
        self.reads: tuple[Feature, ...] = (HELD, POT_STATE) if at_pot else (HELD, ITEM) if at_counter else (HELD,)
        around = (1, -1, kitchen.width, -kitchen.width)
        self._near = [frozenset(cell + step for step in around) for cell in range(kitchen.width * kitchen.height)]
        seats = range(kitchen.players)
        self._others = [[kitchen.seat0 + 3 * other for other in seats if other != seat] for seat in seats]
        self._tables: dict[tuple[int, ...] | int, dict[str, Table]] = {}

    def read(self, instance: Instance, facts: Facts, seat: int) -> tuple[int, ...]:
        """What is held, and the state of the pot or what lies on the counter."""
        held = facts[3 + 3 * seat]
        held = held if held < SOUP else SOUP  # noqa: FURB136 -- a call costs more than the rest
        slot = self._slot[instance.key]
        if slot < 0:
            return (held,)
        if slot >= self._first:
            return held, min(facts[slot], SOUP)
        contents, cooked = facts[slot], facts[slot + 1]
        if cooked >= 0:
            return held, 4 if cooked >= self._cook_time[contents] else 3
        return held, 0 if not contents else 2 if contents >= self._full else 1

    def sense(self, instance: Instance, facts: Facts, seat: int) -> tuple[int, ...]:
        """Whether another cook stands beside the acting one, or at the target."""
        near, by_target = self._near[facts[1 + 3 * seat]], self._near[self._tile[instance.key]]
        for other in self._others[seat]:
            cell = facts[other]
            if cell in near or cell in by_target:
                return _YES
        return _NO

    def instances(self, facts: Facts, seat: int) -> Sequence[Instance]:
        """One for each tile of the class that has floor beside it."""
        return self._targets

    def expand(self, instance: Instance, facts: Facts, seat: int) -> Plan | Failure:
        """Walk to face the tile, around the others, and interact."""
        others = self._others[seat]
        blocked = facts[others[0]] if len(others) == 1 else self._blocked(facts, seat)
        tables = self._tables.get(blocked)
        table = tables.get(instance.key) if tables else None
        if table is None:
            table = self._look_up(instance.key, blocked)
        place = 1 + 3 * seat
        plan = table[facts[place] * 4 + facts[place + 1]]
        return NO_PATH if plan is None else plan

    def _look_up(self, key: str, blocked: tuple[int, ...] | int) -> Table:
        if len(self._tables) >= _KEPT:
            self._tables.clear()
        cells = (blocked,) if isinstance(blocked, int) else blocked
        table = self._tables.setdefault(blocked, {})[key] = self._paths.table(self._tile[key], cells)
        return table

    def _blocked(self, facts: Facts, seat: int) -> tuple[int, ...]:
        """Return the cells where the others stand, sorted."""
        return tuple(sorted([facts[other] for other in self._others[seat]]))
