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
from hocket.games.overcooked.kitchen import INTERACT, STAY, Kitchen
from hocket.games.paths import Paths
from hocket.games.wait import Wait
from hocket.runtime.option import Failure, Instance, Library, Option, Plan, instance, source_digest

Facts: TypeAlias = tuple[int, ...]
WAIT_TICKS = 3
SLACK = 10
"""Ticks that a plan may lose to others in its way."""

_NO_PATH, _NOTHING_HELD = Failure("NoPath"), Failure("NothingHeld")


class _AtTile:
    """An option that walks up to a tile of one class and interacts with it."""

    private = True
    replans = True
    slack = SLACK

    def __init__(self, name: str, words: str, kitchen: Kitchen, paths: Paths, tiles: Sequence[int]) -> None:
        self.name, self._paths = name, paths
        self._first = kitchen.counter0
        self._targets = tuple(
            instance(name, kitchen.tables.grid.place(tile), words) for tile in tiles if paths.reachable(tile)
        )
        near = [tile for tile in tiles if paths.reachable(tile)]
        self._tile = {entry.key: tile for entry, tile in zip(self._targets, near, strict=True)}
        self._slot = {key: kitchen.tables.slots.get(tile, -1) for key, tile in self._tile.items()}
        seats = range(kitchen.players)
        self._others = [[kitchen.seat0 + 3 * other for other in seats if other != seat] for seat in seats]

    def instances(self, facts: Facts, seat: int) -> Sequence[Instance]:
        """One for each tile of the class that has floor beside it."""
        return self._targets

    def expand(self, instance: Instance, facts: Facts, seat: int) -> Plan | Failure:
        """Walk to face the tile, around the others, and interact."""
        others = self._others[seat]
        blocked = (facts[others[0]],) if len(others) == 1 else tuple(sorted([facts[other] for other in others]))
        place = 1 + 3 * seat
        pose = facts[place] * 4 + facts[place + 1]
        plan = self._paths.plan(self._tile[instance.key], pose, blocked)
        return _NO_PATH if plan is None else plan


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


class _PickUpFromCounter(_Hands):
    """Aims only at counters on which something lies."""

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
    paths = Paths(width=kitchen.width, floor=kitchen.floor, act=INTERACT)
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
            "pick_up_from_counter", "pick up what lies on the counter", kitchen, paths, kitchen.counters, _taken
        ),
    ]
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


def _taken(held: int, now: int) -> bool:
    return held == NOTHING and now != NOTHING
