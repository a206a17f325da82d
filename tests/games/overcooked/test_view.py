"""What a cook sees: the whole kitchen, from its own place."""

import random
from collections.abc import Callable

import msgspec
import pytest

from hocket.games.overcooked.items import DISH, NOTHING, ONION, SOUP, pack
from hocket.games.overcooked.kitchen import Kitchen
from hocket.games.overcooked.layout import Layout, load_layout
from hocket.games.overcooked.view import CookView, KitchenView, PotView, Viewer

NORTH, SOUTH, EAST, WEST = range(4)
Varied = Callable[[Kitchen, random.Random], tuple[int, ...]]
ROOM = Layout(
    name="room",
    grid=("XPXPX", "O1 2T", "X 3 S", "XDXSX"),
    cook_time=9,
    all_orders=(("tomato", "onion"), ("onion", "onion", "onion")),
    bonus_orders=(("tomato", "onion"),),
)


def test_a_view_is_the_state_in_words() -> None:
    """Own place first, the others in seat order, places as (x, y), items by name."""
    kitchen = Kitchen(ROOM)
    soup = SOUP + pack(["onion", "tomato"])
    pots = [pack(["tomato", "onion"]), 3, pack(["onion"]), -1]
    counters = [ONION, NOTHING, soup, NOTHING, NOTHING, NOTHING, NOTHING]
    kitchen.load([12, 6, NORTH, DISH, 8, WEST, NOTHING, 12, EAST, soup, *pots, *counters])

    view = Viewer(kitchen).view(kitchen.facts(), 1)

    assert view == KitchenView(
        tick=12,
        grid=("XPXPX", "O   T", "X   S", "XDXSX"),
        me=CookView((3, 1), "west", "nothing"),
        others=(CookView((1, 1), "north", "dish"), CookView((2, 2), "east", "soup:onion,tomato")),
        pots=(
            PotView((1, 0), ("tomato", "onion"), "cooking", 6),
            PotView((3, 0), ("onion",), "filling", 0),
        ),
        counters=(((0, 0), "onion"), ((4, 0), "soup:onion,tomato")),
        orders=(("onion", "onion", "onion"), ("onion", "tomato")),
        bonuses=(("onion", "tomato"),),
    )


@pytest.mark.parametrize(
    ("ingredients", "cooked", "state", "left"),
    [
        ([], -1, "empty", 0),
        (["tomato"], -1, "filling", 0),
        (["onion"] * 2, -1, "filling", 0),
        (["onion", "tomato", "onion"], -1, "full", 0),
        (["onion"], 0, "cooking", 9),
        (["onion"] * 3, 8, "cooking", 1),
        (["onion"] * 3, 9, "ready", 0),
    ],
)
def test_a_pot_is_in_one_of_five_states(ingredients: list[str], cooked: int, state: str, left: int) -> None:
    """And says how long it still needs."""
    kitchen = Kitchen(ROOM)
    kitchen.state[kitchen.pot0 : kitchen.pot0 + 2] = [pack(ingredients), cooked]

    assert Viewer(kitchen).pot(kitchen.facts(), 0) == PotView((1, 0), tuple(ingredients), state, left)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["cramped_room", "multiplayer_schelling", "counter_circuit"])
def test_cooks_see_one_kitchen(name: str, varied: Varied) -> None:
    """Only who is `me` differs; nobody sees less than another."""
    kitchen, dice = Kitchen(load_layout(name)), random.Random(3)
    viewer = Viewer(kitchen)

    for _ in range(20):
        facts = varied(kitchen, dice)
        views = [viewer.view(facts, seat) for seat in range(kitchen.players)]
        assert len({msgspec.structs.replace(view, me=views[0].me, others=()) for view in views}) == 1
        for seat, view in enumerate(views):
            cooks = [*view.others[:seat], view.me, *view.others[seat:]]
            assert cooks == [viewer.cook(facts, each) for each in range(kitchen.players)]
