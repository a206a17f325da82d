"""The scripted cook: its returns with itself, alone and beside others."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.agents.scripted.cook import Cook
from hocket.games.registry import library, make
from hocket.runtime.events import Event, Stepped
from hocket.runtime.menu import Menu
from hocket.runtime.policy import Chooser, Offer
from hocket.runtime.result import Result
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

STEPS = 400


def _play(
    layout: str, agents: Sequence[Chooser], seed: int, *, starts: str = "standard", events: list[Event] | None = None
) -> Result:
    """Play one episode, with every agent still in its seat at the end of it."""
    game = make(f"overcooked:{layout}")
    names = [type(agent).__name__ for agent in agents]
    scheduler = Scheduler(game, library(game), seed=seed, holders=names, steps=STEPS, starts=starts)
    seats = Seats([Holder(name, agent) for name, agent in zip(names, agents, strict=True)], Holder("idle", Idle()))
    sink = None if events is None else events.extend

    (result,) = play([Rollout(scheduler, seats, sink)])

    assert scheduler.holders == names
    return result


@pytest.mark.parametrize(("layout", "bar"), [("asymmetric_advantages", 280), ("forced_coordination", 180)])
def test_two_cooks_clear_the_bar(layout: str, bar: int) -> None:
    """They share what both can reach, and hand over what one of them cannot."""
    cook = Cook()

    returns = [_play(layout, (cook, cook), seed).team for seed in range(3)]

    assert min(returns) >= bar


@pytest.mark.slow
@pytest.mark.parametrize(
    ("layout", "bar"),
    [
        ("asymmetric_advantages", 280),
        ("forced_coordination", 180),
        ("cramped_room", 160),
        ("coordination_ring", 140),
        ("counter_circuit_o_1order", 140),
    ],
)
def test_two_cooks_clear_the_bar_with_every_seed(layout: str, bar: int) -> None:
    """Letters and draws differ from seed to seed; none of them may lead into a standstill."""
    cook = Cook()

    returns = [_play(layout, (cook, cook), seed).team for seed in range(20)]

    assert min(returns) >= bar


@pytest.mark.parametrize("seat", [0, 1])
def test_alone_it_earns_nothing_where_nobody_can(seat: int) -> None:
    """On forced_coordination each room lacks what the other has."""
    agents: list[Chooser] = [Idle(), Idle()]
    agents[seat] = Cook()

    assert _play("forced_coordination", agents, 0).team == 0


@pytest.mark.parametrize(
    ("layout", "seat"),
    [("cramped_room", 0), ("asymmetric_advantages", 0), ("asymmetric_advantages", 1), ("coordination_ring", 1)],
)
def test_it_delivers_beside_one_that_does_nothing(layout: str, seat: int) -> None:
    """What a partner could do is not waited for when it is not done."""
    agents: list[Chooser] = [Idle(), Idle()]
    agents[seat] = Cook()

    assert _play(layout, agents, 0).team >= 100


@pytest.mark.parametrize("layout", ["cramped_room", "asymmetric_advantages"])
def test_it_delivers_beside_one_that_plays_at_random(layout: str) -> None:
    """A partner that holds things for no reason and stands in the way slows it down, no more."""
    assert all(_play(layout, (Cook(), Random()), seed).team > 0 for seed in range(3))


def test_one_seed_gives_one_episode() -> None:
    """Maps are kept from one episode to the next; that must not show."""
    first: list[Event] = []
    again: list[Event] = []
    used = Cook()

    _play("coordination_ring", (Cook(), Cook()), 7, events=first)
    _play("coordination_ring", (used, used), 3)
    _play("coordination_ring", (used, used), 7, events=again)

    assert first == again


@pytest.mark.parametrize("layout", ["asymmetric_advantages", "forced_coordination", "cramped_room"])
def test_it_recovers_from_odd_starts(layout: str) -> None:
    """Pots half full and cooking, soup in the wrong room, counters full of things: all of that clears up."""
    cook = Cook()

    returns = [_play(layout, (cook, cook), seed, starts="varied").team for seed in range(4)]

    assert min(returns) >= 100


@pytest.mark.parametrize("layout", ["cramped_room_tomato", "asymmetric_advantages_tomato"])
def test_it_cooks_the_soup_that_pays_a_bonus(layout: str) -> None:
    """The best of several orders is chosen, and a pot is filled to it and no further."""
    game = make(f"overcooked:{layout}")
    bonuses = {",".join(order) for order in game.kitchen.layout.bonuses()}  # type: ignore[attr-defined]
    events: list[Event] = []

    _play(layout, (Cook(), Cook()), 0, events=events)

    delivered = [
        happened.what
        for event in events
        if isinstance(event, Stepped)
        for happened in event.events
        if happened.kind == "delivered"
    ]
    assert delivered
    assert {",".join(sorted(soup.removeprefix("soup:").split(","))) for soup in delivered} <= bonuses


@pytest.mark.parametrize(("layout", "seats"), [("cramped_room_single", 1), ("multiplayer_schelling", 4)])
def test_it_plays_with_any_number_of_cooks(layout: str, seats: int) -> None:
    """One class serves every seat, whether there is nobody else or three others."""
    assert _play(layout, [Cook()] * seats, 0).team > 0


def test_it_waits_where_nothing_else_is_on_the_menu() -> None:
    """Guards may hide what it would rather do."""
    game = make("overcooked:cramped_room")
    scheduler: Scheduler[Any] = Scheduler(game, library(game), seed=0, holders=("ada", "bo"), steps=STEPS)
    offer: Offer = scheduler.due()[0]
    offer = msgspec.structs.replace(offer, menu=Menu.of([each for each in offer.menu.entries if each.option == "wait"]))

    (choice,) = Cook().choose_many([offer])

    assert choice.index == 0
