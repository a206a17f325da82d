"""A kitchen as numbers, plane by plane."""

import random
from collections.abc import Callable

import numpy as np
import pytest

from hocket.games.overcooked.features import PLANES, planes
from hocket.games.overcooked.items import DISH, ONION, SOUP, TOMATO, pack
from hocket.games.overcooked.kitchen import Kitchen
from hocket.games.overcooked.layout import Layout, load_layout
from hocket.games.overcooked.view import HEADINGS, CookView, Viewer

NORTH, SOUTH, EAST, WEST = range(4)
Varied = Callable[[Kitchen, random.Random], tuple[int, ...]]
Cell = tuple[int, int]
ROOM = Layout(name="room", grid=("XPXPX", "O1 2T", "X 3 S", "XDXSX"), cook_time=8)


def shown(kitchen: Kitchen, seat: int) -> dict[int, dict[Cell, float]]:
    """By plane, what is not 0, by (x, y)."""
    array = planes(kitchen, kitchen.facts(), seat)
    return {
        plane: {(int(x), int(y)): float(array[plane, y, x]) for y, x in np.argwhere(array[plane])}
        for plane in range(PLANES)
        if array[plane].any()
    }


def ones(*cells: Cell) -> dict[Cell, float]:
    """1 at these places."""
    return dict.fromkeys(cells, 1.0)


STANDS = {
    0: ones((0, 0), (2, 0), (4, 0), (0, 2), (0, 3), (2, 3), (4, 3)),
    1: ones((1, 0), (3, 0)),
    2: ones((0, 1)),
    3: ones((4, 1)),
    4: ones((1, 3)),
    5: ones((4, 2), (3, 3)),
}


def test_an_empty_kitchen_shows_what_stands_there_and_who() -> None:
    """Planes 0 to 5, and everybody facing north: 6 for oneself, 10 for all others."""
    kitchen = Kitchen(ROOM)

    assert shown(kitchen, 1) == STANDS | {6: ones((3, 1)), 10: ones((1, 1), (2, 2))}


@pytest.mark.parametrize("heading", range(4))
def test_headings_are_planes(heading: int) -> None:
    """6 to 9 for oneself, 10 to 13 for another."""
    kitchen = Kitchen(ROOM)
    for seat in range(3):
        kitchen.state[2 + 3 * seat] = heading

    assert shown(kitchen, 2) == STANDS | {6 + heading: ones((2, 2)), 10 + heading: ones((1, 1), (3, 1))}


@pytest.mark.parametrize(("item", "plane"), [(ONION, 14), (TOMATO, 15), (DISH, 16), (SOUP + 1, 17), (SOUP + 13, 17)])
def test_items_are_planes_in_hands_and_on_counters(item: int, plane: int) -> None:
    """14 to 17, whoever holds it."""
    kitchen = Kitchen(ROOM)
    kitchen.state[3] = kitchen.state[kitchen.counter0 + 1] = item

    assert shown(kitchen, 1)[plane] == ones((1, 1), (2, 0))
    assert set(shown(kitchen, 1)) == {*STANDS, 6, 10, plane}


def test_pots_show_shares() -> None:
    """Onions and tomatoes by what a pot takes, how long it has cooked by what it needs, and whether it is done."""
    kitchen = Kitchen(ROOM)
    pots = [pack(["onion", "tomato", "onion"]), 2, pack(["tomato"]), 8]
    kitchen.state[kitchen.pot0 : kitchen.counter0] = pots

    found = shown(kitchen, 0)

    assert {plane: found.get(plane) for plane in range(18, PLANES)} == {
        18: {(1, 0): pytest.approx(2 / 3)},
        19: {(1, 0): pytest.approx(1 / 3), (3, 0): pytest.approx(1 / 3)},
        20: {(1, 0): 0.25, (3, 0): 1.0},
        21: {(3, 0): 1.0},
    }


@pytest.mark.parametrize("name", ["cramped_room_tomato", "multiplayer_schelling"])
def test_numbers_and_words_say_the_same(name: str, varied: Varied) -> None:
    """In random states: cooks, items and pots are those of the view."""
    kitchen, dice = Kitchen(load_layout(name)), random.Random(11)
    viewer = Viewer(kitchen)

    for _ in range(30):
        facts = varied(kitchen, dice)
        seat = dice.randrange(kitchen.players)
        array, view = planes(kitchen, facts, seat), viewer.view(facts, seat)
        expected = np.zeros_like(array)
        expected[:6] = planes(kitchen, kitchen.tables.blank(), seat)[:6]
        cooks: list[tuple[int, CookView]] = [(6, view.me), *((10, other) for other in view.others)]
        for first, cook in cooks:
            expected[first + HEADINGS.index(cook.facing), cook.place[1], cook.place[0]] = 1
        lying = [*view.counters, *((cook.place, cook.held) for _, cook in cooks if cook.held != "nothing")]
        for (x, y), item in lying:
            expected[14 + ["onion", "tomato", "dish", "soup"].index(item.partition(":")[0]), y, x] = 1
        for pot in view.pots:
            x, y = pot.at
            for plane, kind in ((18, "onion"), (19, "tomato")):
                expected[plane, y, x] = pot.contents.count(kind) / kitchen.layout.max_num_ingredients
            if pot.state in ("cooking", "ready"):
                expected[20, y, x] = 1 - pot.left / kitchen.layout.time(pot.contents)
                expected[21, y, x] = pot.state == "ready"
        assert np.allclose(array, expected)
