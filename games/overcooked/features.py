"""A kitchen as numbers: one plane of the grid for each thing that can be there.

Axes: C planes (below, in order), H rows from north, W columns from west.

    0-5    what stands there: counter, pot, onions, tomatoes, dishes, serving window
    6-9    the seat itself, by heading north, south, east, west
    10-13  any other cook, by heading
    14-17  an onion, tomato, dish or soup, on a counter or in the hands of a cook there
    18-19  onions and tomatoes in a pot, each divided by what a pot takes
    20     how long a pot has cooked, divided by what it needs
    21     a soup that is done, in a pot
"""

import numpy as np
from numpy.typing import NDArray

from hocket.games.overcooked.items import SOUP, unpack
from hocket.games.overcooked.kitchen import Kitchen

PLANES = 22
_STANDS = "XPOTDS"


def planes(kitchen: Kitchen, facts: tuple[int, ...], seat: int) -> NDArray[np.float32]:
    """Return the planes that `seat` sees, shape [C = 22, H, W], float32 in 0..1."""
    array = np.zeros((PLANES, kitchen.height, kitchen.width), dtype=np.float32)
    flat = array.reshape(PLANES, -1)
    for plane, mark in enumerate(_STANDS):
        flat[plane, list(kitchen.tiles(mark))] = 1.0
    for cook in range(kitchen.players):
        cell, heading, held = facts[kitchen.seat0 + 3 * cook :][:3]
        flat[(6 if cook == seat else 10) + heading, cell] = 1.0
        _lay(flat, cell, held)
    for slot, cell in enumerate(kitchen.counters, kitchen.counter0):
        _lay(flat, cell, facts[slot])
    for place, cell in enumerate(kitchen.pots):
        contents, cooked = facts[kitchen.pot0 + 2 * place :][:2]
        ingredients = unpack(contents)
        flat[18, cell] = ingredients.count("onion") / kitchen.layout.max_num_ingredients
        flat[19, cell] = ingredients.count("tomato") / kitchen.layout.max_num_ingredients
        if cooked >= 0:
            needed = kitchen.tables.cook_time[contents]
            flat[20, cell] = min(1.0, cooked / needed) if needed else 1.0
            flat[21, cell] = float(cooked >= needed)
    return array


def _lay(flat: NDArray[np.float32], cell: int, item: int) -> None:
    if item:
        flat[14 + min(item, SOUP) - 1, cell] = 1.0
