"""Kitchens that start in the middle of a service."""

from typing import Any

import pytest

from hocket.games.overcooked.items import DISH, SOUP, pack
from hocket.games.overcooked.kitchen import Kitchen
from hocket.games.overcooked.layout import Layout
from hocket.games.overcooked.start_state import StartObject, StartPlayer, StartState
from hocket.runtime.errors import LayoutError

GRID = ("XPXXX", "O1 2T", "XDXSX")
ADA, BO = StartPlayer(at=(1, 1)), StartPlayer(at=(3, 1))


def starting(*objects: StartObject, players: tuple[StartPlayer, ...] = (ADA, BO), **more: Any) -> Layout:
    """A small kitchen with a start state."""
    start = StartState(players=players, objects=objects, **more)
    return Layout(name="small", grid=GRID, cook_time=9, start_state=start)


def test_a_start_state_is_where_the_kitchen_starts() -> None:
    """Cooks, hands, a pot half done, and a dish on a counter."""
    ada = StartPlayer(at=(2, 1), facing="east", holds="soup:tomato,onion")
    pot = StartObject(at=(1, 0), item="soup:onion", cooking_tick=4)
    kitchen = Kitchen(starting(pot, StartObject(at=(2, 0), item="dish"), players=(ada, BO), tick=7))

    soup = SOUP + pack(["tomato", "onion"])
    assert kitchen.facts()[:10] == (7, 7, 2, soup, 8, 0, 0, pack(["onion"]), 4, 0)
    assert kitchen.facts()[10] == DISH


def test_the_orders_of_a_start_state_replace_those_of_the_layout() -> None:
    """As in the package, where orders belong to the state."""
    start = StartState(players=(ADA, BO), all_orders=(("tomato",),), bonus_orders=(("tomato",),))

    layout = Layout(name="small", grid=GRID, all_orders=(("onion",),), start_state=start)

    assert (layout.points(("onion",)), layout.points(("tomato",))) == (0.0, 40.0)


@pytest.mark.parametrize(
    ("layout", "problem"),
    [
        ({"tick": -1}, "its start state is at tick -1"),
        ({"players": (ADA,)}, "its start state has 1 players, but its grid 2"),
        ({"players": (ADA, ADA)}, r"in its start state two players stand at \(1, 1\)"),
        ({"players": (StartPlayer(at=(0, 0)), BO)}, r"in its start state player 1 stands in a wall at \(0, 0\)"),
        ({"players": (StartPlayer(at=(9, 0)), BO)}, r"in its start state player 1 stands in a wall at \(9, 0\)"),
        (
            {"players": (StartPlayer(at=(1, 1), holds="leek"), BO)},
            "in its start state player 1 holds 'leek', which is neither onion, tomato, dish nor a soup .*",
        ),
        (
            {"players": (StartPlayer(at=(1, 1), holds="soup:onion", cooking_tick=3), BO)},
            r"in its start state player 1 holds a soup at cooking tick 3, but off a pot only .* done \(tick 9\)",
        ),
        (
            {"players": (StartPlayer(at=(1, 1), holds="dish", cooking_tick=3), BO)},
            "in its start state player 1 holds 'dish' with a cooking tick",
        ),
        ({"all_orders": (("leek",),)}, "in its start state all_orders asks for 'leek', but .*"),
    ],
)
def test_players_that_cannot_be_are_refused(layout: dict[str, Any], problem: str) -> None:
    """The package takes some of these and fails at the first step."""
    with pytest.raises(LayoutError, match=f"^layout small: {problem}$"):
        starting(**layout)


@pytest.mark.parametrize(
    ("objects", "problem"),
    [
        (
            [StartObject(at=(2, 1), item="onion")],
            r"'onion' lies at \(2, 1\), where there is neither a counter nor a pot",
        ),
        (
            [StartObject(at=(0, 1), item="onion")],
            r"'onion' lies at \(0, 1\), where there is neither a counter nor a pot",
        ),
        ([StartObject(at=(2, -1), item="onion")], r"'onion' lies at \(2, -1\), where there is .*"),
        ([StartObject(at=(2, 0), item="dish")] * 2, r"two objects lie at \(2, 0\)"),
        ([StartObject(at=(2, 0), item="nothing")], r"at \(2, 0\) there is 'nothing'"),
        ([StartObject(at=(1, 0), item="onion")], r"at \(1, 0\) there is 'onion' in a pot"),
        (
            [StartObject(at=(1, 0), item="soup:" + ",".join(["onion"] * 6))],
            r"at \(1, 0\) there is a soup of 6 ingredients, but a pot takes 3",
        ),
        ([StartObject(at=(1, 0), item="soup:")], r"at \(1, 0\) there is 'soup:', which is neither .*"),
        (
            [StartObject(at=(1, 0), item="soup:onion", cooking_tick=10)],
            r"at \(1, 0\) there is a soup at cooking tick 10, but this one cooks from 0 to 9 \(-1: not started\)",
        ),
        (
            [StartObject(at=(2, 0), item="soup:onion", cooking_tick=-1)],
            r"at \(2, 0\) there is a soup at cooking tick -1, but off a pot only a soup that is done \(tick 9\)",
        ),
    ],
)
def test_objects_that_cannot_be_are_refused(objects: list[StartObject], problem: str) -> None:
    """What the flat state cannot hold is said before an episode starts."""
    with pytest.raises(LayoutError, match=f"^layout small: in its start state {problem}$"):
        starting(*objects)
