"""What holds in every trace, whatever goes wrong: one function each.

An invariant yields a `Violation` for each event that breaks it. Users' own are functions
of the same kind, or return a sentence, or None where all is well.
"""

from collections.abc import Callable, Iterable, Iterator
from math import inf
from typing import TypeAlias

import msgspec

from hocket.replays.trace import Trace
from hocket.runtime.contract import Contract
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
    SeatChanged,
    Stepped,
)
from hocket.runtime.fault_profile import SPOILS, WINDOWS


class Violation(msgspec.Struct, frozen=True):
    """An event that breaks an invariant."""

    number: int
    """Of the event in the trace, from 1; 0 where it is the trace as a whole."""
    tick: int
    problem: str


Invariant: TypeAlias = Callable[[Trace], "Iterable[Violation | str] | str | None"]


def one_end_an_offer(trace: Trace) -> Iterator[Violation]:
    """Each offer ends in exactly one OptionChosen or OfferLapsed."""
    offered: dict[tuple[int, int], Event | None] = {}
    for number, event in enumerate(trace.events, 1):
        if isinstance(event, MenuOffered):
            offered[event.seat, event.decision] = None
        elif isinstance(event, OptionChosen | OfferLapsed):
            key = event.seat, event.decision
            if key not in offered:
                yield _violation(number, event, f"decision {key[1]} of seat {key[0]} ended, but was not offered")
            elif offered[key] is not None:
                yield _violation(number, event, f"decision {key[1]} of seat {key[0]} ended twice")
            offered[key] = event
    if trace.ended:
        for (seat, decision), end in offered.items():
            if end is None:
                yield _at_the_end(trace, f"decision {decision} of seat {seat} never ended")


def only_from_the_menu(trace: Trace) -> Iterator[Violation]:
    """Nothing runs that was not on the seat's menu, and only one thing at a time."""
    menus: dict[int, tuple[str, ...]] = {}
    running: dict[int, str] = {}
    for number, event in enumerate(trace.events, 1):
        match event:
            case MenuOffered():
                menus[event.seat] = event.menu
            case OptionChosen():
                menu = menus.get(event.seat, ())
                if not 0 <= event.index < len(menu) or menu[event.index] != event.option:
                    yield _violation(number, event, f"seat {event.seat} chose {event.option}, which is not its menu's")
            case OptionStarted():
                if event.option not in menus.get(event.seat, ()):
                    yield _violation(number, event, f"seat {event.seat} began {event.option}, which is not on its menu")
                if event.seat in running:
                    problem = f"seat {event.seat} began {event.option} in the midst of {running[event.seat]}"
                    yield _violation(number, event, problem)
                running[event.seat] = event.option
            case OptionEnded():
                if running.pop(event.seat, None) != event.option:
                    yield _violation(number, event, f"seat {event.seat} ended {event.option}, which it had not begun")
            case _:
                pass


def ticks_in_order(trace: Trace) -> Iterator[Violation]:
    """Ticks never go back, and the world takes exactly one step in each."""
    now = stepped = 0
    for number, event in enumerate(trace.events, 1):
        if event.tick < now:
            yield _violation(number, event, f"tick {event.tick} follows tick {now}")
        now = event.tick
        if isinstance(event, Stepped):
            if event.tick != stepped:
                yield _violation(number, event, f"step {stepped} of the world is at tick {event.tick}")
            stepped += 1
        elif isinstance(event, EpisodeEnded) and event.tick != stepped:
            yield _violation(number, event, f"the world has taken {stepped} steps in {event.tick} ticks")


def it_ends(trace: Trace) -> Iterator[Violation]:
    """The episode ends, at its length, with the returns that its rewards add up to."""
    last = trace.events[-1] if trace.events else None
    if not isinstance(last, EpisodeEnded) or last.reason != "horizon" or last.tick != trace.header.steps:
        yield _at_the_end(trace, "it does not end at its length")
        return
    returns = [0.0] * len(trace.header.seats)
    for event in trace.events:
        if isinstance(event, Stepped):
            returns = [total + reward for total, reward in zip(returns, event.rewards, strict=True)]
    if tuple(returns) != last.returns:
        yield _at_the_end(trace, f"its rewards add up to {returns}, not to {list(last.returns)}")


def rejected_for_cause(trace: Trace) -> Iterator[Violation]:
    """No choice is rejected unless its agent was made to spoil it, or it was late because of a fault or a deadline."""
    spoilt: set[tuple[int, int]] = set()
    delayed: set[tuple[int, int]] = set()
    for number, event in enumerate(trace.events, 1):
        if isinstance(event, FaultInjected):
            delayed.add((event.seat, event.decision))
            if event.fault in SPOILS:
                spoilt.add((event.seat, event.decision))
        elif isinstance(event, OfferLapsed):
            delayed.add((event.seat, event.decision))
        elif isinstance(event, ChoiceRejected):
            key = event.seat, event.decision
            if key not in (delayed if event.reason == "late" else spoilt):
                problem = f"a choice of seat {event.seat} was rejected for no fault: {event.reason}, {event.detail}"
                yield _violation(number, event, problem)


def nobody_stalls(trace: Trace) -> Iterator[Violation]:
    """No offer stands open beyond the deadline of its seat."""
    terms = trace.header.terms
    contracts = () if terms is msgspec.UNSET else terms.contracts
    opened: dict[int, MenuOffered] = {}
    for number, event in enumerate(trace.events, 1):
        if isinstance(event, MenuOffered):
            opened[event.seat] = event
        elif isinstance(event, OptionChosen | OfferLapsed):
            offer = opened.pop(event.seat, None)
            contract = contracts[event.seat] if contracts else Contract()
            if offer is not None and contract.deadline is not None and event.tick - offer.tick > contract.deadline:
                late = event.tick - offer.tick
                yield _violation(
                    number, event, f"an offer to seat {event.seat} stood open for {late} ticks, of {contract.deadline}"
                )


def cuts_heal(trace: Trace) -> Iterator[Violation]:
    """Partitions, holds and crashes end, and nothing is lost to one that is not there."""
    until: dict[tuple[str, int], float] = {}
    for number, event in enumerate(trace.events, 1):
        if not isinstance(event, FaultInjected) or event.fault not in WINDOWS:
            continue
        key = event.fault, event.seat
        if not event.message:
            until[key] = max(until.get(key, 0), event.tick + event.ticks if event.ticks else inf)
            if not event.ticks:
                yield _violation(number, event, f"the {event.fault} of seat {event.seat} is never over")
        elif event.tick >= until.get(key, 0):
            problem = f"the {event.message} of seat {event.seat} met a {event.fault} that was over"
            yield _violation(number, event, problem)


def held_by_the_holder(trace: Trace) -> Iterator[Violation]:
    """A choice is that of the agent that holds the seat, and its receipt that of its adapter."""
    holders = list(trace.header.seats)
    for number, event in enumerate(trace.events, 1):
        if isinstance(event, SeatChanged):
            holders[event.seat] = event.holder
        elif isinstance(event, OptionChosen):
            if event.holder != holders[event.seat]:
                yield _violation(number, event, f"{event.holder} chose for seat {event.seat} of {holders[event.seat]}")
            mark, receipt = trace.header.agents.get(event.holder), event.receipt
            if mark is not None and receipt is not None and receipt.adapter_digest != mark.adapter_digest:
                yield _violation(number, event, f"a choice of seat {event.seat} came from another adapter")


INVARIANTS: dict[str, Invariant] = {
    each.__name__: each
    for each in (
        one_end_an_offer,
        only_from_the_menu,
        ticks_in_order,
        it_ends,
        rejected_for_cause,
        nobody_stalls,
        cuts_heal,
        held_by_the_holder,
    )
}


def violations(invariant: Invariant, trace: Trace) -> list[Violation]:
    """Ask one invariant about a trace; one that raises an AssertionError says so with it.

    Raises:
        SettingError: it fails otherwise, or returns something else than a sentence, None, or several of them.
    """
    try:
        found = invariant(trace)
        listed = [found] if isinstance(found, str) else [] if found is None else list(found)
    except AssertionError as error:
        listed = [str(error) or "it does not hold"]
    except (Exception, SystemExit) as error:
        answer = f"{type(error).__name__}: {error}"
        raise _no_answer(invariant, trace, answer) from error
    whole = [Violation(0, trace.header.steps, each) if isinstance(each, str) else each for each in listed if each]
    for each in whole:
        if not isinstance(each, Violation):
            raise _no_answer(invariant, trace, each)
    return whole


def _no_answer(invariant: Invariant, trace: Trace, answer: object) -> SettingError:
    name = getattr(invariant, "__name__", "of your own")
    right = "a sentence, several, or None, whatever the trace"
    return SettingError(
        setting=f"what the invariant {name} says of seed {trace.header.seed}", value=answer, right=right
    )


def _violation(number: int, event: Event, problem: str) -> Violation:
    return Violation(number, event.tick, problem)


def _at_the_end(trace: Trace, problem: str) -> Violation:
    return Violation(len(trace.events), trace.events[-1].tick if trace.events else 0, problem)
