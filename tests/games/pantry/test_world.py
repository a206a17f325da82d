"""The pantry as a game: starts, views, numbers and pictures."""

import numpy as np
import pytest

from hocket.games.pantry.rules import FLOOR, ROOM_ON_TABLE, Facts
from hocket.games.pantry.world import MOST_SEATS, Pantry, PantryView


def starts(seats: int, kind: str, seeds: int = 60) -> list[Facts]:
    """Where episodes start."""
    game, found = Pantry(seats), []
    for seed in range(seeds):
        game.reset(seed, kind)
        found.append(game.facts())
    return found


@pytest.mark.parametrize("seats", range(1, MOST_SEATS + 1))
def test_a_pantry_has_1_to_12_seats(seats: int) -> None:
    """Each has a place, a hand and a reward."""
    game = Pantry(seats)
    game.reset(1, "varied")
    facts = game.facts()

    rewards, _ = game.step([game.noop] * seats)

    assert game.facts() == facts
    assert len(facts.places) == len(facts.held) == len(rewards) == game.seats == seats
    assert {game.array(facts, seat).shape for seat in range(seats)} == {(3 * seats + 2,)}


def test_a_standard_start_differs_in_places_alone() -> None:
    """Hands and table are empty and the hatch is shut; every cell of the floor comes up."""
    found = starts(2, "standard")

    assert {(facts.held, facts.jars, facts.hatch_open) for facts in found} == {((False, False), 0, False)}
    assert {place for facts in found for place in facts.places} == set(FLOOR)


def test_a_varied_start_differs_in_everything() -> None:
    """Burn-in has to see states that a standard start seldom leads to."""
    found = starts(2, "varied")

    assert {held for facts in found for held in facts.held} == {False, True}
    assert {facts.jars for facts in found} == set(range(ROOM_ON_TABLE + 1))
    assert {facts.hatch_open for facts in found} == {False, True}


def test_a_start_of_either_kind_puts_the_cooks_in_the_same_places() -> None:
    """What varied starts draw in addition is drawn after the places."""
    assert [facts.places for facts in starts(3, "standard")] == [facts.places for facts in starts(3, "varied")]


def test_a_view_is_from_the_seats_own_side() -> None:
    """Cooks that change places change views: nothing in a view says which seat it is of."""
    game = Pantry(2)
    one = Facts(((1, 1), (5, 3)), (True, False), 2, True)
    other = Facts(((5, 3), (1, 1)), (False, True), 2, True)

    assert game.observe(one, 0) == PantryView((1, 1), True, (((5, 3), False),), 2, True) == game.observe(other, 1)
    assert np.array_equal(game.array(one, 1), game.array(other, 0))


def test_the_others_stand_in_seat_order() -> None:
    """So that they can be told apart from tick to tick."""
    game = Pantry(3)
    facts = Facts(((1, 1), (2, 2), (3, 3)), (False, True, False))

    assert game.observe(facts, 1).others == (((1, 1), False), ((3, 3), False))


def test_numbers_are_shares_of_what_there_can_be() -> None:
    """Own place and jar, those of the others, jars on the table, hatch."""
    facts = Facts(((3, 2), (5, 1)), (True, False), ROOM_ON_TABLE, False)

    array = Pantry(2).array(facts, 1)

    assert array.tolist() == pytest.approx([5 / 6, 1 / 4, 0, 3 / 6, 2 / 4, 1, 1, 0])


def test_the_picture_shows_the_room() -> None:
    """Where two stand in one cell, the lower seat is drawn."""
    facts = Facts(((1, 1), (3, 2), (3, 2)), (False, True, True), 2, True)

    assert Pantry(3).picture(facts).splitlines() == [
        "###T###",
        "#0....#",
        "H..1..O",
        "#.....#",
        "#######",
        "jars: 2 on the table, held by 12",
        "",
        "H shelf  T table  D hatch, O when it is open  0 1 2 cooks",
    ]
