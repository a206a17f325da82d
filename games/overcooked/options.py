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
from typing import TypeAlias

from hocket.games.overcooked.items import DISH, NOTHING, ONION, SOUP, TOMATO, item_name
from hocket.games.overcooked.kitchen import INTERACT, STAY, Kitchen
from hocket.games.paths import Paths
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
        self.name, self._paths, self._width = name, paths, kitchen.width
        self._seats = kitchen.players
        self._targets = tuple(
            instance(name, (tile % kitchen.width, tile // kitchen.width), words)
            for tile in tiles
            if paths.reachable(tile)
        )
        self._tile = {entry.key: tile for entry in self._targets if (tile := self._cell(entry)) >= 0}
        self._others = tuple(
            tuple(1 + 3 * other for other in range(self._seats) if other != seat) for seat in range(self._seats)
        )

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

    def _cell(self, entry: Instance) -> int:
        x, y = entry.target or (-1, 0)
        return y * self._width + x


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

    def __init__(
        self,
        name: str,
        words: str,
        kitchen: Kitchen,
        paths: Paths,
        tiles: Sequence[int],
        change: Callable[[int, int], bool],
    ) -> None:
        super().__init__(name, words, kitchen, paths, tiles, change)
        self._first = kitchen.counter0
        self._slots = [(kitchen.counter0 + kitchen.counters.index(self._cell(entry)), entry) for entry in self._targets]
        self._named: dict[tuple[int, int], Instance] = {}

    def instances(self, facts: Facts, seat: int) -> Sequence[Instance]:
        """One for each item on a counter, with the item's name on the menu."""
        if not any(facts[self._first :]):
            return ()
        return [self._name(slot, facts[slot], entry) for slot, entry in self._slots if facts[slot]]

    def _name(self, slot: int, item: int, entry: Instance) -> Instance:
        named = self._named.get((slot, item))
        if named is None:
            thing, _, _ = item_name(item).partition(":")
            words = f"pick up the {thing} from the counter"
            named = self._named[slot, item] = instance(entry.option, entry.target, words)
        return named


class _StartCooking(_AtTile):
    """A change of shared state alone: the pot was idle and is not any more."""

    private = False

    def __init__(self, name: str, words: str, kitchen: Kitchen, paths: Paths, tiles: Sequence[int]) -> None:
        super().__init__(name, words, kitchen, paths, tiles)
        self._timer = {
            entry.key: kitchen.pot0 + 2 * kitchen.pots.index(self._cell(entry)) + 1 for entry in self._targets
        }

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        """Compare the pot's timer before and after."""
        timer = self._timer[instance.key]
        return before[timer] < 0 <= after[timer]


class _Wait:
    """Stand still for a few ticks; always possible, always a success."""

    name = "wait"
    private = True
    replans = False
    slack = 0

    def __init__(self) -> None:
        self._only = (instance("wait", None, f"wait {WAIT_TICKS} ticks"),)
        self._plan = (STAY,) * WAIT_TICKS

    def instances(self, facts: Facts, seat: int) -> Sequence[Instance]:
        """Return the one instance."""
        return self._only

    def expand(self, instance: Instance, facts: Facts, seat: int) -> Plan | Failure:
        """Do nothing, several times."""
        return self._plan

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        """Promise nothing and keep it."""
        return True


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
        _Wait(),
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
    return Library(name="default", version=1, digest=source_digest(__file__), options=options)


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
