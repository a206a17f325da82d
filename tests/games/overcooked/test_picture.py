"""A kitchen in characters."""

import random
from collections.abc import Callable

import pytest

from hocket.games.overcooked.items import DISH, ONION, SOUP, TOMATO, pack
from hocket.games.overcooked.kitchen import Kitchen
from hocket.games.overcooked.layout import Layout, layout_names, load_layout
from hocket.games.overcooked.picture import LEGEND, item_letter, picture
from hocket.games.overcooked.view import Viewer

NORTH, SOUTH, EAST, WEST = range(4)
Varied = Callable[[Kitchen, random.Random], tuple[int, ...]]
ROOM = Layout(name="room", grid=("XPPPX", "O1 2T", "X   S", "XDXXX"), cook_time=13)
THREE = pack(["onion"] * 3)


def test_a_picture_shows_everything() -> None:
    """Floor, fixtures, pots at three stages, items on counters, cooks with what they hold; then what it all means."""
    kitchen = Kitchen(ROOM)
    pots = [pack(["onion", "tomato"]), -1, THREE, 4, THREE, 13]
    counters = [ONION, 0, SOUP + THREE, 0, TOMATO, DISH, 0]
    kitchen.load([7, 6, NORTH, ONION, 8, WEST, 0, *pots, *counters])

    assert picture(kitchen, Viewer(kitchen), kitchen.facts()).splitlines() == [
        "[o] (2) ~9  (!) [ ]",
        " O  0^o  .  1<   T",
        "[s]  .   .   .   S",
        "[ ]  D  [t] [d] [ ]",
        "",
        *LEGEND.splitlines(),
    ]


@pytest.mark.parametrize("name", layout_names())
def test_every_cell_is_four_characters_wide(name: str, varied: Varied) -> None:
    """Columns stand below each other, a pot that cooks for a hundred ticks more included."""
    kitchen, dice = Kitchen(load_layout(name)), random.Random(5)
    facts = varied(kitchen, dice)

    rows = picture(kitchen, Viewer(kitchen), facts).splitlines()[: kitchen.height]

    cells = [[row.ljust(4 * kitchen.width)[4 * x : 4 * x + 4] for x in range(kitchen.width)] for row in rows]
    assert len(rows) == kitchen.height
    assert all(cell[3] == " " for row in cells for cell in row)
    for y, row in enumerate(kitchen.layout.grid):
        assert [cells[y][x].strip() for x, mark in enumerate(row) if mark in "OTDS"] == [
            mark for mark in row if mark in "OTDS"
        ]
    for seat in range(kitchen.players):
        cell = facts[kitchen.seat0 + 3 * seat]
        assert cells[cell // kitchen.width][cell % kitchen.width].startswith(str(seat))


def test_a_letter_stands_for_an_item() -> None:
    """Every soup is a soup."""
    items = (0, ONION, TOMATO, DISH, SOUP + 1, SOUP + THREE)

    assert "".join(map(item_letter, items)) == " otdss"
