"""Seats that change hands while an episode runs, in all drivers and paces."""

import asyncio
from typing import Any

import anyio
import pytest

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.games import registry
from hocket.replays.recorder import Sink
from hocket.replays.recording import play_live
from hocket.runtime.bus import Bus
from hocket.runtime.clock import Clock
from hocket.runtime.events import Event, MenuOffered, OptionChosen, OptionStarted, SeatChanged
from hocket.runtime.pace import Live, Lockstep, Pace
from hocket.runtime.policy import Choice, Offer
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats
from hocket.runtime.swap import SWAP, Swap

STEPS = 60
CY = Swap(20, 1, "cy", Random())


class Kept(Sink):
    """Events in memory."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def write(self, event: Event) -> None:
        self.events.append(event)

    def flush(self) -> None:
        """There is nothing to flush."""


class Mute:
    """Never answers."""

    async def choose(self, offer: Offer) -> Choice:
        await asyncio.sleep(3600)
        raise AssertionError


def table(*swaps: Swap, bo: Any = None) -> tuple[Scheduler[Any], Seats]:
    """Ada and bo at a pantry, and who takes their seats."""
    game = registry.make("pantry")
    scheduler = Scheduler(game, registry.library(game), seed=3, holders=("ada", "bo"), steps=STEPS)
    seats = Seats([Holder("ada", Random()), Holder("bo", bo or Random())], Holder("idle", Idle()))
    for swap in swaps:
        seats.plan(swap)
    return scheduler, seats


def rolled(*swaps: Swap) -> list[Event]:
    """An episode by the tight driver."""
    scheduler, seats = table(*swaps)
    events: list[Event] = []
    play([Rollout(scheduler, seats, events.extend)])
    return events


def live(pace: Pace, *swaps: Swap, bo: Any = None) -> list[Event]:
    """An episode over a bus."""
    scheduler, seats = table(*swaps, bo=bo)
    clock, kept = Clock(), Kept()
    anyio.run(play_live, scheduler, seats, pace, Bus(clock), clock, kept)
    return kept.events


def changes(events: list[Event]) -> list[SeatChanged]:
    """Those in which a seat went to somebody else."""
    return [event for event in events if isinstance(event, SeatChanged)]


def test_a_seat_changes_hands_between_two_options() -> None:
    """The option that was under way is carried to its end; the next menu is the new holder's."""
    events = rolled(CY)

    [change] = changes(events)
    assert (change.seat, change.was, change.holder, change.reason) == (1, "bo", "cy", SWAP)
    assert change.tick >= CY.tick
    before, after = events[: events.index(change)], events[events.index(change) :]
    begun = [event.tick for event in before if isinstance(event, OptionStarted) and event.seat == 1]
    assert max(begun) < CY.tick
    assert {event.holder for event in before if isinstance(event, OptionChosen) and event.seat == 1} == {"bo"}
    chosen = [event for event in after if isinstance(event, OptionChosen) and event.seat == 1]
    assert {event.holder for event in chosen} == {"cy"}
    assert chosen[0].tick == change.tick


def test_nothing_changes_for_the_other_seat() -> None:
    """Letters and draws of a seat are its own, whoever sits beside it; until the swap all is as without it."""
    with_swap, without = rolled(CY), rolled()

    [change] = changes(with_swap)
    place = with_swap.index(change)
    assert with_swap[:place] == without[:place]
    menus = [[e.menu for e in events if isinstance(e, MenuOffered) and e.seat == 0] for events in (with_swap, without)]
    assert menus[0][0] == menus[1][0]


def test_every_driver_makes_the_same_of_it() -> None:
    """The tight one and the one over the bus."""
    assert rolled(CY) == live(Lockstep(), CY)


def test_two_swaps_of_one_tick_are_carried_out_in_order() -> None:
    """The later one stays."""
    dee = Swap(20, 1, "dee", Random())

    events = rolled(CY, dee)

    assert [(change.was, change.holder) for change in changes(events)] == [("bo", "cy"), ("cy", "dee")]


@pytest.mark.parametrize("tick", [0, STEPS - 1, STEPS, 10_000])
def test_a_swap_may_come_at_the_first_tick_or_never(tick: int) -> None:
    """One after the end is none."""
    events = rolled(Swap(tick, 0, "cy", Idle()))

    assert len(changes(events)) <= (tick < STEPS)
    if tick == 0:
        assert {event.holder for event in events if isinstance(event, OptionChosen) and event.seat == 0} == {"cy"}


def test_whoever_takes_over_from_one_that_does_not_answer_is_asked_the_same() -> None:
    """Where the world does not wait, an offer is open; it ends in one choice, of the new holder."""
    events = live(Live(hz=200.0), Swap(10, 1, "cy", Random()), bo=Mute())

    [change] = changes(events)
    offers = [event for event in events if isinstance(event, MenuOffered) and event.seat == 1]
    chosen = [event for event in events if isinstance(event, OptionChosen) and event.seat == 1]
    assert change.tick == 10
    assert offers[0].decision == chosen[0].decision == 0
    assert (offers[0].tick, chosen[0].holder) == (0, "cy")
    assert chosen[0].tick >= 10
