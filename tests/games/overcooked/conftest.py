"""Kitchens in the middle of a service, and joint actions that make things happen."""

import random
from collections.abc import Callable
from itertools import product

import pytest

from hocket.games.overcooked.items import DISH, INGREDIENTS, NOTHING, ONION, SOUP, TOMATO, pack
from hocket.games.overcooked.kitchen import INTERACT, Kitchen
from hocket.games.overcooked.layout import Layout

Varied = Callable[[Kitchen, random.Random], tuple[int, ...]]
Joint = Callable[[Kitchen, random.Random], tuple[int, ...]]


@pytest.fixture(scope="session")
def varied() -> Varied:
    """A random state of a kitchen: cooks anywhere, full hands, pots at every stage, cluttered counters."""
    return _varied


def _varied(kitchen: Kitchen, rng: random.Random) -> tuple[int, ...]:
    cook_time, most = kitchen.tables.cook_time, kitchen.layout.max_num_ingredients
    soups = [pack(soup) for size in range(1, most + 1) for soup in product(INGREDIENTS, repeat=size)]
    soups += 5 * [pack(rng.sample(order, len(order))) for order in kitchen.layout.orders()]
    items = [ONION, TOMATO, DISH, DISH, *(SOUP + rng.choice(soups) for _ in range(3))]
    state = list(kitchen.tables.blank())
    state[0] = rng.randrange(400)
    for seat, cell in enumerate(rng.sample(kitchen.floor, kitchen.players)):
        held = rng.choice(items) if rng.random() < 0.6 else NOTHING
        state[kitchen.seat0 + 3 * seat : kitchen.seat0 + 3 * seat + 3] = [cell, rng.randrange(4), held]
    for slot in range(kitchen.pot0, kitchen.counter0, 2):
        if rng.random() < 0.7:
            contents = rng.choice(soups)
            state[slot : slot + 2] = [contents, rng.choice([-1, 0, cook_time[contents] - 1, cook_time[contents]])]
    for slot in range(kitchen.counter0, len(state)):
        if rng.random() < 0.2:
            state[slot] = rng.choice(items)
    return tuple(state)


@pytest.fixture(scope="session")
def busy() -> Joint:
    """A random joint action in which interacts are more likely than in a uniform one."""
    return _busy


def _busy(kitchen: Kitchen, rng: random.Random) -> tuple[int, ...]:
    return tuple(INTERACT if rng.random() < 0.25 else rng.randrange(6) for _ in range(kitchen.players))


@pytest.fixture(scope="session")
def three_cooks() -> Layout:
    """A kitchen for three, narrow enough for them to collide."""
    grid = ("XPPXXX", "O1 2TX", "X  3 S", "XDXSXX")
    return Layout(name="three_cooks", grid=grid, bonus_orders=(("onion", "tomato"),), onion_value=21, tomato_value=13)
