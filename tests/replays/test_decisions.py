"""The decisions of a trace by number, and what had happened before each was made."""

import pytest

from hocket.replays.decisions import Decision, decisions, find_decision
from hocket.replays.trace import Trace
from hocket.runtime.errors import DecisionError, SeatError
from hocket.runtime.events import (
    AgentFailed,
    EpisodeEnded,
    EpisodeStarted,
    Event,
    MenuOffered,
    OfferLapsed,
    OptionChosen,
    OptionEnded,
    SeatChanged,
)


def test_every_offer_is_a_decision(played: Trace) -> None:
    """In the order of offers; before it come all events up to the choice."""
    found = decisions(played)

    offers = [event for event in played.events if isinstance(event, MenuOffered)]
    assert [(each.number, each.seat, each.tick) for each in found] == [
        (number, offer.seat, offer.tick) for number, offer in enumerate(offers)
    ]
    for each in found:
        outcome = played.events[each.before]
        assert isinstance(outcome, OptionChosen)
        assert (outcome.seat, outcome.tick) == (each.seat, each.tick)


def test_a_decision_goes_by_its_number_or_by_that_of_its_seat(played: Trace) -> None:
    """`3` counts the offers of all seats, `1:3` those of seat 1."""
    third, own = find_decision(played, "3"), find_decision(played, "1:3")

    assert third == decisions(played)[3]
    assert own == [each for each in decisions(played) if each.seat == 1][3]


def test_the_end_of_an_offer_is_a_choice_a_failure_a_lapse_or_the_end_of_all(played: Trace) -> None:
    """A failure is its agent's outcome; what is open at the end ends where the episode is wound up."""
    offered: list[Event] = [MenuOffered(0, seat, 0, ("wait",)) for seat in (0, 1)]
    failed: list[Event] = [
        AgentFailed(0, 0, "ada", "burnt"),
        OfferLapsed(0, 0, 0, "failed"),
        SeatChanged(0, 0, "idle", "ada", ""),
    ]
    cut: list[Event] = [
        OfferLapsed(0, 1, 0, "cancelled"),
        OptionEnded(0, 0, "wait", "cancelled", 1),
        EpisodeEnded(0, "", (0.0, 0.0)),
    ]
    started = EpisodeStarted(0, ("ada", "bo"), 20)

    found = decisions(Trace(played.header, (started, *offered, *failed, *cut)))
    torn = decisions(Trace(played.header, (started, *offered)))
    at_once = decisions(Trace(played.header, (started, *offered, *cut[1:])))

    assert [each.before for each in found] == [3, 6]
    assert [each.before for each in torn] == [3, 3]
    assert [each.before for each in at_once] == [3, 3]
    assert found[0] == Decision(0, 0, 0, 3)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("23", "ada.jsonl has no decision 23: it has 19, 0 to 18, or SEAT:NUMBER"),
        ("first", "ada.jsonl has no decision first: it has 19, 0 to 18, or SEAT:NUMBER"),
        ("-1", "ada.jsonl has no decision -1: it has 19, 0 to 18, or SEAT:NUMBER"),
        ("1:99", "ada.jsonl has no decision 1:99: seat 1 has 10, 1:0 to 1:9"),
    ],
)
def test_a_decision_that_is_not_there_is_one_sentence(name: str, sentence: str, played: Trace) -> None:
    """Which says how many there are."""
    with pytest.raises(DecisionError) as refused:
        find_decision(Trace(played.header, played.events, path="ada.jsonl"), name)

    assert str(refused.value) == sentence


def test_a_torn_trace_says_where_it_was_cut(played: Trace) -> None:
    """What lies beyond may have been played."""
    with pytest.raises(
        DecisionError, match=r"has no decision 2: it has 2, 0 to 1, or SEAT:NUMBER; it was cut after event 9"
    ):
        find_decision(Trace(played.header, played.events[:9], torn=True), "2")
    with pytest.raises(DecisionError, match="it has none; it was cut after event 1"):
        find_decision(Trace(played.header, played.events[:1], torn=True), "0")


def test_a_seat_that_is_not_there_is_one_sentence(played: Trace) -> None:
    """As wherever a seat is named."""
    with pytest.raises(SeatError, match="seat 2 is not there: pantry has seats 0 to 1"):
        find_decision(played, "2:0")
