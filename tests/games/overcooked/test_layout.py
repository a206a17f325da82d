"""Layouts by name and from files, and every way in which one can be wrong."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hocket.games.overcooked.kitchen import Kitchen
from hocket.games.overcooked.layout import ALIASES, Layout, layout_names, load_layout
from hocket.games.overcooked.layout_file import LARGEST
from hocket.runtime.errors import LayoutError, UnknownNameError

GRID = ("XPXXX", "O1 2T", "XDXSX")


def layout(**changes: Any) -> Layout:
    """A small kitchen with something changed."""
    fields: dict[str, Any] = {"name": "small", "grid": GRID}
    return Layout(**(fields | changes))


def test_the_shipped_layouts_are_those_of_the_package() -> None:
    """All 45, under the names of their files."""
    names = layout_names()

    assert (len(names), list(names), "cramped_room" in names) == (45, sorted(names), True)
    assert [load_layout(name).name for name in names] == list(names)


@pytest.mark.parametrize("name", layout_names())
def test_a_trace_header_is_enough_to_rebuild_a_layout(name: str) -> None:
    """It goes through JSON and comes back equal, infinite bonus and start state included."""
    before = load_layout(name)

    after = msgspec.json.decode(msgspec.json.encode(before), type=Layout)

    assert (after, Kitchen(after).facts()) == (before, Kitchen(before).facts())


def test_the_names_of_2019_still_work() -> None:
    """Papers and recordings use them."""
    renamed = {alias: load_layout(alias).name for alias in ALIASES}

    assert renamed == ALIASES
    assert renamed["random3"] == "counter_circuit_o_1order"


def test_an_unknown_name_lists_the_nearest() -> None:
    """A typing error is the common case."""
    with pytest.raises(UnknownNameError, match="there is no layout 'cramped_rom' \\(nearest: cramped_room"):
        load_layout("cramped_rom")


def test_a_layout_counts_its_players_and_its_soups() -> None:
    """No orders means that every soup is one, in an order that no hash decides."""
    small = layout(max_num_ingredients=2)

    assert small.players == 2
    assert small.orders() == (
        ("onion",),
        ("onion", "onion"),
        ("tomato",),
        ("tomato", "tomato"),
        ("onion", "tomato"),
    )


@pytest.mark.parametrize(
    ("grid", "problem"),
    [
        ((), "its grid is empty"),
        (("",), "its grid is empty"),
        (("X" * 200,), "its grid is longer than 128 cells"),
        (("XPXXX", "O1 2T", "XDXS"), "its grid is ragged: row 2 has 4 cells and row 0 has 5"),
        (("XPXXX", "O1Z2T", "XDXSX"), r"'Z' at \(2, 1\) is none of X O T D P S, a blank and the players 1 to 9"),
        (("XPX X", "O1 2T", "XDXSX"), r"its border is open at \(3, 0\)"),
        (("XPXXX", "O1  2", "XDXSX"), r"its border is open at \(4, 1\)"),
        (("XPXXX", "O   T", "XDXSX"), "it has no player"),
        (("XPXXX", "O1 1T", "XDXSX"), "player 1 stands in two places"),
        (("XPXXX", "O1 3T", "XDXSX"), "it has a player 3 but no player 2"),
        (("XXXXX", "O1 2T", "XDXSX"), r"it has no pot \(P\)"),
        (("XPXXX", "O1 2T", "XXXSX"), r"it has no dishes \(D\)"),
        (("XPXXX", "O1 2T", "XDXXX"), r"it has no serving counter \(S\)"),
        (("XPXXX", "X1 2X", "XDXSX"), r"it has no ingredient \(O or T\)"),
    ],
)
def test_a_floor_plan_that_cannot_be_played_is_refused(grid: tuple[str, ...], problem: str) -> None:
    """The package refuses the same ones, with a bare AssertionError."""
    with pytest.raises(LayoutError, match=f"^layout small: {problem}$"):
        layout(grid=grid)


@pytest.mark.parametrize("players", [1, 3, 9])
def test_one_to_nine_may_cook(players: int) -> None:
    """As many as there are digits."""
    row = "123456789"[:players].ljust(9)

    assert layout(grid=("XPXXXXXXXXX", f"O{row}T", "XDXSXXXXXXX")).players == players


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"max_num_ingredients": 0}, "max_num_ingredients is 0, but must be 1 to 8"),
        ({"max_num_ingredients": 9}, "max_num_ingredients is 9, but must be 1 to 8"),
        ({"all_orders": [[]]}, "all_orders holds an order without ingredients"),
        ({"all_orders": [["leek"]]}, "all_orders asks for 'leek', but there are only onion and tomato"),
        ({"all_orders": [["onion"] * 4]}, "all_orders asks for 4 ingredients, but a pot takes 3"),
        (
            {"all_orders": [["onion", "tomato"], ["tomato", "onion"]]},
            "all_orders holds onion, tomato twice",
        ),
        (
            {"all_orders": [["onion"]], "bonus_orders": [["tomato"]]},
            "the bonus order tomato is not one of all_orders",
        ),
        ({"onion_value": 3}, "onion_value and tomato_value must be given together"),
        ({"tomato_time": 3}, "onion_time and tomato_time must be given together"),
        (
            {"onion_value": 3, "tomato_value": 3, "delivery_reward": 1},
            "onion_value and delivery_reward exclude each other",
        ),
        (
            {"onion_value": 3, "tomato_value": 3, "all_orders": [["onion"]], "recipe_values": [1]},
            "onion_value and recipe_values exclude each other",
        ),
        (
            {"all_orders": [["onion"]], "recipe_values": [1], "delivery_reward": 1},
            "recipe_values and delivery_reward exclude each other",
        ),
        ({"onion_time": 3, "tomato_time": 3, "cook_time": 1}, "onion_time and cook_time exclude each other"),
        (
            {"onion_time": 3, "tomato_time": 3, "all_orders": [["onion"]], "recipe_times": [1]},
            "onion_time and recipe_times exclude each other",
        ),
        (
            {"all_orders": [["onion"]], "recipe_times": [1], "cook_time": 1},
            "recipe_times and cook_time exclude each other",
        ),
        ({"recipe_values": [1]}, "recipe_values needs all_orders"),
        ({"all_orders": [["onion"]], "recipe_times": [1, 2]}, "recipe_times has 2 entries for 1 orders"),
        ({"cook_time": -1}, "cook_time is -1, but must be 0 to 1000000000"),
        ({"all_orders": [["onion"]], "recipe_times": [-2]}, "recipe_times is -2, but must be 0 to 1000000000"),
        ({"delivery_reward": float("nan")}, "delivery_reward is nan, but must be within 1000000000 of 0"),
        ({"order_bonus": float("inf")}, "order_bonus is inf, but must be within 1000000000 of 0, or 'inf'"),
        (
            {"order_bonus": "inf", "bonus_orders": [["onion"]], "all_orders": [["onion"]], "recipe_values": [0]},
            "order_bonus is infinite, but a bonus order is worth 0",
        ),
    ],
)
def test_recipes_that_contradict_themselves_are_refused(fields: dict[str, Any], problem: str) -> None:
    """The rules about which keys go together are the package's."""
    written = {"name": "small", "grid": GRID} | fields

    with pytest.raises(LayoutError, match=f"^layout small: {problem}$"):
        msgspec.convert(written, Layout)


LITERAL = """
{
    "grid":  '''XPXXX
                O1 2T
                XDXSX''',
    "start_all_orders": [{"ingredients": ["onion", "tomato"]}],
    "start_bonus_orders": [{"ingredients": ["onion", "tomato"]}],
    "order_bonus": float('inf'),
    "num_items_for_soup": 2,
    "rew_shaping_params": None,
}
"""


def test_a_file_in_the_form_of_the_package_is_read(tmp_path: Path) -> None:
    """A Python literal; of calls only the infinity that one of the package's own files holds."""
    path = tmp_path / "mine.layout"
    path.write_text(LITERAL)
    order = (("onion", "tomato"),)

    read = load_layout(path)

    assert read == Layout(name="mine", grid=GRID, all_orders=order, bonus_orders=order, order_bonus="inf")
    assert load_layout(str(path)) == read


def test_a_file_in_json_is_read(tmp_path: Path) -> None:
    """In the fields of a layout, or in the keys of the package."""
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"grid": "\n".join(GRID), "all_orders": [["onion"]], "cook_time": 3}))

    assert load_layout(str(path)) == Layout(name="mine", grid=GRID, all_orders=(("onion",),), cook_time=3)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[1, 2]", "it holds a list, but must hold a dict of keys"),
        ("{1: 2}", "it holds a dict, but must hold a dict of keys"),
        ("{'grid': ", r"neither JSON nor a Python literal: '\{' was never closed \(line 1\)"),
        ("{'grid': open('x')}", "neither JSON nor a Python literal: it may hold only dicts, lists, texts and numbers"),
        ("", "neither JSON nor a Python literal: invalid syntax .*"),
        ("[" * 100_000, "neither JSON nor a Python literal.*"),
        ('{"grid": ["X"], "cook_tim": 3}', "it has an unknown key 'cook_tim'; did you mean 'cook_time'\\?"),
        ('{"grid": ["X"], "zzz": 3}', "it has an unknown key 'zzz'; known keys: all_orders, .*"),
        ('{"all_orders": [], "start_all_orders": []}', "it gives 'all_orders' twice, as 'start_all_orders' too"),
        ('{"cook_time": 3}', "it does not read as a layout: .*missing required field `grid`"),
        ('{"grid": 3}', "it does not read as a layout: Expected `array`, got `int` - at `\\$.grid`"),
        ('{"grid": "X", "cook_time": "long"}', "it does not read as a layout: Expected `int | null`.*cook_time`"),
        ('{"grid": "X", "start_all_orders": [{"ingredients": 3}]}', "it does not read as a layout: Expected `array`.*"),
        ('{"grid": "X", "delivery_reward": 1' + "0" * 400 + "}", "it does not read as a layout: .*"),
    ],
)
def test_a_file_that_is_no_layout_is_refused_in_one_sentence(tmp_path: Path, text: str, problem: str) -> None:
    """The sentence names the file and what is wrong in it."""
    path = tmp_path / "mine.layout"
    path.write_text(text)

    with pytest.raises(LayoutError, match=rf"^layout \S*mine\.layout: {problem}$"):
        load_layout(path)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    """Missing, a folder, too long, or not text."""
    long, binary = tmp_path / "long.json", tmp_path / "binary.json"
    long.write_text(" " * (LARGEST + 1))
    binary.write_bytes(b"\xff\xfe")
    cases = {
        tmp_path / "missing.json": "cannot be read: No such file or directory",
        tmp_path: "cannot be read: Is a directory",
        long: f"the file is longer than {LARGEST} bytes",
        binary: "the file is not UTF-8 text",
        Path("nul\0/mine.json"): "cannot be read: embedded null byte",
    }

    for path, problem in cases.items():
        with pytest.raises(LayoutError, match=f"{problem}$"):
            load_layout(path)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["onion", GRID]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(fields=st.dictionaries(st.sampled_from([*Layout.__struct_fields__, "start_all_orders"]), values, max_size=5))
def test_whatever_a_file_holds_it_is_a_layout_or_a_layout_error(
    tmp_path_factory: pytest.TempPathFactory, fields: dict[str, Any]
) -> None:
    """No other exception reaches whoever named the file."""
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_text(json.dumps({"grid": GRID} | fields))

    try:
        read = load_layout(path)
    except LayoutError:
        return

    assert Kitchen(read).layout == read
