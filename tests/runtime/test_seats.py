"""Who holds each seat, and what an answer of theirs does.

Long, since a contract can be kept or broken in many ways.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.games import registry
from hocket.runtime.contract import Contract
from hocket.runtime.errors import SchedulerError, SettingError
from hocket.runtime.events import (
    AgentFailed,
    ChoiceRejected,
    Event,
    FaultInjected,
    OfferLapsed,
    OptionChosen,
    OptionStarted,
    Receipt,
    SeatChanged,
)
from hocket.runtime.fault import Fault
from hocket.runtime.listed import Listed
from hocket.runtime.policy import Choice, NoChoice
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats, spoilt
from hocket.runtime.spoiled import Spoiled

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


def bound(
    contract: Contract, *, holders: Sequence[Holder] = (ADA, BO), fallback: Holder = IDLE
) -> tuple[Scheduler[Any], Seats]:
    """Ada and bo at a pantry, both asked, ada under a contract."""
    scheduler, _ = table()
    return scheduler, Seats(holders, fallback, [contract, Contract()])


def pass_tick(scheduler: Scheduler[Any], seats: Seats) -> list[int]:
    """End a tick as a driver does; bo waits whenever he is asked; return who was late."""
    if scheduler.open_offer(1) is not None:
        scheduler.lapse(1, "cancelled", "wait")
    late = seats.keep_contracts(scheduler)
    scheduler.tick()
    scheduler.due()
    return late


def of_ada(scheduler: Scheduler[Any], *kinds: type[Event]) -> list[Event]:
    """What happened to ada since the last call."""
    return [event for event in scheduler.take() if isinstance(event, kinds) and getattr(event, "seat", 1) == 0]


@pytest.mark.parametrize("deadline", [0, 1, 5])
def test_an_offer_lapses_when_its_deadline_has_come(deadline: int) -> None:
    """At the end of the tick in which a choice could have counted last, and of ada's alone."""
    scheduler, seats = bound(Contract(deadline=deadline))

    late = [pass_tick(scheduler, seats) for _ in range(deadline + 1)]

    assert late == [[]] * deadline + [[0]]
    assert of_ada(scheduler, OfferLapsed) == [OfferLapsed(deadline, 0, 0, "timeout")]
    assert seats.holder(0) is ADA


def test_a_choice_counts_in_the_tick_of_its_deadline() -> None:
    """It is in time; a deadline is no tick shorter than it says."""
    scheduler, seats = bound(Contract(deadline=2))
    for _ in range(2):
        pass_tick(scheduler, seats)

    seats.settle(scheduler, 0, Choice(0), closing=False)
    late = seats.keep_contracts(scheduler)

    assert late == []
    assert [type(event) for event in of_ada(scheduler, OptionChosen, OfferLapsed)] == [OptionChosen]


@pytest.mark.parametrize("meanwhile", ["hand_over", "hand_over@3,0"])
def test_a_late_seat_goes_on_with_its_default_option(meanwhile: str) -> None:
    """Named by the option, or by the key of one instance."""
    scheduler, seats = bound(Contract(deadline=0, meanwhile=meanwhile))

    pass_tick(scheduler, seats)

    lapsed, started = of_ada(scheduler, OfferLapsed, OptionStarted)
    assert lapsed == OfferLapsed(0, 0, 0, "timeout", "hand_over@3,0")
    assert isinstance(started, OptionStarted)
    assert started.option == "hand_over@3,0"


def test_a_default_option_that_is_not_on_the_menu_is_none() -> None:
    """The seat stands still, as it would without."""
    scheduler, seats = bound(Contract(deadline=0, meanwhile="dance"))

    pass_tick(scheduler, seats)

    assert of_ada(scheduler, OfferLapsed, OptionStarted) == [OfferLapsed(0, 0, 0, "timeout")]


@pytest.mark.parametrize("misses", [1, 2, 3])
def test_a_seat_that_misses_too_often_goes_to_the_fallback(misses: int) -> None:
    """For good, where the contract does not say for how long."""
    scheduler, seats = bound(Contract(deadline=0, misses=misses))

    for _ in range(misses + 3):
        pass_tick(scheduler, seats)

    many = "offers" if misses > 1 else "offer"
    assert of_ada(scheduler, SeatChanged) == [
        SeatChanged(misses - 1, 0, "idle", "ada", f"missed {misses} {many} in a row")
    ]
    assert (seats.relieved(0), seats.relieved(1), seats.holder(0)) == (True, False, IDLE)


def test_a_choice_that_is_taken_makes_good_for_what_was_missed() -> None:
    """Only misses in a row count."""
    scheduler, seats = bound(Contract(deadline=0, misses=2))

    for answer in (None, "wait", None, "wait", None):
        offer = scheduler.open_offer(0)
        if answer is not None and offer is not None:
            seats.settle(scheduler, 0, Choice(offer.menu.keys.index(answer)), closing=False)
        pass_tick(scheduler, seats)
        while scheduler.doing(0)[1]:
            pass_tick(scheduler, seats)

    assert len(of_ada(scheduler, OfferLapsed)) == 3
    assert seats.holder(0) is ADA
    pass_tick(scheduler, seats)
    assert seats.holder(0) is IDLE


def test_a_rejected_answer_that_ends_its_offer_is_a_miss() -> None:
    """Nonsense is no better than silence, where the world waits; where it does not, there is time for another."""
    scheduler, seats = bound(Contract(misses=1))
    for _ in range(3):
        seats.settle(scheduler, 0, "wait", closing=False)
    kept = seats.holder(0)

    seats.settle(scheduler, 0, "wait", closing=True)

    assert (kept, seats.holder(0)) == (ADA, IDLE)
    assert of_ada(scheduler, SeatChanged) == [SeatChanged(0, 0, "idle", "ada", "missed 1 offer in a row")]


def test_a_seat_goes_back_after_its_ticks() -> None:
    """At an option boundary, with no misses to its name; the record says why."""
    scheduler, seats = bound(Contract(deadline=0, misses=2, back=3))

    for _ in range(8):
        pass_tick(scheduler, seats)

    assert of_ada(scheduler, SeatChanged) == [
        SeatChanged(1, 0, "idle", "ada", "missed 2 offers in a row"),
        SeatChanged(4, 0, "ada", "idle", "back"),
        SeatChanged(6, 0, "idle", "ada", "missed 2 offers in a row"),
    ]


def test_a_seat_does_not_go_back_while_its_fallback_is_asked() -> None:
    """Whoever was asked answers."""
    scheduler, seats = bound(Contract(misses=1, back=1))
    seats.settle(scheduler, 0, "wait", closing=True)
    for _ in range(5):
        pass_tick(scheduler, seats)
    asked = seats.relieved(0), scheduler.open_offer(0) is not None

    seats.settle(scheduler, 0, Choice(0), closing=False)
    pass_tick(scheduler, seats)

    assert asked == (True, True)
    assert seats.holder(0) is ADA


def test_an_agent_that_failed_is_given_its_seat_back_as_well() -> None:
    """It may have been started again; the contract says when it is tried."""
    scheduler, seats = bound(Contract(deadline=0, back=2))

    seats.settle(scheduler, 0, Fault("ValueError"), closing=False)
    for _ in range(3):
        pass_tick(scheduler, seats)

    assert of_ada(scheduler, SeatChanged) == [
        SeatChanged(0, 0, "idle", "ada", "failed"),
        SeatChanged(2, 0, "ada", "idle", "back"),
    ]


def test_a_fallback_that_fails_does_not_put_off_that_the_seat_goes_back() -> None:
    """The ticks count from when it took the seat, not from its last failure."""
    scheduler, seats = bound(Contract(back=3))

    seats.settle(scheduler, 0, Fault("ValueError"), closing=False)
    for _ in range(5):
        pass_tick(scheduler, seats)
        if seats.relieved(0):
            seats.settle(scheduler, 0, Fault("ValueError"), closing=False)

    failed, *again, back = [event for event in of_ada(scheduler, SeatChanged) if isinstance(event, SeatChanged)]
    assert (failed.tick, failed.was, len(again)) == (0, "ada", 3)
    assert back == SeatChanged(3, 0, "ada", "idle", "back")


def test_an_agent_that_is_also_the_fallback_has_its_seat_to_lose() -> None:
    """Until it has lost it, it is bound like any other."""
    scheduler, seats = bound(Contract(deadline=0, misses=1), holders=(IDLE, BO))
    before = seats.relieved(0)

    pass_tick(scheduler, seats)

    assert (before, seats.relieved(0)) == (False, True)
    assert len(of_ada(scheduler, SeatChanged)) == 1


def test_a_seat_without_terms_is_never_late() -> None:
    """By default nobody owes anything."""
    scheduler, seats = table()

    late = [pass_tick(scheduler, seats) for _ in range(50)]

    assert late == [[]] * 50
    assert of_ada(scheduler, OfferLapsed, SeatChanged) == []


@pytest.mark.parametrize(("count", "shown"), [(1, "1"), (3, "3")])
def test_there_is_one_contract_a_seat(count: int, shown: str) -> None:
    """Else it could not be told who owes what."""
    with pytest.raises(SettingError, match=f"number of contracts is {shown}, but must be 2, one a seat"):
        Seats([ADA, BO], IDLE, [Contract()] * count)


def test_a_contract_that_makes_no_sense_is_refused_before_anything_is_played() -> None:
    """It may come from code, where nothing has read it."""
    with pytest.raises(SettingError, match="contract is Contract"):
        Seats([ADA, BO], IDLE, [Contract(misses=0), Contract()])


@pytest.mark.parametrize(
    ("choice", "reason", "detail"),
    [
        (Choice(0, offer=(0, 1)), "another offer", "it is for decision 1 of seat 0"),
        (Choice(0, offer=(1, 0)), "another offer", "it is for decision 0 of seat 1"),
        (Choice(99, offer=(1, 0)), "another offer", "it is for decision 0 of seat 1"),
        (
            Choice(0, Receipt(adapter="ada@v1", adapter_digest="b")),
            "another model",
            "it is from ada@v1, of another digest",
        ),
        (Choice(99, Receipt(adapter_digest="a")), "not on the menu", "index 99 of 6"),
        (Choice(0, offer=5), "malformed", "offer is not a seat and a decision"),  # type: ignore[arg-type]
    ],
)
def test_a_choice_that_is_not_for_this_offer_or_not_of_this_model_is_refused(
    choice: Choice, reason: str, detail: str
) -> None:
    """Though its place on the menu may be there: it was meant for another."""
    scheduler, _ = table()
    seats = Seats([msgspec.structs.replace(ADA, adapter="a"), BO], IDLE)

    seats.settle(scheduler, 0, choice, closing=False)

    assert scheduler.take() == [ChoiceRejected(0, 0, 0, reason, detail)]
    assert scheduler.open_offer(0) is not None


def test_a_late_failure_costs_the_seat_and_the_offer_that_is_open() -> None:
    """The agent is gone, whichever question it has gone at."""
    scheduler, seats = bound(Contract(deadline=0))
    pass_tick(scheduler, seats)
    scheduler.take()

    seats.settle_late(scheduler, 0, 0, Fault("ValueError: salt"))

    assert scheduler.take() == [
        AgentFailed(1, 0, "ada", "ValueError: salt"),
        OfferLapsed(1, 0, 1, "failed"),
        SeatChanged(1, 0, "idle", "ada", "failed"),
    ]


def test_a_late_failure_of_one_that_has_lost_its_seat_is_only_noted() -> None:
    """The fallback has done nothing wrong."""
    scheduler, seats = bound(Contract(deadline=0, misses=1))
    pass_tick(scheduler, seats)
    scheduler.take()

    seats.settle_late(scheduler, 0, 0, Fault("ValueError: salt"))

    assert scheduler.take() == [ChoiceRejected(1, 0, 0, "late", "it failed: ValueError: salt")]
    assert scheduler.open_offer(0) is not None


@pytest.mark.parametrize("answer", [Choice(0), "nonsense", NoChoice("malformed", "hm"), Spoiled(Choice(0), "twice")])
def test_a_late_answer_is_only_noted(answer: object) -> None:
    """Whatever it says: its offer has had its end."""
    scheduler, seats = bound(Contract(deadline=0))
    pass_tick(scheduler, seats)
    scheduler.take()

    seats.settle_late(scheduler, 0, 0, answer)

    assert scheduler.take() == [ChoiceRejected(1, 0, 0, "late", "its offer has ended")]


@pytest.mark.parametrize("closing", [True, False])
def test_a_faulty_answer_is_on_record_where_there_is_no_network(closing: bool) -> None:
    """What is never sent lapses where the world waits, and stays open where it does not; nothing can be late there."""
    scheduler, seats = table()

    seats.settle(scheduler, 0, Spoiled(Choice(0), "never", ()), closing=closing)
    seats.settle(scheduler, 1, Spoiled(Choice(0), "late", (30,)), closing=closing)

    events = scheduler.take()
    assert [event for event in events if isinstance(event, FaultInjected)] == [
        FaultInjected(0, 0, "never", "choice", 0),
    ]
    assert OfferLapsed(0, 0, 0, "timeout") in events if closing else scheduler.open_offer(0) is not None
    assert [event.seat for event in events if isinstance(event, OptionChosen)] == [1]


def test_nobody_is_answered_for_who_was_not_asked() -> None:
    """A driver that mixes seats up is told so."""
    scheduler, seats = table()
    seats.settle(scheduler, 0, Choice(0), closing=True)

    with pytest.raises(SchedulerError, match="seat 0 at tick 0: was answered for, but has no open offer"):
        seats.settle(scheduler, 0, Choice(0), closing=True)


def test_an_agent_in_two_seats_is_wrapped_once() -> None:
    """So that it is still asked once for both; names and adapters stay as they are."""
    both, bo = Random(), Idle()
    holders = [Holder("ada", both), Holder("bo", bo, "d" * 16), Holder("ada", both)]

    wrapped = spoilt(holders, Listed())

    assert [(each.name, each.adapter) for each in wrapped] == [(each.name, each.adapter) for each in holders]
    assert wrapped[0].agent is wrapped[2].agent
    assert wrapped[0].agent is not wrapped[1].agent
    assert not {id(each.agent) for each in wrapped} & {id(both), id(bo)}


def test_where_nothing_goes_wrong_on_purpose_no_agent_is_wrapped() -> None:
    """Lockstep and live pace play whom they were given."""
    assert spoilt([ADA, BO], None) == [ADA, BO]
