"""The default options of a kitchen, unguarded, in their four parts.

Facts are the flat tuple that kitchen.py describes. Every option aims at one tile;
its plan walks the shortest way to face the tile, around the cells where the
others stand, and interacts once. Effects compare before with after and are bound
to the acting cook's own hands, since only the last action of a plan can change
them: a partner's onion in the same pot is never taken for one's own.
`start_cooking` changes no hands; nothing in the facts tells who did it.

Source: the option contracts of section 5.1 of the PA-MAGRPO paper.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import TypeAlias

from hocket.games import paths as paths_module
from hocket.games import wait as wait_module
from hocket.games.overcooked.items import DISH, NOTHING, ONION, SOUP, TOMATO, item_name
from hocket.games.overcooked.kitchen import STAY, Kitchen
from hocket.games.overcooked.starts import kitchen_paths
from hocket.games.paths import Paths, Table
from hocket.games.wait import Wait
from hocket.runtime.option import Failure, Feature, Instance, Library, Option, Plan, instance, source_digest

Facts: TypeAlias = tuple[int, ...]
WAIT_TICKS = 3
SLACK = 10
"""Ticks that a plan may lose to others in its way."""
_KEPT = 1024
"""Tables that an option keeps at hand."""

_NO_PATH = Failure("NoPath", passing=True)
_NOTHING_HELD, _TARGET_ABSENT = Failure("NothingHeld"), Failure("TargetAbsent")


_ITEMS = ("nothing", "onion", "tomato", "dish", "soup")
HELD = Feature("held", _ITEMS, own=True)
POT_STATE = Feature("tgt_pot_state", ("empty", "filling", "full", "cooking", "ready"))
ITEM = Feature("tgt_item", _ITEMS)
PARTNER_NEAR = Feature("partner_near", ("no", "yes"))


class _AtTile:
    """An option that walks up to a tile of one class and interacts with it."""

    private = True
    replans = True
    slack = SLACK
    fixed = True
    senses = (PARTNER_NEAR,)

    def __init__(self, name: str, words: str, kitchen: Kitchen, paths: Paths, tiles: Sequence[int]) -> None:
        self.name, self._paths = name, paths
        self._width, self._first = kitchen.width, kitchen.counter0
        self._cook_time, self._full = kitchen.tables.cook_time, kitchen.tables.full
        near = [tile for tile in tiles if paths.reachable(tile)]
        self._targets = tuple(instance(name, kitchen.tables.grid.place(tile), words) for tile in near)
        self._tile = {entry.key: tile for entry, tile in zip(self._targets, near, strict=True)}
        self._slot = {key: kitchen.tables.slots.get(tile, -1) for key, tile in self._tile.items()}
        at_pot = any(tile in kitchen.pots for tile in near)
        at_counter = any(tile in kitchen.counters for tile in near)
        self.reads = (HELD, POT_STATE) if at_pot else (HELD, ITEM) if at_counter else (HELD,)
        seats = range(kitchen.players)
        self._others = [[kitchen.seat0 + 3 * other for other in seats if other != seat] for seat in seats]
        self._tables: dict[tuple[str, tuple[int, ...] | int], Table] = {}

    def read(self, instance: Instance, facts: Facts, seat: int) -> tuple[int, ...]:
        """What is held, and the state of the pot or what lies on the counter."""
        held = facts[3 + 3 * seat]
        held = min(held, SOUP)
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
        here, target = facts[1 + 3 * seat], self._tile[instance.key]
        around = (1, -1, self._width, -self._width)
        for other in self._others[seat]:
            cell = facts[other]
            if cell - here in around or cell - target in around:
                return (1,)
        return (0,)

    def instances(self, facts: Facts, seat: int) -> Sequence[Instance]:
        """One for each tile of the class that has floor beside it."""
        return self._targets

    def expand(self, instance: Instance, facts: Facts, seat: int) -> Plan | Failure:
        """Walk to face the tile, around the others, and interact."""
        others = self._others[seat]
        blocked = facts[others[0]] if len(others) == 1 else tuple(sorted([facts[other] for other in others]))
        table = self._tables.get((instance.key, blocked)) or self._look_up(instance.key, blocked)
        place = 1 + 3 * seat
        plan = table[facts[place] * 4 + facts[place + 1]]
        return _NO_PATH if plan is None else plan

    def _look_up(self, key: str, blocked: tuple[int, ...] | int) -> Table:
        if len(self._tables) >= _KEPT:
            self._tables.clear()
        cells = (blocked,) if isinstance(blocked, int) else blocked
        table = self._tables[key, blocked] = self._paths.table(self._tile[key], cells)
        return table


class _Hands(_AtTile):
    """Done when the acting cook's hands changed in the right way."""

    def __init__(
        self,
        name: str,
        words: str,
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


class _DropHeld(_Hands):
    """Needs something in hand to be expanded at all."""

    def expand(self, instance: Instance, facts: Facts, seat: int) -> Plan | Failure:
        """Fail where there is nothing to drop."""
        return super().expand(instance, facts, seat) if facts[3 + 3 * seat] else _NOTHING_HELD


class _PickUpFromCounter(_AtTile):
    """Aims only at counters on which something lies."""

    fixed = False

    def expand(self, instance: Instance, facts: Facts, seat: int) -> Plan | Failure:
        """Fail where the item is gone: to interact there would put down what is held."""
        return super().expand(instance, facts, seat) if facts[self._slot[instance.key]] else _TARGET_ABSENT

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        """Tell whether empty hands now hold what lay there."""
        return before[3 + 3 * seat] == NOTHING != after[3 + 3 * seat] == before[self._slot[instance.key]]

    def instances(self, facts: Facts, seat: int) -> Sequence[Instance]:
        """One for each item on a counter, with the item's name on the menu."""
        return self._named(facts[self._first :])

    @cached_property
    def _named(self) -> Callable[[Facts], tuple[Instance, ...]]:
        """The instances by what lies on the counters; the last few thousand are kept."""

        @lru_cache(maxsize=4096)
        def name(counters: Facts) -> tuple[Instance, ...]:
            return tuple(
                instance(entry.option, entry.target, f"pick up the {_thing(item)} from the counter")
                for entry in self._targets
                if (item := counters[self._slot[entry.key] - self._first])
            )

        return name


class _StartCooking(_AtTile):
    """A change of shared state alone: the pot was idle and is not any more."""

    private = False

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        """Compare the pot's timer before and after."""
        timer = self._slot[instance.key] + 1
        return before[timer] < 0 <= after[timer]


def default_library(kitchen: Kitchen) -> Library[Facts]:
    """Build the options of one kitchen, with tables of their own."""
    paths = kitchen_paths(kitchen)
    tiles = kitchen.tiles

    def pick(item: str, code: int, letter: str) -> Option[Facts]:
        return _Hands(
            f"pick_{item}",
            f"pick up {'an' if item == 'onion' else 'a'} {item}",
            kitchen,
            paths,
            tiles(letter),
            lambda held, now: held != code and now == code,
        )

    options: list[Option[Facts]] = [
        Wait(STAY, WAIT_TICKS),
        pick("onion", ONION, "O"),
        pick("tomato", TOMATO, "T"),
        pick("dish", DISH, "D"),
        _Hands("place_in_pot", "put the held ingredient into the pot", kitchen, paths, kitchen.pots, _potted),
        _StartCooking("start_cooking", "start cooking the pot", kitchen, paths, kitchen.pots),
        _Hands("plate_soup", "plate the soup of the pot", kitchen, paths, kitchen.pots, _plated),
        _Hands("deliver", "deliver the held soup to the window", kitchen, paths, tiles("S"), _delivered),
        _DropHeld("drop_held", "put the held item down on the counter", kitchen, paths, kitchen.counters, _dropped),
        _PickUpFromCounter(
            "pick_up_from_counter", "pick up what lies on the counter", kitchen, paths, kitchen.counters
        ),
    ]
    options = [option for option in options if option.name == "wait" or not option.fixed or option.instances((), 0)]
    return Library(
        name="default",
        version=1,
        digest=source_digest(__file__, paths_module.__file__, wait_module.__file__),
        options=options,
    )


def _thing(item: int) -> str:
    return item_name(item).partition(":")[0]


def _potted(held: int, now: int) -> bool:
    return held in (ONION, TOMATO) and now == NOTHING


def _plated(held: int, now: int) -> bool:
    return held == DISH and now > SOUP


def _delivered(held: int, now: int) -> bool:
    return held > SOUP and now == NOTHING


def _dropped(held: int, now: int) -> bool:
    return held != NOTHING and now == NOTHING
