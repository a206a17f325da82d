"""A pantry in words."""

import pytest

from hocket.games import registry
from hocket.games.pantry.roles import Facts as RolesFacts
from hocket.games.pantry.rules import Facts
from hocket.runtime.words import Situation

FACTS = Facts(places=((1, 2), (4, 1), (3, 3)), held=(True, False, False), jars=2, hatch_open=True)


def test_a_seat_reads_where_everybody_stands() -> None:
    """Itself first, then the others in seat order, nameless."""
    words = registry.make("pantry", {"seats": 3}).words

    assert words.full(FACTS, 1) == Situation(
        own=("You are at (4, 1), holding nothing.",),
        partners=("cook at (1, 2), holding a jar", "cook at (3, 3), holding nothing"),
        world=("Table: 2 of 3 jars.", "Hatch: open."),
    )
    assert words.brief(FACTS, 1) == Situation(
        own=("me@4,1 nothing",),
        partners=("mate@1,2 jar", "mate@3,3 nothing"),
        world=("table 2 hatch open",),
    )


@pytest.mark.parametrize("brief", [True, False])
def test_nothing_tells_which_seat_reads(brief: bool) -> None:
    """Exchange two cooks, and each reads what the other read."""
    words = registry.make("pantry").words
    told = words.brief if brief else words.full
    here, there = Facts(((1, 2), (4, 1)), (True, False)), Facts(((4, 1), (1, 2)), (False, True))

    assert told(here, 0) == told(there, 1) != told(here, 1) == told(there, 0)


@pytest.mark.parametrize("brief", [True, False])
def test_every_part_of_the_state_is_told(brief: bool) -> None:
    """Whatever changes, the text changes: the pantry hides nothing."""
    words = registry.make("pantry").words
    told = words.brief if brief else words.full
    states = [
        Facts(((1, 2), place), (mine, theirs), jars, hatch)
        for place in ((4, 1), (5, 1))
        for mine in (True, False)
        for theirs in (True, False)
        for jars in (0, 3)
        for hatch in (True, False)
    ]

    assert len({told(facts, 0) for facts in states}) == len(states)


def test_the_roles_tell_the_round_and_nothing_else() -> None:
    """Neither the seat nor what anybody did: two copies of one policy read the same."""
    words = registry.make("pantry:roles").words

    told = {words.full(RolesFacts(2, last), seat) for last in ((0, 1), (1, 0), (2, 2)) for seat in (0, 1)}
    brief = {words.brief(RolesFacts(2, last), seat) for last in ((0, 1), (1, 0), (2, 2)) for seat in (0, 1)}

    assert told == {Situation((), (), ("Round 3 of 4.",))}
    assert brief == {Situation((), (), ("round 3 4",))}


def test_the_rules_say_how_many_play() -> None:
    """And a model reads them at every decision."""
    for seats in (1, 3):
        words = registry.make("pantry", {"seats": seats}).words
        assert (f"one of {seats} cooks" if seats > 1 else "the only cook") in words.rules[0]
        assert words.brief_rules.startswith(f"pantry {seats} cooks ")
