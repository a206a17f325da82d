"""Start states drawn from a seed, so that play begins everywhere and not at one place.

Each cook stands anywhere in its own room with any heading, and holds nothing, or
something that the kitchen can give; pots hold any number of ingredients and may
cook or be done; one counter in five carries an item. From the standard start
alone, some situations never come up in random play: on forced_coordination no
lone cook ever fills a pot.
"""

from collections.abc import Sequence

import numpy as np

from hocket.games.overcooked.items import DISH, NOTHING, ONION, SOUP, TOMATO
from hocket.games.overcooked.kitchen import INTERACT, Kitchen
from hocket.games.paths import Paths

_ON_COUNTER = 0.2
"""Share of counters that carry an item."""


def varied_start(kitchen: Kitchen, paths: Paths, dice: np.random.Generator) -> list[int]:
    """Draw a start state of `kitchen`, in the form of its facts at tick 0."""
    state = list(kitchen.tables.start)
    taken: set[int] = set()
    for seat in range(kitchen.players):
        offset = kitchen.seat0 + 3 * seat
        room = [cell for cell in paths.room(kitchen.tables.start[offset]) if cell not in taken]
        cell = _pick(room, dice)
        taken.add(cell)
        state[offset : offset + 3] = [cell, int(dice.integers(4)), _item(kitchen, dice, empty=0.4)]
    for place in range(len(kitchen.pots)):
        contents = _contents(kitchen, dice, least=0)
        cooked = -1
        if contents and dice.random() < 0.5:
            cooked = int(dice.integers(kitchen.tables.cook_time[contents] + 1))
        state[kitchen.pot0 + 2 * place : kitchen.pot0 + 2 * place + 2] = [contents, cooked]
    for slot, cell in enumerate(kitchen.counters, kitchen.counter0):
        if paths.reachable(cell) and dice.random() < _ON_COUNTER:
            state[slot] = _item(kitchen, dice, empty=0.0)
    return state


def kitchen_paths(kitchen: Kitchen) -> Paths:
    """Return the paths of a kitchen."""
    return Paths(width=kitchen.width, floor=kitchen.floor, act=INTERACT)


def _ingredients(kitchen: Kitchen) -> list[int]:
    return [code for code, letter in ((ONION, "O"), (TOMATO, "T")) if kitchen.tiles(letter)]


def _item(kitchen: Kitchen, dice: np.random.Generator, *, empty: float) -> int:
    if dice.random() < empty:
        return NOTHING
    kind = _pick([*_ingredients(kitchen), DISH, SOUP], dice)
    return SOUP + _contents(kitchen, dice, least=1) if kind == SOUP else kind


def _contents(kitchen: Kitchen, dice: np.random.Generator, *, least: int) -> int:
    """Return the contents of a pot, any number of ingredients from `least` on."""
    contents = 0
    for _ in range(int(dice.integers(least, kitchen.layout.max_num_ingredients + 1))):
        contents = 3 * contents + _pick(_ingredients(kitchen), dice)
    return contents


def _pick(things: Sequence[int], dice: np.random.Generator) -> int:
    return things[int(dice.integers(len(things)))]
