"""States in the form of overcooked-ai's `to_dict()`, for people who have such files.

The one difference: objects are sorted by position, where the package keeps the
order in which they came to lie there.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from hocket.games.overcooked.grid import OFFSETS
from hocket.games.overcooked.items import NOTHING, SOUP, item_name, unpack
from hocket.games.overcooked.kitchen import Kitchen
from hocket.games.overcooked.package_state import plain_state
from hocket.games.overcooked.recipes import Soup, soup_key
from hocket.games.overcooked.start_state import StartState, start_problem
from hocket.runtime.errors import LayoutError
from hocket.runtime.events import Cell

__all__ = ["from_dict", "item_name", "to_dict"]


def to_dict(kitchen: Kitchen, facts: Sequence[int]) -> dict[str, Any]:
    """A state of a kitchen as overcooked-ai 1.1.0 writes it.

    Args:
        kitchen: any kitchen of the layout.
        facts: a state of it, as `facts()` gives it.

    Returns:
        Players, objects sorted by position, orders and the time step.
    """
    tables, grid = kitchen.tables, kitchen.tables.grid
    objects = []
    for slot, cell in sorted((slot, cell) for cell, slot in tables.slots.items()):
        if not facts[slot]:
            continue
        if slot < tables.counter0:
            objects.append(_soup_dict(kitchen, grid.place(cell), facts[slot], facts[slot + 1]))
        else:
            objects.append(_item_dict(kitchen, grid.place(cell), facts[slot]))
    return {
        "players": [_player_dict(kitchen, facts, seat) for seat in range(kitchen.players)],
        "objects": sorted(objects, key=lambda thing: thing["position"]),
        "bonus_orders": _orders(kitchen.layout.bonuses()),
        "all_orders": _orders(kitchen.layout.orders()),
        "timestep": facts[0],
    }


def from_dict(kitchen: Kitchen, state: Mapping[str, Any]) -> tuple[int, ...]:
    """The facts of a state in the package's form, for `load()`.

    Raises:
        LayoutError: it is not in that form, or not a state of this kitchen.
    """
    layout = kitchen.layout
    try:
        start = msgspec.convert(plain_state(dict(state)), StartState)
    except (ValueError, OverflowError) as error:
        raise LayoutError(layout=layout.name, problem=f"this is not a state: {error}") from None
    problem = start_problem(start, kitchen.tables.grid, layout)
    if problem is None and start.all_orders and set(map(soup_key, start.all_orders)) != set(layout.orders()):
        problem = "in the state all_orders differ from those of the kitchen"
    if problem is None and set(map(soup_key, start.bonus_orders)) != set(layout.bonuses()):
        problem = "in the state bonus_orders differ from those of the kitchen"
    if problem is not None:
        raise LayoutError(layout=layout.name, problem=problem)
    return kitchen.tables.facts_of(start)


def _player_dict(kitchen: Kitchen, facts: Sequence[int], seat: int) -> dict[str, Any]:
    cell, heading, held = facts[kitchen.seat0 + 3 * seat : kitchen.seat0 + 3 * seat + 3]
    place = kitchen.tables.grid.place(cell)
    return {
        "position": place,
        "orientation": OFFSETS[heading],
        "held_object": None if held == NOTHING else _item_dict(kitchen, place, held),
    }


def _item_dict(kitchen: Kitchen, place: Cell, item: int) -> dict[str, Any]:
    if item < SOUP:
        return {"name": item_name(item), "position": place}
    return _soup_dict(kitchen, place, item - SOUP, kitchen.tables.cook_time[item - SOUP])


def _soup_dict(kitchen: Kitchen, place: Cell, contents: int, cooked: int) -> dict[str, Any]:
    needed = kitchen.tables.cook_time[contents]
    return {
        "name": "soup",
        "position": place,
        "_ingredients": [{"name": name, "position": place} for name in unpack(contents)],
        "cooking_tick": cooked,
        "is_cooking": 0 <= cooked < needed,
        "is_ready": cooked >= 0 and cooked >= needed,
        "is_idle": cooked < 0,
        "cook_time": -1 if cooked < 0 else needed,
        "_cooking_tick": cooked,
    }


def _orders(orders: tuple[Soup, ...]) -> list[dict[str, Soup]]:
    return [{"ingredients": order} for order in orders]
