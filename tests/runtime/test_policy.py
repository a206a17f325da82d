"""What an agent gets, and what is taken for an answer."""

import math
from enum import IntEnum
from functools import partial
from typing import Any

import anyio
import pytest

from hocket.agents.idle import Idle
from hocket.games import registry
from hocket.games.pantry.world import PantryView
from hocket.runtime.events import Receipt
from hocket.runtime.menu import Menu
from hocket.runtime.option import instance
from hocket.runtime.policy import Choice, Chooser, Offer, Policy, Recent, as_policy, objection
from hocket.runtime.scheduler import Scheduler

MENU = Menu.of([instance("fetch", (0, 2), "fetch a jar"), instance("wait", None, "wait 2 ticks")])


class Letter(IntEnum):
    A = 0


class Whole(int):
    pass


class Fraction(float):
    pass


class Stamped(Receipt, frozen=True):
    stamp: object = None


def pantry(seed: int = 0) -> Scheduler[Any]:
    """A pantry of ada and bo, at its start."""
    game = registry.make("pantry")
    return Scheduler(game, registry.library(game), seed=seed, holders=("ada", "bo"), steps=300)


def start(scheduler: Scheduler[Any], offer: Offer, option: str) -> None:
    """Choose an option by its key."""
    scheduler.choose(offer.seat, offer.menu.keys.index(option))


@pytest.mark.parametrize("answer", [Choice(0), Choice(1), Choice(1, Receipt()), Choice(0, Receipt(-0.5))])
def test_a_choice_from_the_menu_is_taken(answer: object) -> None:
    """A receipt is welcome and not needed."""
    assert objection(answer, MENU) is None


@pytest.mark.parametrize(
    ("answer", "reason", "detail"),
    [
        (None, "malformed", "a NoneType, not a Choice"),
        (1, "malformed", "a int, not a Choice"),
        ("wait", "malformed", "a str, not a Choice"),
        (Choice(True), "malformed", "index is a bool"),
        (Choice(1.0), "malformed", "index is a float"),  # type: ignore[arg-type]
        (Choice("wait"), "malformed", "index is a str"),  # type: ignore[arg-type]
        (Choice(None), "malformed", "index is a NoneType"),  # type: ignore[arg-type]
        (Choice(Letter.A), "malformed", "index is a Letter"),
        (Choice(Whole(1)), "malformed", "index is a Whole"),
        (Choice(2), "not on the menu", "index 2 of 2"),
        (Choice(-1), "not on the menu", "index -1 of 2"),
        (Choice(10**30), "not on the menu", "index far off of 2"),
        (Choice(0, -0.5), "malformed", "receipt is a float"),  # type: ignore[arg-type]
        (Choice(0, Stamped(stamp=object())), "malformed", "receipt is a Stamped"),
        (Choice(0, Receipt("likely")), "malformed", "log_prob is a str"),  # type: ignore[arg-type]
        (Choice(0, Receipt(Fraction(-1.0))), "malformed", "log_prob is a Fraction"),
        (Choice(0, Receipt(math.nan)), "malformed", "log_prob is nan"),
        (Choice(0, Receipt(-math.inf)), "malformed", "log_prob is -inf"),
    ],
)
def test_anything_else_is_objected_to(answer: object, reason: str, detail: str) -> None:
    """What passed would go into the trace, which could then not be written, or not be read again."""
    assert objection(answer, MENU) == (reason, detail)


def test_an_offer_shows_the_state_in_which_it_was_made() -> None:
    """An agent that thinks while the world moves on sees what was there when it was asked."""
    scheduler = pantry()
    ada, bo = scheduler.due()
    seen = ada.observation
    start(scheduler, bo, "fetch@0,2")

    for _ in range(6):
        scheduler.tick()

    later = scheduler.game.observe(scheduler.facts(), 0)
    assert isinstance(seen, PantryView)
    assert ada.observation == seen != later
    assert ada.tick == 0


def test_a_seat_remembers_its_last_five_options() -> None:
    """The latest stands last, and what bo did is not ada's to remember."""
    scheduler = pantry()
    order = ("open_hatch@6,2", "wait", "take@3,0", "wait", "take@3,0", "wait", "wait")
    rest = list(order)

    while rest:
        offers = scheduler.due()
        for offer in offers:
            start(scheduler, offer, "fetch@0,2" if offer.seat else rest.pop(0))
        scheduler.tick()
    while not (offers := [offer for offer in scheduler.due() if offer.seat == 0]):
        scheduler.tick()

    assert offers[0].recent == Recent(order[-5:], 0.0)


def test_a_seat_remembers_the_reward_of_the_last_hundred_ticks() -> None:
    """A point that is older than that no longer tells how it goes."""
    game = registry.make("pantry:roles")
    scheduler = Scheduler(game, registry.library(game), seed=0, holders=("ada", "bo"), steps=200)
    rewards: list[float] = []

    for tick in range(110):
        ada, bo = scheduler.due()
        rewards.append(ada.recent.reward)
        start(scheduler, ada, "wait" if tick else "wash")
        start(scheduler, bo, "wait" if tick else "serve")
        scheduler.tick()

    assert rewards == [0.0] + [1.0] * 100 + [0.0] * 9


def test_a_draw_is_that_of_seed_seat_and_decision() -> None:
    """An agent that samples with it chooses alike in every process."""
    (ada, bo), (again, _), (other, _) = pantry().due(), pantry().due(), pantry(seed=1).due()

    assert ada.draw == ada.draw == again.draw
    assert len({ada.draw, bo.draw, other.draw}) == 3


def test_a_chooser_can_answer_one_offer_at_a_time() -> None:
    """A script takes a seat where a person could."""
    policy = as_policy(Idle())
    offer = pantry().due()[0]

    choice = anyio.run(partial(policy.choose, offer))

    assert isinstance(policy, Policy)
    assert not isinstance(policy, Chooser)
    assert offer.menu.keys[choice.index] == "wait"
