"""States in the package's form."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hocket.games.overcooked.kitchen import Kitchen
from hocket.games.overcooked.layout import layout_names, load_layout
from hocket.games.overcooked.state_dict import from_dict, to_dict
from hocket.runtime.errors import LayoutError

Draw = Callable[[Kitchen, random.Random], tuple[int, ...]]


@given(name=st.sampled_from(layout_names()), seed=st.integers(0, 2**32))
def test_a_state_goes_through_json_and_back(varied: Draw, name: str, seed: int) -> None:
    """Objects come sorted by position, and nothing is lost."""
    kitchen = Kitchen(load_layout(name))
    facts = varied(kitchen, random.Random(seed))

    written = to_dict(kitchen, facts)

    assert from_dict(kitchen, json.loads(json.dumps(written))) == facts
    positions = [thing["position"] for thing in written["objects"]]
    assert positions == sorted(positions)


SOUP = {
    "name": "soup",
    "position": [2, 0],
    "_ingredients": [{"name": "onion", "position": [2, 0]}],
    "cooking_tick": -1,
}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"players": []}, "its start state has 0 players, but its grid 2"),
        (
            {"objects": [{"name": "unicorn", "position": [0, 0]}]},
            r".*at \(0, 0\) there is 'unicorn', which is neither .*",
        ),
        ({"objects": [{"position": [0, 0]}]}, r"this is not a state: the entry at \[0, 0\] has no 'name'"),
        ({"objects": [SOUP, SOUP]}, r".*two objects lie at \(2, 0\)"),
        (
            {"objects": [SOUP | {"_ingredients": 3}]},
            r"this is not a state: the entry at \[2, 0\] is not in the form .*",
        ),
        ({"objects": [SOUP | {"_cooking_tick": 3}]}, r".*the soup at \[2, 0\] has two cooking ticks"),
        ({"objects": [SOUP | {"position": [0, 0]}]}, r".*an ingredient of the soup at \[0, 0\] is somewhere else"),
        ({"objects": [SOUP | {"state": ["onion", 1, 0]}]}, "this is not a state: .*unknown field `state`.*"),
        ({"objects": {"2,0": SOUP}}, "this is not a state: Expected `array`, got `object` - at `\\$.objects`"),
        ({"all_orders": [{"ingredients": ["onion"]}]}, "in the state all_orders differ from those of the kitchen"),
        ({"bonus_orders": [{"ingredients": ["onion"] * 3}], "all_orders": []}, ".*bonus_orders differ .*"),
        ({"order_list": None}, "this is not a state: .*unknown field `order_list`.*"),
        ({"timestep": "late"}, "this is not a state: Expected `int`, got `str` - at `\\$.tick`"),
    ],
)
def test_what_is_no_state_is_refused(change: dict[str, Any], problem: str) -> None:
    """The package takes most of these and fails at a step, or never."""
    kitchen = Kitchen(load_layout("cramped_room"))
    written = to_dict(kitchen, kitchen.facts())

    with pytest.raises(LayoutError, match=f"^layout cramped_room: {problem}$"):
        from_dict(kitchen, written | change)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"orientation": [2, 0]}, r".*a player faces \(2, 0\), which is no direction"),
        ({"held_object": {"name": "onion", "position": [0, 0]}}, ".*holds a thing that is somewhere else"),
        ({"hat": "red"}, "this is not a state: .*unknown field `hat`.*"),
        ({"position": [0, 0]}, r".*player 1 stands in a wall at \(0, 0\)"),
    ],
)
def test_what_is_no_player_is_refused(change: dict[str, Any], problem: str) -> None:
    """A player inside a wall among them."""
    kitchen = Kitchen(load_layout("cramped_room"))
    written = to_dict(kitchen, kitchen.facts())
    written["players"][0] |= change

    with pytest.raises(LayoutError, match=f"^layout cramped_room: {problem}$"):
        from_dict(kitchen, written)
