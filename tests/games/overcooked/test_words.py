"""A kitchen in words."""

import random
from collections.abc import Callable

import pytest

from hocket.games.overcooked.items import DISH, NOTHING, ONION, SOUP, pack
from hocket.games.overcooked.kitchen import Kitchen
from hocket.games.overcooked.layout import Layout, layout_names, load_layout
from hocket.games.overcooked.view import Viewer
from hocket.games.overcooked.words import KitchenWords
from hocket.runtime.words import Situation

NORTH, SOUTH, EAST, WEST = range(4)
Varied = Callable[[Kitchen, random.Random], tuple[int, ...]]
ROOM = Layout(
    name="room",
    grid=("XPXPX", "O1 2T", "X 3 S", "XDXSX"),
    cook_time=9,
    all_orders=(("tomato", "onion"), ("onion", "onion", "onion")),
    bonus_orders=(("tomato", "onion"),),
)


def spoken(layout: Layout) -> tuple[Kitchen, KitchenWords]:
    """A kitchen and its words."""
    kitchen = Kitchen(layout)
    return kitchen, KitchenWords(kitchen, Viewer(kitchen))


@pytest.fixture
def told() -> Callable[[int, bool], Situation]:
    """A state in which there is something of everything, by seat."""
    kitchen, words = spoken(ROOM)
    soup = SOUP + pack(["onion", "tomato"])
    pots = [pack(["tomato", "onion"]), 3, pack(["onion"]), -1]
    counters = [ONION, NOTHING, soup, NOTHING, NOTHING, NOTHING, NOTHING]
    kitchen.load([12, 6, NORTH, DISH, 8, WEST, NOTHING, 12, EAST, soup, *pots, *counters])
    facts = kitchen.facts()
    return lambda seat, brief: words.brief(facts, seat) if brief else words.full(facts, seat)


def test_a_cook_reads_in_sentences(told: Callable[[int, bool], Situation]) -> None:
    """Itself, the others, pots with everybody's way to them, and what lies on counters."""
    first = "moves to it: you: 3, cook 0: 0, cook 2: 2; cook 0 is closest"
    second = "moves to it: you: 1, cook 0: 3, cook 2: 2; you are closest"

    assert told(1, False) == Situation(
        own=("You are cook 1 at (3, 1), facing west, holding nothing.",),
        partners=(
            "cook 0 at (1, 1), facing north, holding a dish",
            "cook 2 at (2, 2), facing east, holding a soup of onion+tomato",
        ),
        world=(
            "Pots:",
            f"- pot (1, 0): cooking, 6 ticks left, 2 of 3 ingredients (tomato+onion); {first}",
            f"- pot (3, 0): filling, 1 of 3 ingredients (onion); {second}",
            "Counters: an onion on (0, 0), a soup of onion+tomato on (4, 0).",
            "Layout: room.",
        ),
    )


def test_a_cook_reads_the_same_in_few_words(told: Callable[[int, bool], Situation]) -> None:
    """Its own way to a pot stands first, then those of the others in seat order."""
    assert told(1, True) == Situation(
        own=("me@3,1 west nothing",),
        partners=("mate@1,1 north dish", "mate@2,2 east soup onion tomato"),
        world=(
            "pot@1,0 cooking tomato onion left 6 far 3 0 2",
            "pot@3,0 filling onion left 0 far 1 3 2",
            "on@0,0 onion",
            "on@4,0 soup onion tomato",
        ),
    )


def test_in_brief_no_cook_has_a_number(told: Callable[[int, bool], Situation]) -> None:
    """A policy that reads nothing else cannot know which seat it has, but by where it stands."""
    told_all = [told(seat, True) for seat in range(3)]

    assert {line.removeprefix("me") for each in told_all for line in each.own} == {
        line.removeprefix("mate") for each in told_all for line in each.partners
    }


@pytest.mark.parametrize("name", ["cramped_room", "forced_coordination", "counter_circuit"])
def test_nobody_is_closest_where_two_are(name: str, varied: Varied) -> None:
    """And whoever is, is named the same by all who read."""
    kitchen, words = spoken(load_layout(name))
    dice = random.Random(2)

    for _ in range(60):
        facts = varied(kitchen, dice)
        for place in range(len(kitchen.pots)):
            ways = [words._way(facts, cook, place) for cook in range(kitchen.players)]
            known = [way for way in ways if way is not None]
            closest = [cook for cook, way in enumerate(ways) if way is not None and way == min(known)]
            for seat in range(kitchen.players):
                line = words.full(facts, seat).world[1 + place]
                name_ = "you are" if closest == [seat] else f"cook {closest[0]} is" if closest else ""
                told = len(closest) == 1 and len(known) > 1
                assert line.endswith(f"; {name_} closest") == told
                assert ("closest" in line) == told
                assert line.count("out of reach") == ways.count(None)


def test_a_way_is_moves_to_where_the_pot_can_be_used() -> None:
    """Turning to it is a move; standing before it and facing it is none."""
    kitchen, words = spoken(ROOM)
    ways = []

    for cell, heading in ((6, NORTH), (6, SOUTH), (7, NORTH), (8, WEST)):
        kitchen.load([0, cell, heading, NOTHING, 11, EAST, NOTHING, 13, EAST, NOTHING, 0, -1, 0, -1, *[0] * 7])
        ways.append(words._way(kitchen.facts(), 0, 0))

    assert ways == [0, 1, 2, 3]


@pytest.mark.parametrize("name", layout_names())
def test_every_kitchen_has_words_for_every_state(name: str, varied: Varied) -> None:
    """Both profiles tell all cooks, pots and counters; no line holds a break."""
    kitchen, words = spoken(load_layout(name))
    dice = random.Random(4)

    for _ in range(5):
        facts = varied(kitchen, dice)
        lying = sum(1 for slot in facts[kitchen.counter0 :] if slot)
        for seat in range(kitchen.players):
            full, brief = words.full(facts, seat), words.brief(facts, seat)
            assert len(full.partners) == len(brief.partners) == kitchen.players - 1
            assert len(full.world) == len(kitchen.pots) + 3
            assert len(brief.world) == len(kitchen.pots) + lying
            assert full.world[-2].count(" on (") == lying
            lines = [*full.own, *full.partners, *full.world, *brief.own, *brief.partners, *brief.world]
            assert all(line and line.isprintable() for line in lines)


def test_the_rules_name_every_soup_and_what_it_pays() -> None:
    """With its bonus where it has one."""
    _, words = spoken(ROOM)

    assert words.rules[0] == "You are one of 3 cooks in a kitchen of Overcooked."
    for soup in ROOM.orders():
        assert f"{'+'.join(soup)} ({ROOM.points(soup):g} points, cooks {ROOM.time(soup)} ticks)" in words.rules[1]
    assert words.brief_rules.startswith("overcooked 3 cooks ")
