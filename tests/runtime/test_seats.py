"""Who holds each seat, and what an answer of theirs does."""

from collections.abc import Sequence
from typing import Any

import pytest

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.games import registry
from hocket.runtime.events import (
    AgentFailed,
    ChoiceRejected,
    Event,
    OfferLapsed,
    OptionChosen,
    OptionStarted,
    Receipt,
    SeatChanged,
)
from hocket.runtime.fault import Fault
from hocket.runtime.policy import Choice, NoChoice
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

ADA, BO, IDLE = Holder("ada", Random()), Holder("bo", Random()), Holder("idle", Idle())


def table() -> tuple[Scheduler[Any], Seats]:
    """Ada and bo at a pantry, both asked."""
    game = registry.make("pantry")
    scheduler = Scheduler(game, registry.library(game), seed=0, holders=("ada", "bo"), steps=60)
    scheduler.due()
    scheduler.take()
    return scheduler, Seats([ADA, BO], IDLE)


def settled(answer: object, *, closing: bool = True) -> tuple[Scheduler[Any], Seats, Sequence[Event]]:
    """What is there after ada's answer."""
    scheduler, seats = table()
    seats.settle(scheduler, 0, answer, closing=closing)
    return scheduler, seats, scheduler.take()


def test_a_choice_is_taken_with_its_receipt() -> None:
    """What an agent says of its own choice goes into the trace as it is."""
    scheduler, seats, events = settled(Choice(2, Receipt(-0.25)))

    assert [type(event) for event in events] == [OptionChosen, OptionStarted]
    assert isinstance(events[0], OptionChosen)
    assert (events[0].index, events[0].holder, events[0].receipt) == (2, "ada", Receipt(-0.25))
    assert scheduler.open_offer(0) is None
    assert seats.names == ("ada", "bo")


def test_a_failed_agent_loses_its_seat() -> None:
    """It is on the record that it failed, that its offer lapsed, and who came after it."""
    scheduler, seats, events = settled(Fault("ValueError: salt"))

    assert events == [
        AgentFailed(0, 0, "ada", "ValueError: salt"),
        OfferLapsed(0, 0, 0, "failed"),
        SeatChanged(0, 0, "idle", "ada", "failed"),
    ]
    assert seats.holder(0) is IDLE
    assert seats.holder(1) is BO
    assert scheduler.holders == ["idle", "bo"]


def test_nonsense_ends_the_offer_where_the_world_waits() -> None:
    """The agent keeps its seat: its next answer may be better."""
    scheduler, seats, events = settled("wait")

    assert events == [
        ChoiceRejected(0, 0, 0, "malformed", "a str, not a Choice"),
        OfferLapsed(0, 0, 0, "rejected"),
    ]
    assert scheduler.open_offer(0) is None
    assert seats.holder(0) is ADA


def test_nonsense_leaves_the_offer_open_where_the_world_does_not_wait() -> None:
    """There is time for a second answer to the same letters."""
    scheduler, _, events = settled(Choice(6), closing=False)

    assert events == [ChoiceRejected(0, 0, 0, "not on the menu", "index 6 of 6")]
    assert scheduler.open_offer(0) is not None


@pytest.mark.parametrize("closing", [True, False])
def test_a_word_that_there_is_no_choice_is_on_the_record_with_its_receipt(closing: bool) -> None:
    """What a model wrote in vain is learned from as well; it ends the offer, and the agent keeps its seat."""
    receipt = Receipt(-3.5, backend="local", scorer="json", reply=(4, 5), draws=3)

    scheduler, seats, events = settled(NoChoice("not on the menu", "no 'dance' at None", receipt), closing=closing)

    assert events[0] == ChoiceRejected(0, 0, 0, "not on the menu", "no 'dance' at None", receipt)
    assert events[1:] == [OfferLapsed(0, 0, 0, "rejected")]
    assert scheduler.open_offer(0) is None
    assert seats.holder(0) is ADA


def test_a_receipt_that_cannot_be_written_down_is_left_out() -> None:
    """The rejection is on the record all the same."""
    receipt = Receipt(menu=(float("-inf"), 0.0))

    _, _, events = settled(NoChoice("malformed", "nothing at all", receipt))

    assert events[0] == ChoiceRejected(0, 0, 0, "malformed", "nothing at all")


def test_a_seat_is_bound_to_another_agent_from_a_tick_on() -> None:
    """The trace says who came after whom, and why; the seats say since when."""
    scheduler, seats = table()
    scheduler.tick()
    scheduler.take()

    seats.bind(scheduler, 1, ADA, "asked to")

    assert scheduler.take() == [SeatChanged(1, 1, "ada", "bo", "asked to")]
    assert (seats.names, seats.since(0), seats.since(1)) == (("ada", "ada"), 0, 1)
    assert len(seats) == 2
