"""Start states drawn from a seed, so that play begins everywhere and not at one place.

Scattered, each cook stands anywhere in its own room with any heading, and all else is as usual.
Varied, each cook stands anywhere in its own room with any heading, and holds nothing, or
something that the kitchen can give; pots hold any number of ingredients and may
cook or be done; one counter in five carries an item. From the standard start
alone, some situations never come up in random play: on forced_coordination no
lone cook ever fills a pot.
"""

from random import Random
from typing import TypeVar

from hocket.games.overcooked.items import DISH, NOTHING, ONION, SOUP, TOMATO
from hocket.games.overcooked.kitchen import INTERACT, Kitchen
from hocket.games.paths import Paths

T = TypeVar("T")

_ON_COUNTER = 0.2
"""Share of counters that carry an item."""
_EMPTY_HANDS = 0.4
"""Share of cooks that hold nothing."""
_COOKS = 0.5
"""Share of pots with something in them that cook, or are done."""


class VariedStarts:
    """The start states of one kitchen."""

    def __init__(self, kitchen: Kitchen) -> None:
        paths = kitchen_paths(kitchen)
        self._kitchen = kitchen
        self._rooms = [paths.room(cell) for cell in kitchen.tables.grid.starts]
        self._ingredients = [code for code, letter in ((ONION, "O"), (TOMATO, "T")) if kitchen.tiles(letter)]
        self._kinds = [*self._ingredients, DISH, SOUP]
        self._slots = [slot for slot, cell in enumerate(kitchen.counters, kitchen.counter0) if paths.reachable(cell)]

    def draw(self, dice: Random) -> list[int]:
        """Draw a start state, in the form of the kitchen's facts at tick 0."""
        kitchen = self._kitchen
        state = list(kitchen.tables.start)
        taken: list[int] = []
        for seat, room in enumerate(self._rooms):
            cell = _pick([cell for cell in room if cell not in taken], dice)
            taken.append(cell)
            held = NOTHING if dice.random() < _EMPTY_HANDS else self._item(dice)
            offset = kitchen.seat0 + 3 * seat
            state[offset : offset + 3] = [cell, int(4 * dice.random()), held]
        for slot in range(kitchen.pot0, kitchen.counter0, 2):
            contents = self._contents(dice, least=0)
            cooks = contents and dice.random() < _COOKS
            cooked = int((kitchen.tables.cook_time[contents] + 1) * dice.random()) if cooks else -1
            state[slot : slot + 2] = [contents, cooked]
        for slot in self._slots:
            if dice.random() < _ON_COUNTER:
                state[slot] = self._item(dice)
        return state

    def scatter(self, dice: Random) -> list[int]:
        """Draw where cooks stand and look, and nothing else, in the form of the kitchen's facts at tick 0."""
        state, taken = list(self._kitchen.tables.start), list[int]()
        for seat, room in enumerate(self._rooms):
            taken.append(_pick([cell for cell in room if cell not in taken], dice))
            offset = self._kitchen.seat0 + 3 * seat
            state[offset : offset + 2] = [taken[-1], int(4 * dice.random())]
        return state

    def _item(self, dice: Random) -> int:
        kind = _pick(self._kinds, dice)
        return SOUP + self._contents(dice, least=1) if kind == SOUP else kind

    def _contents(self, dice: Random, *, least: int) -> int:
        """Return the contents of a pot, any number of ingredients from `least` on."""
        contents = 0
        most = self._kitchen.layout.max_num_ingredients
        for _ in range(least + int((most + 1 - least) * dice.random())):
            contents = 3 * contents + _pick(self._ingredients, dice)
        return contents


def kitchen_paths(kitchen: Kitchen) -> Paths:
    """Return the paths of a kitchen."""
    return Paths(width=kitchen.width, floor=kitchen.floor, act=INTERACT)


def _pick(things: list[T], dice: Random) -> T:
    return things[int(len(things) * dice.random())]
