"""A kitchen as a game of the table of games."""

from collections.abc import Mapping

import msgspec
import pytest

from hocket.games import registry
from hocket.games.overcooked.layout import layout_names, load_layout
from hocket.games.overcooked.world import INFINITE_BONUS, KIND, LIBRARIES, Overcooked
from hocket.runtime.errors import LayoutError, SettingError, UnknownNameError, UsageError
from hocket.runtime.game import GameSpec

BAD: Mapping[str, tuple[Mapping[str, object], type[UsageError], str]] = {
    "a time in words": (
        {"cook_time": "long"},
        SettingError,
        "cook_time is 'long', but must be what a layout takes: Expected `int | null`, got `str`",
    ),
    "a list of times": (
        {"cook_time": [1, 2]},
        SettingError,
        "cook_time is [1, 2], but must be what a layout takes: Expected `int | null`, got `array`",
    ),
    "half a tick": (
        {"onion_time": 1.5, "tomato_time": 2},
        SettingError,
        "onion_time is 1.5, but must be what a layout takes: Expected `int | null`, got `float`",
    ),
    "a value in words": (
        {"onion_value": "much"},
        SettingError,
        "onion_value is 'much', but must be what a layout takes: Expected `float | null`, got `str`",
    ),
    "a value in a list": (
        {"recipe_values": ["much"]},
        SettingError,
        "recipe_values is ['much'], but must be what a layout takes: Expected `float`, got `str`",
    ),
    "a truth for a number": (
        {"max_num_ingredients": True},
        SettingError,
        "max_num_ingredients is True, but must be what a layout takes: Expected `int`, got `bool`",
    ),
    "a bonus in words": (
        {"order_bonus": "twice"},
        SettingError,
        "order_bonus is 'twice', but must be what a layout takes: Invalid enum value 'twice'",
    ),
    "orders that are none": (
        {"all_orders": "soup"},
        SettingError,
        "all_orders is 'soup', but must be what a layout takes: Expected `array`, got `str`",
    ),
    "a negative time": (
        {"cook_time": -1},
        LayoutError,
        "layout cramped_room: cook_time is -1, but must be 0 to 1000000000",
    ),
    "a pot for nothing": (
        {"max_num_ingredients": 0},
        LayoutError,
        "layout cramped_room: max_num_ingredients is 0, but must be 1 to 8",
    ),
    "half of a pair": (
        {"onion_time": 5},
        LayoutError,
        "layout cramped_room: onion_time and tomato_time must be given together",
    ),
    "old dynamics as a number": (
        {"old_dynamics": 1},
        SettingError,
        "old_dynamics is 1, but must be true or false",
    ),
    "an unknown engine": ({"engine": "steam"}, SettingError, "engine is 'steam', but must be kitchen or reference"),
    "a key that is none": (
        {"cook_tim": 5},
        UnknownNameError,
        "there is no setting of overcooked 'cook_tim' (nearest: cook_time, onion_time, tomato_time)",
    ),
    "a key of the layout's own": (
        {"grid": []},
        UnknownNameError,
        "there is no setting of overcooked 'grid' (known: all_orders, bonus_orders, cook_time, ",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_setting_with_a_wrong_value_is_named(case: str) -> None:
    """One sentence: which key, which value, what would be right."""
    settings, kind, message = BAD[case]

    with pytest.raises(kind) as refused:
        registry.make("overcooked:cramped_room", settings)

    assert str(refused.value).startswith(message)


def test_a_number_beyond_all_bounds_is_refused_too() -> None:
    """JSON has numbers that no float can hold."""
    with pytest.raises(SettingError, match=r"^delivery_reward is 1000.* but must be what a layout takes"):
        registry.make("overcooked:cramped_room", {"delivery_reward": 10**400})


def test_settings_reach_the_rules() -> None:
    """And the spec, from which the game is built again."""
    game = registry.make("overcooked:cramped_room", {"cook_time": 7, "old_dynamics": True})

    assert isinstance(game, Overcooked)
    assert game.kitchen.layout.cook_time == 7
    assert game.kitchen.old_dynamics
    assert game.spec.settings["layout"]["cook_time"] == 7
    assert (game.spec.settings["old_dynamics"], game.spec.settings["engine"]) == (True, "kitchen")


def test_a_kitchen_is_named_by_its_layout() -> None:
    """The name of the family alone is no game; a misspelt layout is answered with the nearest."""
    with pytest.raises(SettingError) as none:
        registry.make("overcooked")
    with pytest.raises(UnknownNameError) as misspelt:
        registry.make("overcooked:cramped_rom")

    assert str(none.value) == ("game is 'overcooked', but must be overcooked:LAYOUT, e.g. overcooked:cramped_room")
    assert str(misspelt.value).startswith("there is no layout 'cramped_rom' (nearest: cramped_room")
    assert KIND.variants() == layout_names()


def test_there_are_three_libraries() -> None:
    """By name."""
    game = registry.make("overcooked:cramped_room")

    assert [registry.library(game, name).name for name in LIBRARIES] == list(LIBRARIES)

    with pytest.raises(
        UnknownNameError, match=r"there is no option library 'pots' \(known: default, errands, stations\)"
    ):
        registry.library(game, "pots")


def test_an_infinite_bonus_goes_through_json() -> None:
    """JSON has no number for it; a stated one stands for it, in the rules as in the spec."""
    game = Overcooked(load_layout("tutorial_3"))

    rebuilt = registry.rebuild(msgspec.json.decode(msgspec.json.encode(game.spec), type=GameSpec))

    assert game.kitchen.layout.order_bonus == INFINITE_BONUS
    assert rebuilt.spec == game.spec


def test_step_and_facts_are_those_of_the_kitchen() -> None:
    """They are its own calls, before a reset and after it."""
    game = Overcooked(load_layout("cramped_room"))
    start = game.facts()

    game.step((3, 5))
    moved = game.facts()
    game.reset(0, "standard")
    back = game.facts()
    game.reset(0, "varied")

    assert moved[0] == 1
    assert back == start == game.kitchen.tables.start
    assert game.facts() == game.kitchen.facts() != start
