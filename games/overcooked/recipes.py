"""What a soup is worth and how long it cooks.

The keys and their order of precedence are those of overcooked-ai 1.1.0: a key
for all soups, then a list beside the orders, then a sum over the ingredients,
then 20. As there, a value or time of 0 for all soups or for one ingredient
counts as not given, while 0 in a list counts.
"""

from collections.abc import Iterable
from itertools import combinations_with_replacement
from typing import Literal, TypeAlias

import msgspec

from hocket.games.overcooked.items import INGREDIENTS

Soup: TypeAlias = tuple[str, ...]
"""Ingredients of a soup; their order does not matter to an order."""

DEFAULT = 20
"""Game points, or ticks, of a soup that no key speaks of."""
MOST_INGREDIENTS = 8
"""A larger pot would make tables too large to be worth it."""
LARGEST_NUMBER = 1_000_000_000
"""Bound of points and ticks, far from where JSON or a float would lose some."""


class Recipes(msgspec.Struct, frozen=True, kw_only=True):
    """Orders, values and cooking times of one kitchen."""

    all_orders: tuple[Soup, ...] = ()
    """Soups that are paid for; empty for every possible soup."""
    bonus_orders: tuple[Soup, ...] = ()
    """Those of them that are paid `order_bonus` times."""
    order_bonus: float | Literal["inf"] = 2.0
    max_num_ingredients: int = 3
    delivery_reward: float | None = None
    """Game points of every soup that is ordered."""
    recipe_values: tuple[float, ...] | None = None
    """Game points, one for each of `all_orders`."""
    onion_value: float | None = None
    tomato_value: float | None = None
    cook_time: int | None = None
    """Ticks of every soup."""
    recipe_times: tuple[int, ...] | None = None
    """Ticks, one for each of `all_orders`."""
    onion_time: int | None = None
    tomato_time: int | None = None

    def value(self, soup: Soup) -> float:
        """Game points of a soup before any bonus, whether it is ordered or not."""
        if self.delivery_reward:
            return self.delivery_reward
        if self.recipe_values is not None:
            return dict(zip(map(soup_key, self.all_orders), self.recipe_values, strict=True)).get(
                soup_key(soup), float(DEFAULT)
            )
        if self.onion_value and self.tomato_value:
            return soup.count("onion") * self.onion_value + soup.count("tomato") * self.tomato_value
        return float(DEFAULT)

    def time(self, soup: Soup) -> int:
        """Ticks from the start of cooking until a soup is done."""
        if self.cook_time:
            return self.cook_time
        if self.recipe_times is not None:
            return dict(zip(map(soup_key, self.all_orders), self.recipe_times, strict=True)).get(
                soup_key(soup), DEFAULT
            )
        if self.onion_time and self.tomato_time:
            return soup.count("onion") * self.onion_time + soup.count("tomato") * self.tomato_time
        return DEFAULT


def soup_key(soup: Iterable[str]) -> Soup:
    """The same for two soups that an order cannot tell apart."""
    return tuple(sorted(soup))


def all_soups(most: int) -> tuple[Soup, ...]:
    """Every soup of 1 to `most` ingredients, in the order in which orders are listed."""
    sizes = range(1, most + 1)
    return sorted_orders((soup for size in sizes for soup in combinations_with_replacement(INGREDIENTS, size)), most)


def sorted_orders(orders: Iterable[Soup], most: int) -> tuple[Soup, ...]:
    """Orders with sorted ingredients, in the package's order: onion soups, tomato soups, mixed ones."""

    def rank(soup: Soup) -> tuple[bool, int]:
        onions, tomatoes = soup.count("onion"), soup.count("tomato")
        return bool(onions and tomatoes), onions + (most + 1) * tomatoes

    return tuple(sorted(map(soup_key, orders), key=rank))


def recipe_problem(recipes: Recipes) -> str | None:
    """What is wrong with the recipes of a kitchen, as half a sentence; None if nothing is."""
    most = recipes.max_num_ingredients
    if not 1 <= most <= MOST_INGREDIENTS:
        return f"max_num_ingredients is {most}, but must be 1 to {MOST_INGREDIENTS}"
    return (
        orders_problem(recipes.all_orders, recipes.bonus_orders, most)
        or _key_problem(recipes)
        or _number_problem(recipes)
    )


def orders_problem(all_orders: tuple[Soup, ...], bonus_orders: tuple[Soup, ...], most: int) -> str | None:
    """What is wrong with two lists of orders; `most` ingredients fit into a pot."""
    for kind, orders in (("all_orders", all_orders), ("bonus_orders", bonus_orders)):
        for order in orders:
            if not order:
                return f"{kind} holds an order without ingredients"
            unknown = [name for name in order if name not in INGREDIENTS]
            if unknown:
                return f"{kind} asks for {unknown[0]!r}, but there are only onion and tomato"
            if len(order) > most:
                return f"{kind} asks for {len(order)} ingredients, but a pot takes {most}"
        keys = [soup_key(order) for order in orders]
        if len(set(keys)) < len(keys):
            double = next(key for key in keys if keys.count(key) > 1)
            return f"{kind} holds {', '.join(double)} twice"
    known = {soup_key(order) for order in all_orders or all_soups(most)}
    for order in bonus_orders:
        if soup_key(order) not in known:
            return f"the bonus order {', '.join(order)} is not one of all_orders"
    return None


_EXCLUSIVE = (
    ("onion_value", "delivery_reward"),
    ("onion_value", "recipe_values"),
    ("recipe_values", "delivery_reward"),
    ("onion_time", "cook_time"),
    ("onion_time", "recipe_times"),
    ("recipe_times", "cook_time"),
)


def _key_problem(recipes: Recipes) -> str | None:
    def given(key: str) -> bool:
        return getattr(recipes, key) is not None

    for kind in ("value", "time"):
        if given(f"onion_{kind}") != given(f"tomato_{kind}"):
            return f"onion_{kind} and tomato_{kind} must be given together"
    for one, other in _EXCLUSIVE:
        if given(one) and given(other):
            return f"{one} and {other} exclude each other"
    for key in ("recipe_values", "recipe_times"):
        listed = getattr(recipes, key)
        if listed is not None and not recipes.all_orders:
            return f"{key} needs all_orders"
        if listed is not None and len(listed) != len(recipes.all_orders):
            return f"{key} has {len(listed)} entries for {len(recipes.all_orders)} orders"
    return None


def _number_problem(recipes: Recipes) -> str | None:
    for key in ("delivery_reward", "recipe_values", "onion_value", "tomato_value", "order_bonus"):
        for number in _numbers(recipes, key):
            if not -LARGEST_NUMBER <= number <= LARGEST_NUMBER:
                also = ", or 'inf'" if key == "order_bonus" else ""
                return f"{key} is {number}, but must be within {LARGEST_NUMBER} of 0{also}"
    for key in ("cook_time", "recipe_times", "onion_time", "tomato_time"):
        for number in _numbers(recipes, key):
            if not 0 <= number <= LARGEST_NUMBER:
                return f"{key} is {number}, but must be 0 to {LARGEST_NUMBER}"
    if recipes.order_bonus == "inf" and not all(recipes.value(order) for order in recipes.bonus_orders):
        return "order_bonus is infinite, but a bonus order is worth 0"
    return None


def _numbers(recipes: Recipes, key: str) -> list[float]:
    given = getattr(recipes, key)
    listed = given if isinstance(given, tuple) else (given,)
    return [number for number in listed if isinstance(number, int | float)]
