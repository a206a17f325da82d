"""The rules by example, and what holds in every state."""

import copy
import pickle
import random
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hocket.games.overcooked.items import DISH, NOTHING, ONION, SOUP, TOMATO, pack, unpack
from hocket.games.overcooked.kitchen import INTERACT, STAY, Kitchen
from hocket.games.overcooked.layout import Layout, layout_names, load_layout
from hocket.runtime.events import GameEvent

Draw = Callable[[Kitchen, random.Random], tuple[int, ...]]
NORTH, SOUTH, EAST, WEST = range(4)


def in_cramped_room(*cooks: tuple[int, int, int, int], pot: tuple[int, int] = (0, -1)) -> Kitchen:
    """A cramped room with cooks at (x, y), heading and held item; the pot is at (2, 0)."""
    kitchen = Kitchen(load_layout("cramped_room"))
    seats = [number for x, y, heading, held in cooks for number in (5 * y + x, heading, held)]
    kitchen.load([0, *seats, *pot, *kitchen.facts()[kitchen.counter0 :]])
    return kitchen


def places(kitchen: Kitchen) -> list[tuple[int, int, int]]:
    """Where the cooks stand, (x, y), and where they look."""
    seats = [kitchen.state[offset : offset + 2] for offset in range(1, kitchen.pot0, 3)]
    return [(cell % kitchen.width, cell // kitchen.width, heading) for cell, heading in seats]


def test_cooks_that_would_swap_stay_and_turn() -> None:
    """Ada and bo face each other and both walk on."""
    kitchen = in_cramped_room((1, 1, NORTH, 0), (2, 1, NORTH, 0))

    kitchen.step((EAST, WEST))

    assert places(kitchen) == [(1, 1, EAST), (2, 1, WEST)]


def test_cooks_that_want_one_cell_stay_and_turn() -> None:
    """Nobody goes first."""
    kitchen = in_cramped_room((1, 1, NORTH, 0), (3, 1, NORTH, 0))

    kitchen.step((EAST, WEST))

    assert places(kitchen) == [(1, 1, EAST), (3, 1, WEST)]


def test_a_cook_may_follow_another() -> None:
    """The cell that bo leaves is free in the same step."""
    kitchen = in_cramped_room((1, 1, NORTH, 0), (2, 1, NORTH, 0))

    kitchen.step((EAST, EAST))

    assert places(kitchen) == [(2, 1, EAST), (3, 1, EAST)]


def test_a_collision_of_two_stops_the_third(three_cooks: Layout) -> None:
    """The package sends everyone back, however far away."""
    kitchen = Kitchen(three_cooks)
    kitchen.load([0, 7, NORTH, 0, 8, NORTH, 0, 16, NORTH, 0, *kitchen.facts()[kitchen.pot0 :]])

    kitchen.step((EAST, WEST, WEST))

    assert places(kitchen) == [(1, 1, EAST), (2, 1, WEST), (4, 2, WEST)]


def test_who_drops_before_the_other_picks_hands_over_in_one_step() -> None:
    """Seat 0 acts first, so a handover from 0 to 1 takes one step, and the other way two."""
    kitchen = Kitchen(load_layout("forced_coordination"))
    across_the_counter = [8, WEST, ONION, 6, EAST, NOTHING]
    kitchen.load([0, *across_the_counter, *kitchen.facts()[kitchen.pot0 :]])

    _, events = kitchen.step((INTERACT, INTERACT))

    assert events == (
        GameEvent(kind="put_down", seat=0, what="onion", at=(2, 1)),
        GameEvent(kind="took", seat=1, what="onion", at=(2, 1)),
    )
    assert (kitchen.state[3], kitchen.state[6]) == (NOTHING, ONION)


def test_a_soup_from_the_onions_to_the_window() -> None:
    """One cook alone; the pot is done twenty steps after the interact that starts it, that step included."""
    kitchen = Kitchen(load_layout("cramped_room_single"))
    onion = [WEST, INTERACT, EAST, NORTH, INTERACT, WEST]
    kinds: list[tuple[str, float]] = []

    def do(*actions: int) -> None:
        for action in actions:
            _, events = kitchen.step((action,))
            kinds.extend((event.kind, event.amount) for event in events)

    do(NORTH, *onion, *onion, *onion, EAST, NORTH, INTERACT)
    do(WEST, SOUTH, SOUTH, INTERACT, NORTH, EAST, NORTH, *[STAY] * 12, INTERACT, INTERACT)
    do(SOUTH, EAST, SOUTH, INTERACT)

    fill = [("picked_up", 0.0), ("potted", 0.0)] * 3
    rest = [("started_cooking", 0.0), ("picked_up", 0.0), ("plated", 0.0), ("delivered", 20.0)]
    assert kinds == fill + rest


def test_a_pot_takes_nothing_while_it_cooks_and_gives_nothing_before_it_is_done() -> None:
    """Neither an onion goes in nor a dish gets a soup."""
    onions = pack(["onion"] * 2)
    kitchen = in_cramped_room((2, 1, NORTH, ONION), (1, 2, NORTH, DISH), pot=(onions, 3))
    _, first = kitchen.step((INTERACT, STAY))
    kitchen.state[3] = DISH
    _, second = kitchen.step((INTERACT, STAY))

    assert (first, second) == ((), ())
    assert kitchen.state[kitchen.pot0 : kitchen.pot0 + 2] == [onions, 5]


def test_a_soup_that_nobody_ordered_pays_nothing() -> None:
    """It is gone all the same, and the event says so."""
    kitchen = in_cramped_room((3, 2, SOUTH, SOUP + pack(["onion"])), (1, 1, NORTH, 0))

    rewards, events = kitchen.step((INTERACT, STAY))

    assert (rewards, kitchen.state[3]) == ((0.0, 0.0), NOTHING)
    assert events == (GameEvent(kind="delivered", seat=0, what="soup:onion", at=(3, 3), amount=0.0),)


def test_both_cooks_may_be_paid_in_one_step() -> None:
    """Rewards are per seat, and one event each."""
    kitchen = Kitchen(load_layout("asymmetric_advantages_tomato"))
    soup = SOUP + pack(["tomato", "onion", "onion"])
    at_windows = [16, EAST, soup, 30, SOUTH, soup]
    kitchen.load([0, *at_windows, *kitchen.facts()[kitchen.pot0 :]])

    rewards, events = kitchen.step((INTERACT, INTERACT))

    assert (rewards, [event.amount for event in events]) == ((110.0, 110.0), [110.0, 110.0])


@pytest.mark.parametrize("joint", [(6, 0), (0, 6), (-1, 0), (0, -1), (4,), (4, 4, 4), (), (5, 17)])
@pytest.mark.parametrize("old_dynamics", [False, True])
def test_a_bad_joint_action_changes_nothing(joint: tuple[int, ...], old_dynamics: bool) -> None:
    """A negative index would silently be another action."""
    kitchen = Kitchen(load_layout("cramped_room"), old_dynamics)
    before = kitchen.facts()

    with pytest.raises(ValueError, match="2 seats take one of 0 to 5 each"):
        kitchen.step(joint)

    assert kitchen.facts() == before


def test_a_state_of_another_kitchen_is_refused() -> None:
    """Its numbers would mean other things here."""
    kitchen = Kitchen(load_layout("cramped_room"))

    with pytest.raises(ValueError, match="a state of 19 numbers, but cramped_room has 18"):
        kitchen.load((*kitchen.facts(), 0))


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda kitchen: pickle.loads(pickle.dumps(kitchen))])
def test_a_copy_has_a_state_of_its_own(duplicate: Callable[[Kitchen], Kitchen]) -> None:
    """The step of a kitchen is bound to one list; a copy must not share it."""
    kitchen = Kitchen(load_layout("cramped_room"))
    kitchen.step((EAST, STAY))
    twin = duplicate(kitchen)
    before = kitchen.facts()

    twin.step((EAST, WEST))

    assert kitchen.facts() == before
    assert twin.facts() != before


def test_reset_goes_back_to_the_start_state_of_the_layout() -> None:
    """The first tutorial with tomatoes starts with two onions in a pot."""
    kitchen = Kitchen(load_layout("tutorial_1"))
    start = kitchen.facts()
    kitchen.step((NORTH, SOUTH))

    kitchen.reset()

    assert kitchen.facts() == start
    assert kitchen.state[kitchen.pot0 + 2 : kitchen.pot0 + 4] == [pack(["onion", "onion"]), -1]


@given(name=st.sampled_from(layout_names()), old_dynamics=st.booleans(), seed=st.integers(0, 2**32))
def test_nothing_appears_or_vanishes_unreported(
    varied: Draw, busy: Draw, name: str, old_dynamics: bool, seed: int
) -> None:
    """Ingredients and dishes come from dispensers and leave through the window; everything else moves them."""
    kitchen, rng = Kitchen(load_layout(name), old_dynamics), random.Random(seed)
    kitchen.load(varied(kitchen, rng))
    stock = _stock(kitchen, kitchen.facts())

    for _ in range(30):
        rewards, events = kitchen.step(busy(kitchen, rng))
        for event in events:
            sign = {"picked_up": 1, "delivered": -1}.get(event.kind, 0)
            stock = [have + sign * more for have, more in zip(stock, _parts(event.what), strict=True)]
        assert _stock(kitchen, kitchen.facts()) == stock
        paid = [sum(event.amount for event in events if event.seat == seat) for seat in range(kitchen.players)]
        assert list(rewards) == paid


def _stock(kitchen: Kitchen, facts: Sequence[int]) -> list[int]:
    held = [facts[offset + 2] for offset in range(1, kitchen.pot0, 3)]
    items = [*held, *facts[kitchen.counter0 :]]
    pots = [unpack(contents) for contents in facts[kitchen.pot0 : kitchen.counter0 : 2]]
    soups = [unpack(item - SOUP) for item in items if item >= SOUP]
    loose = [items.count(ONION), items.count(TOMATO)]
    return [
        *(
            count + sum(soup.count(name) for soup in [*pots, *soups])
            for count, name in zip(loose, ("onion", "tomato"), strict=True)
        ),
        items.count(DISH) + len(soups),
    ]


def _parts(what: str) -> list[int]:
    return [what.count("onion"), what.count("tomato"), int(what == "dish" or what.startswith("soup"))]


@given(name=st.sampled_from(layout_names()), seed=st.integers(0, 2**32))
def test_a_state_that_was_taken_down_plays_on_in_the_same_way(varied: Draw, busy: Draw, name: str, seed: int) -> None:
    """All that the rules know is in the facts."""
    kitchen, rng = Kitchen(load_layout(name)), random.Random(seed)
    kitchen.load(varied(kitchen, rng))
    twin = Kitchen(kitchen.layout)
    twin.load(kitchen.facts())
    assert twin.facts() == kitchen.facts()

    joints = [busy(kitchen, rng) for _ in range(10)]

    assert [twin.step(joint) for joint in joints] == [kitchen.step(joint) for joint in joints]
    assert twin.facts() == kitchen.facts()


@given(seed=st.integers(0, 2**32))
def test_the_step_for_two_is_the_general_one(varied: Draw, busy: Draw, seed: int) -> None:
    """A third cook walled in on the side, who stands still, changes nothing."""
    rows = ("XPXXX", "O1 2T", "X   X", "XDXSX")
    two = Kitchen(Layout(name="two", grid=rows))
    rng = random.Random(seed)
    walled = [row + more for row, more in zip(rows, ("XX", "3X", "XX", "XX"), strict=True)]
    three = Kitchen(Layout(name="three", grid=tuple(walled)))
    two.load(varied(two, rng))
    three.load(_beside(two, three))

    for _ in range(20):
        joint = busy(two, rng)
        rewards, events = two.step(joint)
        assert three.step((*joint, STAY)) == ((*rewards, 0.0), events)
        assert three.facts() == _beside(two, three)


def _beside(two: Kitchen, three: Kitchen) -> tuple[int, ...]:
    facts = list(three.tables.blank())
    facts[0] = two.state[0]
    for offset in (1, 4):
        cell, heading, held = two.state[offset : offset + 3]
        facts[offset : offset + 3] = [cell // two.width * three.width + cell % two.width, heading, held]
    for cell, slot in two.tables.slots.items():
        moved = three.tables.slots[cell // two.width * three.width + cell % two.width]
        facts[moved] = two.state[slot]
        if slot < two.counter0:
            facts[moved + 1] = two.state[slot + 1]
    return tuple(facts)
