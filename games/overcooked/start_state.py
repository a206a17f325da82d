"""A kitchen that does not start empty.

What the rules can represent and nothing else: off a pot a soup is done, in a pot
it has cooked no longer than it needs, and only pots and counters carry things.
"""

from typing import Literal

import msgspec

from hocket.games.overcooked.grid import COUNTER, FLOOR, POT, Grid
from hocket.games.overcooked.items import DISH, INGREDIENTS, PLAIN, SOUP, item_code, unpack
from hocket.games.overcooked.recipes import LARGEST_NUMBER, Recipes, Soup, orders_problem
from hocket.runtime.events import Cell


class StartPlayer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a player stands and what it holds."""

    at: Cell
    facing: Literal["north", "south", "east", "west"] = "north"
    holds: str = "nothing"
    """Name of an item, e.g. `soup:onion,onion`."""
    cooking_tick: int | None = None
    """How long a held soup has cooked, in ticks; None for done."""


class StartObject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A thing on a counter, or the contents of a pot."""

    at: Cell
    item: str
    """Name of an item; what fills a pot is a soup, done or not."""
    cooking_tick: int | None = None
    """How long a soup has cooked, in ticks; None for not started in a pot, and for done elsewhere."""


class StartState(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that can differ between two moments of one kitchen."""

    players: tuple[StartPlayer, ...]
    objects: tuple[StartObject, ...] = ()
    all_orders: tuple[Soup, ...] = ()
    """These orders replace those of the layout; empty for every possible soup."""
    bonus_orders: tuple[Soup, ...] = ()
    tick: int = 0


def start_problem(start: StartState, grid: Grid, recipes: Recipes) -> str | None:
    """What is wrong with a start state in its kitchen, as half a sentence; None if nothing is."""
    if not 0 <= start.tick <= LARGEST_NUMBER:
        return f"its start state is at tick {start.tick}"
    if len(start.players) != len(grid.starts):
        return f"its start state has {len(start.players)} players, but its grid {len(grid.starts)}"
    problems = [_player_problem(number, start, grid, recipes) for number in range(len(start.players))]
    problems += [_object_problem(index, start, grid, recipes) for index in range(len(start.objects))]
    problems.append(orders_problem(start.all_orders, start.bonus_orders, recipes.max_num_ingredients))
    found = next((problem for problem in problems if problem), None)
    return f"in its start state {found}" if found else None


def _player_problem(number: int, start: StartState, grid: Grid, recipes: Recipes) -> str | None:
    player = start.players[number]
    cell = grid.cell(player.at)
    if cell is None or grid.terrain[cell] != FLOOR:
        return f"player {number + 1} stands in a wall at {player.at}"
    if player.at in [other.at for other in start.players[:number]]:
        return f"two players stand at {player.at}"
    found = _item_problem(player.holds, recipes) or _undone(player.holds, player.cooking_tick, recipes)
    return f"player {number + 1} holds {found}" if found else None


def _object_problem(index: int, start: StartState, grid: Grid, recipes: Recipes) -> str | None:
    thing = start.objects[index]
    cell = grid.cell(thing.at)
    terrain = FLOOR if cell is None else grid.terrain[cell]
    if thing.at in [other.at for other in start.objects[:index]]:
        return f"two objects lie at {thing.at}"
    if terrain not in (COUNTER, POT):
        return f"{thing.item!r} lies at {thing.at}, where there is neither a counter nor a pot"
    found = _item_problem(thing.item, recipes)
    if not found and thing.item == "nothing":
        found = "'nothing'"
    if not found and terrain == POT:
        found = _pot_problem(thing, recipes)
    elif not found:
        found = _undone(thing.item, thing.cooking_tick, recipes)
    return f"at {thing.at} there is {found}" if found else None


def _item_problem(item: str, recipes: Recipes) -> str | None:
    if item in PLAIN:
        return None
    kind, _, listed = item.partition(":")
    ingredients = listed.split(",")
    if kind != "soup" or not set(ingredients) <= set(INGREDIENTS):
        return f"{item!r}, which is neither onion, tomato, dish nor a soup of onions and tomatoes"
    if len(ingredients) > recipes.max_num_ingredients:
        return f"a soup of {len(ingredients)} ingredients, but a pot takes {recipes.max_num_ingredients}"
    return None


def _undone(item: str, cooking_tick: int | None, recipes: Recipes) -> str | None:
    if cooking_tick is None:
        return None
    if item in PLAIN:
        return f"{item!r} with a cooking tick"
    needed = recipes.time(unpack(item_code(item) - SOUP))
    if cooking_tick != needed:
        return f"a soup at cooking tick {cooking_tick}, but off a pot only a soup that is done (tick {needed})"
    return None


def _pot_problem(thing: StartObject, recipes: Recipes) -> str | None:
    if item_code(thing.item) <= DISH:
        return f"{thing.item!r} in a pot"
    needed = recipes.time(unpack(item_code(thing.item) - SOUP))
    if thing.cooking_tick is not None and not -1 <= thing.cooking_tick <= needed:
        return f"a soup at cooking tick {thing.cooking_tick}, but this one cooks from 0 to {needed} (-1: not started)"
    return None
