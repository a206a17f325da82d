"""Start states that are drawn."""

from random import Random

import pytest

from hocket.games.overcooked.items import NOTHING, item_name, unpack
from hocket.games.overcooked.kitchen import Kitchen
from hocket.games.overcooked.layout import layout_names, load_layout
from hocket.games.overcooked.starts import VariedStarts, kitchen_paths
from hocket.games.overcooked.view import Viewer
from hocket.games.overcooked.world import Overcooked

Facts = tuple[int, ...]


def drawn(kitchen: Kitchen, number: int) -> list[Facts]:
    """Many start states of a kitchen, from one stream of dice."""
    starts, dice = VariedStarts(kitchen), Random(7)
    return [tuple(starts.draw(dice)) for _ in range(number)]


def room(kitchen: Kitchen, cell: int) -> set[int]:
    """The floor that can be walked to from a cell."""
    found = {cell}
    while more := {kitchen.tables.grid.moved[4 * here + heading] for here in found for heading in range(4)} - found:
        found |= more
    return found


@pytest.mark.parametrize("name", layout_names())
def test_cooks_stand_apart_in_their_own_rooms(name: str) -> None:
    """A cook that changed rooms could do what it never can in play."""
    kitchen = Kitchen(load_layout(name))
    rooms = [room(kitchen, cell) for cell in kitchen.tables.grid.starts]

    for facts in drawn(kitchen, 40):
        cells = [facts[1 + 3 * seat] for seat in range(kitchen.players)]
        assert len(set(cells)) == kitchen.players
        assert all(cell in own for cell, own in zip(cells, rooms, strict=True))
        assert all(0 <= facts[2 + 3 * seat] < 4 for seat in range(kitchen.players))


@pytest.mark.parametrize("name", layout_names())
def test_there_is_only_what_the_kitchen_can_give(name: str) -> None:
    """No tomato where none is dispensed, no soup larger than a pot, nothing where nobody comes, no pot overcooked."""
    kitchen = Kitchen(load_layout(name))
    viewer, most = Viewer(kitchen), kitchen.layout.max_num_ingredients
    ingredients = {item for item, letter in (("onion", "O"), ("tomato", "T")) if kitchen.tiles(letter)}
    paths = kitchen_paths(kitchen)

    for facts in drawn(kitchen, 40):
        items = [*facts[3 : kitchen.pot0 : 3], *facts[kitchen.counter0 :]]
        for item in filter(None, items):
            kind, _, listed = item_name(item).partition(":")
            soup = listed.split(",") if listed else []
            assert kind in ingredients | {"dish", "soup"}
            assert set(soup) <= ingredients
            assert (kind == "soup") is (1 <= len(soup) <= most)
        for place in range(len(kitchen.pots)):
            contents, cooked = facts[kitchen.pot0 + 2 * place :][:2]
            assert set(unpack(contents)) <= ingredients
            assert len(unpack(contents)) <= most
            assert -1 <= cooked <= (kitchen.tables.cook_time[contents] if contents else -1)
        for at, _ in viewer.view(facts, 0).counters:
            assert paths.reachable(at[1] * kitchen.width + at[0])
        assert facts[0] == 0
        assert kitchen.facts() == kitchen.tables.start


def test_everything_comes_up() -> None:
    """Each pot state, each kind of item in hand and on a counter, each heading and each cell of the room."""
    kitchen = Kitchen(load_layout("cramped_room_tomato"))
    viewer = Viewer(kitchen)

    views = [viewer.view(facts, 0) for facts in drawn(kitchen, 600)]

    assert {view.pots[0].state for view in views} == {"empty", "filling", "full", "cooking", "ready"}
    assert {view.me.held.partition(":")[0] for view in views} == {"nothing", "onion", "tomato", "dish", "soup"}
    assert {item.partition(":")[0] for view in views for _, item in view.counters} == {
        "onion",
        "tomato",
        "dish",
        "soup",
    }
    assert {view.me.facing for view in views} == {"north", "south", "east", "west"}
    assert len({view.me.place for view in views}) == len(kitchen.floor)


def test_shares_are_as_stated() -> None:
    """Two hands in five are empty, one counter in five carries something, every other filled pot cooks."""
    kitchen = Kitchen(load_layout("counter_circuit"))
    states = drawn(kitchen, 2000)
    reachable = [
        slot for slot, cell in enumerate(kitchen.counters, kitchen.counter0) if kitchen_paths(kitchen).reachable(cell)
    ]

    empty = sum(facts[3] == NOTHING for facts in states) / 2000
    lying = sum(facts[slot] > 0 for facts in states for slot in reachable) / (2000 * len(reachable))
    filled = [facts for facts in states if facts[kitchen.pot0]]
    cooking = sum(facts[kitchen.pot0 + 1] >= 0 for facts in filled) / len(filled)

    assert empty == pytest.approx(0.4, abs=0.04)
    assert lying == pytest.approx(0.2, abs=0.02)
    assert cooking == pytest.approx(0.5, abs=0.04)
    assert len(filled) / 2000 == pytest.approx(0.75, abs=0.04)


def test_a_start_is_a_function_of_the_seed() -> None:
    """Whichever engine plays it, and whatever was drawn before; the usual start is the layout's."""
    layout = load_layout("forced_coordination")
    one, other = Overcooked(layout), Overcooked(layout)

    one.reset(0, "varied")
    one.reset(5, "varied")
    other.reset(5, "varied")
    varied = one.facts()
    one.reset(5, "standard")

    assert varied == other.facts() != one.facts() == one.kitchen.tables.start


def test_scattered_cooks_stand_anywhere_in_their_rooms_and_nothing_else_has_changed() -> None:
    """On forced_coordination a cook alone still finds empty pots, and so cannot serve."""
    kitchen = Kitchen(load_layout("forced_coordination"))
    starts, usual = VariedStarts(kitchen), list(kitchen.tables.start)
    rooms = [set(kitchen_paths(kitchen).room(cell)) for cell in kitchen.tables.grid.starts]
    found = [starts.scatter(Random(seed)) for seed in range(200)]

    cells = [{state[1] for state in found}, {state[4] for state in found}]

    assert cells == rooms
    assert {state[2] for state in found} == {0, 1, 2, 3}
    assert all(state[3] == state[6] == 0 and state[7:] == usual[7:] for state in found)
