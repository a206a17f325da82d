"""The rules of the pantry, by example."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hocket.games.pantry.rules import ACT, ACTIONS, BEFORE, FLOOR, HATCH, ROOM_ON_TABLE, SHELF, STAY, TABLE, Facts, move
from hocket.runtime.events import Cell, GameEvent

NORTH, SOUTH, EAST, WEST = range(4)


def ada(place: Cell, *, jar: bool = False, jars: int = 0, hatch_open: bool = False) -> Facts:
    """Ada, alone in the pantry."""
    return Facts((place,), (jar,), jars, hatch_open)


@pytest.mark.parametrize(
    ("action", "there"),
    [(NORTH, (3, 1)), (SOUTH, (3, 3)), (EAST, (4, 2)), (WEST, (2, 2)), (STAY, (3, 2)), (ACT, (3, 2))],
)
def test_a_cook_walks_one_cell(action: int, there: Cell) -> None:
    """Acting in the middle of the room does nothing."""
    after, rewards, events = move(ada((3, 2)), [action])

    assert (after, rewards, events) == (ada(there), (0.0,), ())


@pytest.mark.parametrize(("place", "action"), [((3, 1), NORTH), ((3, 3), SOUTH), ((5, 2), EAST), ((1, 2), WEST)])
def test_a_cook_cannot_leave_the_floor(place: Cell, action: int) -> None:
    """Walls and fixtures are not walked into."""
    assert move(ada(place), [action])[0] == ada(place)


def test_cooks_walk_through_one_another() -> None:
    """Nobody is ever blocked, so a plan takes as long as its way."""
    facts = Facts(((2, 2), (3, 2)), (False, False))

    after, _, _ = move(facts, [EAST, WEST])

    assert after.places == ((3, 2), (2, 2))


def test_the_shelf_gives_a_jar_to_empty_hands() -> None:
    """As many as are asked for, one at a time."""
    after, _, events = move(ada(BEFORE[SHELF]), [ACT])

    assert after == ada(BEFORE[SHELF], jar=True)
    assert events == (GameEvent("picked_up", 0, "jar", SHELF),)
    assert move(after, [ACT]) == (after, (0.0,), ())


def test_the_table_takes_a_jar_and_gives_it_back() -> None:
    """Ada puts it down, bo takes it: a hand-over."""
    place = BEFORE[TABLE]

    down, _, put = move(Facts((place, place), (True, False)), [ACT, STAY])
    up, _, took = move(down, [STAY, ACT])

    assert (down.held, down.jars, put) == ((False, False), 1, (GameEvent("put_down", 0, "jar", TABLE),))
    assert (up.held, up.jars, took) == ((False, True), 0, (GameEvent("took", 1, "jar", TABLE),))


def test_the_table_has_room_for_three() -> None:
    """A fourth jar stays in the hand, and from an empty table nothing can be taken."""
    full, empty = ada(BEFORE[TABLE], jar=True, jars=ROOM_ON_TABLE), ada(BEFORE[TABLE])

    assert move(full, [ACT]) == (full, (0.0,), ())
    assert move(empty, [ACT]) == (empty, (0.0,), ())


def test_seats_act_in_order() -> None:
    """Ada's jar is on the table by the time that bo reaches for it."""
    place = BEFORE[TABLE]

    after, _, events = move(Facts((place, place), (True, False)), [ACT, ACT])

    assert after == Facts((place, place), (False, True))
    assert [event.kind for event in events] == ["put_down", "took"]


def test_the_hatch_is_opened_by_empty_hands_and_takes_one_jar() -> None:
    """One cook opens, another serves: whoever carries a jar cannot open for herself."""
    place = BEFORE[HATCH]
    facts = Facts((place, place), (True, False))

    shut, _, nothing = move(facts, [ACT, STAY])
    opened, _, opening = move(shut, [STAY, ACT])
    served, rewards, serving = move(opened, [ACT, STAY])

    assert (shut, nothing) == (facts, ())
    assert (opened.hatch_open, opening) == (True, (GameEvent("opened", 1, "hatch", HATCH),))
    assert served == Facts((place, place), (False, False))
    assert (rewards, serving) == ((1.0, 0.0), (GameEvent("delivered", 0, "jar", HATCH, 1.0),))


def test_an_open_hatch_stays_open() -> None:
    """Acting on it with empty hands does nothing."""
    facts = ada(BEFORE[HATCH], hatch_open=True)

    assert move(facts, [ACT]) == (facts, (0.0,), ())


@given(st.integers(1, 12), st.lists(st.lists(st.integers(0, len(ACTIONS) - 1), min_size=12, max_size=12), max_size=60))
def test_jars_are_neither_lost_nor_made(seats: int, joints: Sequence[Sequence[int]]) -> None:
    """What came off the shelf is in a hand, on the table, or was paid for."""
    facts, fetched, paid = Facts(FLOOR[:seats], (False,) * seats), 0, 0.0

    for joint in joints:
        facts, rewards, events = move(facts, joint[:seats])
        fetched += sum(event.kind == "picked_up" for event in events)
        paid += sum(rewards)

    assert fetched == sum(facts.held) + facts.jars + paid
    assert 0 <= facts.jars <= ROOM_ON_TABLE
    assert set(facts.places) <= set(FLOOR)
