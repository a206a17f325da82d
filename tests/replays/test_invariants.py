"""What holds in every trace: each invariant catches what is broken, and no other does."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import msgspec
import pytest
from tests.runtime.simulated import Waiting, simulated

from hocket.replays.invariants import INVARIANTS, Invariant, Violation, it_ends, violations
from hocket.replays.trace import AgentMark, Terms, Trace
from hocket.runtime.contract import read_contract
from hocket.runtime.errors import SettingError
from hocket.runtime.events import (
    ChoiceRejected,
    EpisodeEnded,
    Event,
    FaultInjected,
    MenuOffered,
    OfferLapsed,
    OptionChosen,
    OptionEnded,
    OptionStarted,
    Receipt,
    SeatChanged,
    Stepped,
)
from hocket.runtime.policy import Choice, Offer
from hocket.runtime.seats import Holder

TERMS = "deadline:3,misses:1,back:2"
MARK = AgentMark("local", "tiny", "b" * 16, "ada@v1", "a" * 16, {}, (), {})
Break = Callable[[list[Event]], int]
"""Breaks the events of a trace; returns which of them is wrong, from 1."""


class Tuned(Waiting):
    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        receipt = Receipt(adapter="ada@v1", adapter_digest="a" * 16)
        return [Choice(choice.index, receipt) for choice in super().choose_many(offers)]


@cache
def sound() -> Trace:
    """An episode in which much goes wrong, and everything holds."""
    holders = [Holder("ada", Tuned(), "a" * 16), Holder("bo", Waiting())]
    faults = ("drop:0:1:offer", "late:1:1:5", "malformed:0:4", "hold:1:11:4", "twice:1:3:1")
    trace = simulated(*faults, holders=holders, terms=TERMS, steps=24).trace
    contract = read_contract(TERMS)
    header = msgspec.structs.replace(
        trace.header, agents={"ada": MARK}, terms=Terms("simulated", (contract, contract), "idle")
    )
    return msgspec.structs.replace(trace, header=header)


def find(events: Sequence[Event], kind: type[Event], **fields: object) -> int:
    """Place of the first event of a kind with these fields."""
    return next(
        place
        for place, event in enumerate(events)
        if isinstance(event, kind) and all(getattr(event, key) == value for key, value in fields.items())
    )


def replaced(kind: type[Event], fields: dict[str, object], **changed: object) -> Break:
    """Change an event; it is the one that is wrong then."""

    def breaks(events: list[Event]) -> int:
        place = find(events, kind, **fields)
        events[place] = msgspec.structs.replace(events[place], **changed)
        return place + 1

    return breaks


def removed(kind: type[Event], fields: dict[str, object], then: type[Event], **wrong: object) -> Break:
    """Leave an event out; another, behind it, is wrong then."""

    def breaks(events: list[Event]) -> int:
        place = find(events, kind, **fields)
        del events[place]
        return place + find(events[place:], then, **wrong) + 1

    return breaks


def added(make: Callable[[Any], Event], kind: type[Event], **fields: object) -> Break:
    """Put an event behind another; it is the one that is wrong."""

    def breaks(events: list[Event]) -> int:
        place = find(events, kind, **fields)
        events.insert(place + 1, make(events[place]))
        return place + 2

    return breaks


def other_menu_entry(events: list[Event]) -> int:
    """A choice whose index and key do not go together."""
    place = find(events, OptionChosen, seat=1)
    event = events[place]
    assert isinstance(event, OptionChosen)
    events[place] = msgspec.structs.replace(event, index=(event.index + 1) % 6)
    return place + 1


def last_step_gone(events: list[Event]) -> int:
    """An episode that is one step short."""
    del events[max(place for place, event in enumerate(events) if isinstance(event, Stepped))]
    return len(events)


def cut_off(events: list[Event]) -> int:
    """An episode whose last word is missing."""
    del events[-1]
    return len(events)


BROKEN: dict[str, tuple[str, Break, str]] = {
    "an offer that ended twice": (
        "one_end_an_offer",
        added(lambda chosen: chosen, OptionChosen, seat=0),
        "decision 0 of seat 0 ended twice",
    ),
    "an offer that lapsed after its choice": (
        "one_end_an_offer",
        added(lambda started: OfferLapsed(started.tick, 1, 0, "timeout"), OptionStarted, seat=1),
        "decision 0 of seat 1 ended twice",
    ),
    "an end of no offer": (
        "one_end_an_offer",
        added(lambda chosen: OfferLapsed(chosen.tick, 0, 99, "timeout"), OptionStarted, seat=0),
        "decision 99 of seat 0 ended, but was not offered",
    ),
    "an offer that never ended": (
        "one_end_an_offer",
        removed(OfferLapsed, {"seat": 0, "decision": 1}, EpisodeEnded),
        "decision 1 of seat 0 never ended",
    ),
    "a choice from another menu": (
        "only_from_the_menu",
        other_menu_entry,
        "seat 1 chose wait, which is not its menu's",
    ),
    "a choice beyond the menu": (
        "only_from_the_menu",
        replaced(OptionChosen, {"seat": 1}, index=6),
        "seat 1 chose wait, which is not its menu's",
    ),
    "an option from nowhere": (
        "only_from_the_menu",
        replaced(OptionStarted, {"seat": 0}, option="dance"),
        "seat 0 began dance, which is not on its menu",
    ),
    "two options at once": (
        "only_from_the_menu",
        removed(OptionEnded, {"seat": 1}, OptionStarted, seat=1),
        "seat 1 began wait in the midst of wait",
    ),
    "an end of another option": (
        "only_from_the_menu",
        replaced(OptionEnded, {"seat": 1}, option="fetch@0,2"),
        "seat 1 ended fetch@0,2, which it had not begun",
    ),
    "time that goes back": (
        "ticks_in_order",
        replaced(OptionEnded, {"seat": 0}, tick=0),
        "tick 0 follows tick 1",
    ),
    "a step that is missing": (
        "ticks_in_order",
        removed(Stepped, {"tick": 4}, Stepped),
        "step 4 of the world is at tick 5",
    ),
    "a step that was taken twice": (
        "ticks_in_order",
        added(lambda stepped: stepped, Stepped, tick=4),
        "step 5 of the world is at tick 4",
    ),
    "a last step that is missing": ("ticks_in_order", last_step_gone, "the world has taken 23 steps in 24 ticks"),
    "an episode without an end": ("it_ends", cut_off, "it does not end at its length"),
    "an episode that failed": ("it_ends", replaced(EpisodeEnded, {}, reason="failed"), "it does not end at its length"),
    "returns that do not add up": (
        "it_ends",
        replaced(EpisodeEnded, {}, returns=(1.0, 0.0)),
        "its rewards add up to [0.0, 0.0], not to [1.0, 0.0]",
    ),
    "a rejection out of the blue": (
        "rejected_for_cause",
        removed(FaultInjected, {"fault": "malformed"}, ChoiceRejected, reason="malformed"),
        "a choice of seat 0 was rejected for no fault: malformed, an injected fault: nothing that can be read",
    ),
    "a late choice of an offer that was chosen": (
        "rejected_for_cause",
        added(lambda event: ChoiceRejected(event.tick, 0, 0, "late", "its offer has ended"), OptionStarted, seat=0),
        "a choice of seat 0 was rejected for no fault: late, its offer has ended",
    ),
    "a hold that is never over": (
        "cuts_heal",
        replaced(FaultInjected, {"fault": "hold", "message": ""}, ticks=0),
        "the hold of seat 1 is never over",
    ),
    "a message that met a hold behind its end": (
        "cuts_heal",
        added(lambda event: FaultInjected(event.tick, 1, "hold", "offer", 0), Stepped, tick=15),
        "the offer of seat 1 met a hold that was over",
    ),
    "a message that met a partition which had not begun": (
        "cuts_heal",
        added(lambda event: FaultInjected(event.tick, 1, "partition", "choice", 0), MenuOffered, seat=1),
        "the choice of seat 1 met a partition that was over",
    ),
    "a choice of another agent": (
        "held_by_the_holder",
        replaced(OptionChosen, {"seat": 1}, holder="idle"),
        "idle chose for seat 1 of bo",
    ),
    "a seat that changed in silence": (
        "held_by_the_holder",
        removed(SeatChanged, {"seat": 0, "reason": "back"}, OptionChosen, seat=0),
        "ada chose for seat 0 of idle",
    ),
    "a choice of another adapter": (
        "held_by_the_holder",
        replaced(OptionChosen, {"seat": 0}, receipt=Receipt(adapter="ada@v0", adapter_digest="c" * 16)),
        "a choice of seat 0 came from another adapter",
    ),
}


def found(trace: Trace) -> dict[str, list[Violation]]:
    """What each invariant has to say, where it has."""
    asked = {name: violations(invariant, trace) for name, invariant in INVARIANTS.items()}
    return {name: said for name, said in asked.items() if said}


def test_nothing_is_broken_where_faults_are_handled() -> None:
    """The trace that is broken below has lapses, rejections, late answers, holds, and seats that change."""
    kinds = {type(event) for event in sound().events}

    assert kinds >= {OfferLapsed, ChoiceRejected, FaultInjected, SeatChanged, OptionChosen}
    assert found(sound()) == {}


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_broken_is_caught_by_its_own_invariant_at_its_own_event(case: str) -> None:
    """And by no other: a finding says what is wrong, not what follows from it."""
    name, breaks, problem = BROKEN[case]
    events = list(sound().events)
    number = breaks(events)

    said = found(msgspec.structs.replace(sound(), events=tuple(events)))

    assert list(said) == [name]
    assert said[name][0] == Violation(number, events[number - 1].tick, problem)


def test_every_invariant_is_broken_somewhere_here() -> None:
    """One that nothing breaks would hold of anything."""
    assert {name for name, _, _ in BROKEN.values()} | {"nobody_stalls"} == set(INVARIANTS)


def test_an_offer_that_stood_open_too_long_is_caught() -> None:
    """By the terms of its own seat, which stand in the header."""
    narrow = msgspec.structs.replace(
        sound().header,
        terms=Terms("simulated", (read_contract("deadline:2"), read_contract("deadline:3")), "idle"),
    )

    said = found(msgspec.structs.replace(sound(), header=narrow))

    place = find(sound().events, OfferLapsed, seat=0, decision=1)
    problem = "an offer to seat 0 stood open for 3 ticks, of 2"
    assert said == {"nobody_stalls": [Violation(place + 1, 5, problem)]}


def test_where_there_are_no_terms_an_offer_may_stand_open_for_ever() -> None:
    """As it may where a person sits."""
    free = msgspec.structs.replace(sound().header, terms=msgspec.UNSET)

    assert found(msgspec.structs.replace(sound(), header=free)) == {}


def test_what_meets_a_hold_that_is_never_over_is_no_second_finding() -> None:
    """One cause, one sentence."""
    events = list(sound().events)
    replaced(FaultInjected, {"fault": "hold", "message": ""}, ticks=0)(events)

    [said] = found(msgspec.structs.replace(sound(), events=tuple(events))).values()

    assert len(said) == 1
    assert any(isinstance(event, FaultInjected) and event.fault == "hold" and event.message for event in events)


def test_a_trace_without_events_does_not_end() -> None:
    """A file may hold a header and nothing else."""
    assert found(msgspec.structs.replace(sound(), events=())) == {
        "it_ends": [Violation(0, 0, "it does not end at its length")]
    }


def _several(trace: Trace) -> Iterator[Violation]:
    yield Violation(1, 0, "one")
    yield Violation(2, 0, "other")


def _asserts(trace: Trace) -> None:
    assert not trace.events, "there are events"


def _asserts_in_silence(trace: Trace) -> None:
    raise AssertionError


OWN: list[tuple[Invariant, list[str]]] = [
    (lambda trace: None, []),
    (lambda trace: "", []),
    (lambda trace: [], []),
    (lambda trace: "the soup is cold", ["the soup is cold"]),
    (_several, ["one", "other"]),
    (_asserts_in_silence, ["it does not hold"]),
]


@pytest.mark.parametrize(("own", "problems"), OWN)
def test_an_invariant_of_ones_own_may_say_it_in_several_ways(own: Invariant, problems: list[str]) -> None:
    """A sentence, violations, nothing, or a failed assertion."""
    assert [each.problem for each in violations(own, sound())] == problems


def test_a_sentence_is_about_the_trace_as_a_whole() -> None:
    """It names no event, and the assertion's own words are kept."""
    [said] = violations(_asserts, sound())

    assert (said.number, said.tick) == (0, 24)
    assert said.problem.startswith("there are events")


@pytest.mark.parametrize(
    ("own", "said"),
    [
        (lambda trace: str(1 // 0), "ZeroDivisionError"),
        (lambda trace: True, "TypeError"),
        (lambda trace: [7], "7, but"),
    ],
)
def test_a_mistake_in_an_invariant_is_no_violation(own: Invariant, said: str) -> None:
    """It is told in one sentence, with the seed."""
    with pytest.raises(SettingError, match=rf"what the invariant <lambda> says of seed 0 is .?{said}"):
        violations(own, sound())


def test_an_invariant_yields_every_violation() -> None:
    """Not the first alone: a timeline may want them all."""
    events = list(sound().events)
    for place, event in enumerate(events):
        if isinstance(event, OptionChosen) and event.seat == 1:
            events[place] = msgspec.structs.replace(event, holder="cy")

    said = found(msgspec.structs.replace(sound(), events=tuple(events)))

    count = sum(isinstance(event, OptionChosen) and event.seat == 1 for event in events)
    assert [len(each) for each in said.values()] == [count]
    assert count > 3
    assert not list(it_ends(sound()))
