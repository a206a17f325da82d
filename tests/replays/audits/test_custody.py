"""Things that go from hand to hand, told as the game would."""

import pytest

from hocket.replays.audits.custody import Custody, follow
from hocket.runtime.events import GameEvent

COUNTER, OTHER, POT, WINDOW = (1, 0), (2, 0), (3, 0), (4, 0)
ADA, BO, CY = range(3)


def told(*lines: tuple[str, int, tuple[int, int]]) -> Custody:
    """Follow events that are told as kind, seat and place."""
    return follow(GameEvent(kind, seat, "thing", place) for kind, seat, place in lines)


def test_what_another_takes_up_and_uses_was_handed_over() -> None:
    """An onion over a counter, into a pot."""
    found = told(("picked_up", ADA, OTHER), ("put_down", ADA, COUNTER), ("took", BO, COUNTER), ("potted", BO, POT))

    assert found.handed == [(ADA, BO)]


@pytest.mark.parametrize(
    "rest",
    [
        [("took", ADA, COUNTER), ("potted", ADA, POT)],
        [("took", BO, COUNTER)],
        [("took", BO, COUNTER), ("put_down", BO, OTHER)],
        [],
    ],
)
def test_what_nobody_else_uses_was_not(rest: list[tuple[str, int, tuple[int, int]]]) -> None:
    """Taken up again by oneself, or held, or put away."""
    assert told(("picked_up", ADA, OTHER), ("put_down", ADA, COUNTER), *rest).handed == []


def test_to_put_a_thing_down_in_between_does_not_undo_a_hand_off() -> None:
    """Bo has it from Ada, whatever bo does with it first; from cy, it is cy's hand-off."""
    start = (("picked_up", ADA, OTHER), ("put_down", ADA, COUNTER), ("took", BO, COUNTER), ("put_down", BO, OTHER))

    own = told(*start, ("took", BO, OTHER), ("potted", BO, POT))
    further = told(*start, ("took", CY, OTHER), ("potted", CY, POT))

    assert own.handed == [(ADA, BO)]
    assert further.handed == [(BO, CY)]


def test_what_lay_there_at_the_start_came_from_nobody() -> None:
    """A varied start has things on counters and in hands."""
    found = told(("took", BO, COUNTER), ("potted", BO, POT), ("put_down", ADA, OTHER), ("took", BO, OTHER))

    assert found.handed == []


def test_a_soup_has_been_in_all_hands_that_its_parts_were_in() -> None:
    """Ada fetches and pots, bo lights the pot, cy plates and delivers: two have held something of it."""
    found = told(
        ("picked_up", ADA, OTHER),
        ("potted", ADA, POT),
        ("started_cooking", BO, POT),
        ("picked_up", CY, OTHER),
        ("plated", CY, POT),
        ("delivered", CY, WINDOW),
    )

    [soup] = found.deliveries
    assert soup.hands == {ADA, CY}
    assert sorted(soup.deeds) == [ADA, ADA, BO, CY, CY, CY]


def test_a_pot_is_empty_once_its_soup_is_taken() -> None:
    """The next soup owes nothing to whoever cooked the first."""
    found = told(
        ("picked_up", ADA, OTHER), ("potted", ADA, POT), ("picked_up", BO, OTHER), ("plated", BO, POT),
        ("delivered", BO, WINDOW), ("picked_up", BO, OTHER), ("potted", BO, POT), ("picked_up", BO, OTHER),
        ("plated", BO, POT), ("delivered", BO, WINDOW),
    )  # fmt: skip

    assert [soup.hands for soup in found.deliveries] == [{ADA, BO}, {BO}]


def test_to_juggle_is_no_useful_deed() -> None:
    """An onion that is put down and taken up nine times is as useful as one that is not."""
    again = [("put_down", ADA, COUNTER), ("took", ADA, COUNTER)] * 9
    end = [("potted", ADA, POT), ("picked_up", ADA, OTHER), ("plated", ADA, POT), ("delivered", ADA, WINDOW)]

    juggled, straight = (told(("picked_up", ADA, OTHER), *each, *end).deliveries for each in (again, []))

    assert juggled[0].deeds == straight[0].deeds
    assert len(straight[0].deeds) == 5


def test_what_nobody_did_is_no_work_of_the_last_seat() -> None:
    """A game may report without saying who: -1 is nobody, and no place in a row of seats."""
    found = told(("put_down", ADA, COUNTER), ("took", -1, COUNTER), ("delivered", -1, WINDOW))

    assert found.handed == []
    assert found.deliveries == []
