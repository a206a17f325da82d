"""The game of two roles, which two of a kind cannot play well."""

from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hocket.agents.idle import Idle
from hocket.games.pantry.roles import NOOP, ROUNDS, SERVE, WASH, Roles, roles_library
from hocket.runtime.events import Event, GameEvent, OptionEnded
from hocket.runtime.policy import Choice, Offer
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

GRID = [number / 50 for number in range(51)]


class Memoryless:
    """Washes with one probability, serves with another, else waits."""

    def __init__(self, wash: float, serve: float) -> None:
        self._shares = {"wash": wash, "serve": serve}

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        return [Choice(offer.menu.keys.index(self._pick(offer.draw))) for offer in offers]

    def _pick(self, draw: float) -> str:
        for role, share in self._shares.items():
            if draw < share:
                return role
            draw -= share
        return "wait"


def rounds(*agents: Memoryless, seed: int = 0, steps: int = ROUNDS) -> tuple[float, list[Event]]:
    """Play; the team's return and what happened."""
    holders = [Holder("ada", agents[0]), Holder("bo", agents[-1])]
    scheduler = Scheduler(Roles(), roles_library(), seed=seed, holders=("ada", "bo"), steps=steps)
    events: list[Event] = []
    result = play([Rollout(scheduler, Seats(holders, Holder("idle", Idle())), events.extend)])[0]
    return result.team, events


def expected(ada: Sequence[float], bo: Sequence[float]) -> float:
    """Expected points of a round, by going through all joint actions."""
    game = Roles()
    total = 0.0
    for joint in product((WASH, SERVE, NOOP), repeat=2):
        game.reset(0, "standard")
        total += ada[joint[0]] * bo[joint[1]] * sum(game.step(joint)[0])
    return total


@pytest.mark.parametrize("joint", list(product((WASH, SERVE, NOOP), repeat=2)))
def test_a_point_is_shared_when_one_washes_and_the_other_serves(joint: tuple[int, int]) -> None:
    """Either way round, and in no other case."""
    game = Roles()
    game.reset(0, "standard")

    rewards, events = game.step(joint)

    if set(joint) == {WASH, SERVE}:
        assert rewards == (0.5, 0.5)
        assert events == (GameEvent("delivered", joint.index(SERVE), "plate", amount=1.0),)
    else:
        assert (rewards, events) == ((0.0, 0.0), ())


def test_two_of_a_kind_reach_half_of_what_two_can_at_most() -> None:
    """2 w s, with w + s <= 1: at most 0.5, and only where both are 0.5. The best of two that differ is 1."""
    alike = {
        (wash, serve): expected((wash, serve, 1 - wash - serve), (wash, serve, 1 - wash - serve))
        for wash, serve in product(GRID, repeat=2)
        if wash + serve <= 1
    }

    best = max(alike.values())

    assert best == pytest.approx(0.5)
    assert [shares for shares, value in alike.items() if value > 0.5 - 1e-6] == [(0.5, 0.5)]
    assert all(value == pytest.approx(2 * wash * serve) for (wash, serve), value in alike.items())
    assert expected((1, 0, 0), (0, 1, 0)) == 1


@given(st.lists(st.floats(0, 1), min_size=ROUNDS, max_size=ROUNDS))
def test_no_plan_over_rounds_helps_two_of_a_kind(washes: Sequence[float]) -> None:
    """What either sees is the number of the round: one probability a round, and each round is capped."""
    total = sum(expected((wash, 1 - wash, 0), (wash, 1 - wash, 0)) for wash in washes)

    assert total <= 0.5 * ROUNDS + 1e-9


def test_two_that_differ_get_every_point() -> None:
    """One washes, the other serves, in every round."""
    assert rounds(Memoryless(1, 0), Memoryless(0, 1))[0] == ROUNDS
    assert rounds(Memoryless(1, 0), Memoryless(1, 0))[0] == 0


def test_two_of_a_kind_play_as_expected() -> None:
    """Half of the rounds in the long run, with draws of their own for the two seats."""
    points, events = rounds(Memoryless(0.5, 0.5), steps=4000)

    ended = [event for event in events if isinstance(event, OptionEnded)]
    assert 1900 < points < 2100
    assert {event.outcome for event in ended} == {"success"}
    assert {event.ticks for event in ended} == {1}


def test_nothing_that_a_seat_sees_tells_which_seat_it_is() -> None:
    """Whatever either did: both see the same, in structs and in numbers."""
    game = Roles()
    game.reset(0, "standard")

    for joint in product((WASH, SERVE, NOOP), repeat=2):
        facts = game.facts()
        assert game.observe(facts, 0) == game.observe(facts, 1)
        assert game.array(facts, 0).tolist() == game.array(facts, 1).tolist()
        game.step(joint)


def test_an_option_is_done_when_the_seat_has_done_it() -> None:
    """Its effect is bound to the seat's own last action, whatever the other did."""
    game, library = Roles(), roles_library()
    game.reset(0, "standard")
    before = game.facts()
    game.step((WASH, SERVE))
    wash, after = library.by_name["wash"], game.facts()
    entry = wash.instances(before, 0)[0]

    assert wash.expand(entry, before, 0) == (WASH,)
    assert wash.effect(entry, before, after, 0)
    assert not wash.effect(entry, before, after, 1)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("name", ["wash", "serve"])
@pytest.mark.parametrize("last", list(product((WASH, SERVE, NOOP), repeat=2)))
@pytest.mark.parametrize("joint", [None, *product((WASH, SERVE, NOOP), repeat=2)])
def test_only_what_is_done_in_this_round_counts(
    name: str, seat: int, last: tuple[int, int], joint: tuple[int, int] | None
) -> None:
    """In a state in which a seat washed last, washing is not done before it is done again."""
    game, option = Roles(), roles_library().by_name[name]
    game.reset(0, "standard")
    game.step(last)
    before = game.facts()
    if joint is not None:
        game.step(joint)

    done = option.effect(option.instances(before, seat)[0], before, game.facts(), seat)

    assert done is (joint is not None and joint[seat] == {"wash": WASH, "serve": SERVE}[name])


def test_the_picture_says_what_each_seat_did() -> None:
    """One line is enough for such a game."""
    game = Roles()
    game.reset(0, "standard")
    game.step((WASH, SERVE))

    assert game.picture(game.facts()) == "round 1: wash, serve"
