"""An episode goes on from any of its decisions, and leaves a trace like any other."""

from collections.abc import Sequence

import msgspec
import pytest

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.agents.scripted.cook import Cook
from hocket.games import registry
from hocket.replays.branch import Branch
from hocket.replays.decisions import Decision, decisions
from hocket.replays.fork import Counterfactual, fork, fork_header, lent
from hocket.replays.rerun import rerun
from hocket.replays.trace import AgentMark, Terms, Trace, make_header
from hocket.runtime.contract import Contract
from hocket.runtime.events import (
    ChoiceRejected,
    Event,
    FaultInjected,
    MenuOffered,
    OfferLapsed,
    OptionChosen,
    SeatChanged,
    Stepped,
)
from hocket.runtime.fault_profile import FaultProfile
from hocket.runtime.policy import Agent, Choice, Offer
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

ADA = Random()
IDLE = Holder("idle", Idle())


class Ponderer:
    """Chooses at random, in its own time."""

    async def choose(self, offer: Offer) -> Choice:
        return ADA.choose_many((offer,))[0]


class Fool:
    """Is nowhere on the menu."""

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        return [Choice(99) for _ in offers]


class Dreamer:
    """Is nowhere on the menu three times in seven."""

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        return [Choice(99) if offer.decision % 7 < 3 else ADA.choose_many((offer,))[0] for offer in offers]


class Ruminant:
    """The same, in its own time."""

    async def choose(self, offer: Offer) -> Choice:
        return Dreamer().choose_many((offer,))[0]


class Kept(list[Event]):
    """A sink in memory."""

    def write(self, event: Event) -> None:
        self.append(event)

    def flush(self) -> None:
        """Keep it."""


def _forked(trace: Trace, number: int, named: dict[int, Holder]) -> tuple[Trace, Counterfactual]:
    branch, kept = Branch(trace, decisions(trace)[number]), Kept()
    assert branch.difference is None
    holders = [Holder(name, ADA) for name in branch.scheduler.holders]
    found = fork(trace, branch, holders, named, IDLE, kept)
    return Trace(fork_header(trace.header, branch, {}), tuple(kept)), found


def test_every_decision_can_be_forked_and_every_fork_runs_again(played: Trace) -> None:
    """Before it all is as it was; then the seats that are named change hands, and no others."""
    for at in decisions(played):
        forked, found = _forked(played, at.number, {0: Holder("cy", ADA), 1: IDLE})

        changes = forked.events[at.before : at.before + 2]
        assert forked.events[: at.before] == played.events[: at.before]
        assert changes == (
            SeatChanged(at.tick, 0, "cy", "ada", "fork"),
            SeatChanged(at.tick, 1, "idle", "bo", "fork"),
        )
        assert forked.header == played.header
        assert rerun(forked).agrees
        assert sum(isinstance(event, SeatChanged) for event in forked.events) == 2
        assert found.fork == sum(forked.events[-1].returns)  # type: ignore[union-attr]


def test_the_same_agents_take_the_same_course(played: Trace) -> None:
    """An agent that is a function of its offers goes on as it had, whoever it was called before."""
    for at in decisions(played):
        forked, found = _forked(played, at.number, {1: Holder("bo", ADA)})

        unchanged = tuple(event for event in forked.events if not isinstance(event, SeatChanged))
        assert unchanged == played.events
        assert found.difference == 0


def test_an_offer_that_was_open_is_answered_by_whoever_takes_over(played: Trace) -> None:
    """It is not made anew: same number, same letters."""
    at = decisions(played)[8]

    forked, _ = _forked(played, at.number, {at.seat: Holder("cy", ADA)})

    answer = next(each for each in forked.events[at.before :] if isinstance(each, OptionChosen))
    offers = [each for each in forked.events[: at.before] if isinstance(each, MenuOffered) and each.seat == at.seat]
    assert (answer.seat, answer.holder, answer.tick) == (at.seat, "cy", at.tick)
    assert answer.decision == offers[-1].decision
    assert answer.option == offers[-1].menu[answer.index]


def test_an_agent_that_takes_its_time_can_take_over(played: Trace) -> None:
    """Then the live driver plays on, in lockstep: the same events."""
    for number in (0, 7, 15):
        waited, _ = _forked(played, number, {1: Holder("cy", Ponderer())})
        at_once, _ = _forked(played, number, {1: Holder("cy", ADA)})

        assert waited == at_once


@pytest.mark.parametrize("cut", range(2, 40, 3))
def test_a_torn_trace_goes_on_where_it_was_cut(cut: int, played: Trace) -> None:
    """Whatever of a tick was not written any more comes about first."""
    torn = Trace(played.header, played.events[:cut], torn=True)
    last = decisions(torn)[-1].number

    forked, found = _forked(torn, last, {0: Holder("ada", ADA), 1: Holder("bo", ADA)})

    assert tuple(event for event in forked.events if not isinstance(event, SeatChanged)) == played.events
    assert (found.recorded, found.difference) == (None, None)
    assert rerun(forked).agrees


def test_a_rejection_in_the_same_tick_is_not_asked_about_again() -> None:
    """The seat stands still for its tick, as it did, and is asked with the next."""
    game = registry.make("pantry")
    library = registry.library(game)
    header = make_header(game, library, seed=1, starts="standard", steps=6, seats=("ada", "bo"))
    scheduler = Scheduler(game, library, seed=1, holders=("ada", "bo"), steps=6)
    scheduler.due()
    scheduler.reject(0, "malformed", "burnt")
    scheduler.lapse(0, "rejected")
    events, rest = scheduler.take(), list[Event]()
    play([Rollout(scheduler, Seats([Holder("ada", ADA), Holder("bo", ADA)], IDLE), rest.extend)])
    trace = Trace(header, (*events, *rest))

    forked, _ = _forked(trace, 1, {1: Holder("bo", ADA)})

    assert tuple(event for event in forked.events if not isinstance(event, SeatChanged)) == trace.events


def test_a_beginning_that_does_not_agree_cannot_be_forked(played: Trace) -> None:
    """It says where; what comes behind the decision is nobody's concern."""
    number = next(
        place for place, event in enumerate(played.events, 1) if isinstance(event, Stepped) and event.tick == 5
    )
    step = msgspec.structs.replace(played.events[number - 1], rewards=(5.0, 0.0))
    forged = Trace(played.header, (*played.events[: number - 1], step, *played.events[number:]))

    early = [at for at in decisions(forged) if at.before < number]
    late = [at for at in decisions(forged) if at.before > number]

    assert early
    assert all(Branch(forged, at).difference is None for at in early)
    for at in late:
        found = Branch(forged, at).difference
        assert found is not None
        assert (found.number, found.field) == (number, "rewards.0")


def test_the_terms_of_the_trace_hold_in_its_forks(played: Trace) -> None:
    """A seat whose agent misses too often goes to the fallback there as well."""
    terms = Terms("lockstep", (Contract(misses=2), Contract()), "idle")
    bound = Trace(msgspec.structs.replace(played.header, terms=terms), played.events)

    forked, _ = _forked(bound, 3, {0: Holder("cy", Fool())})

    changes = [event for event in forked.events if isinstance(event, SeatChanged)]
    assert [(event.holder, event.reason) for event in changes] == [("cy", "fork"), ("idle", "missed 2 offers in a row")]
    assert rerun(forked).agrees


BOUND = Terms("lockstep", (Contract(misses=3, back=11), Contract(misses=2)), "idle")


@pytest.fixture
def dreamt() -> Trace:
    """Ada dreams, loses her seat, and gets it back, more than once."""
    game = registry.make("pantry")
    library, names = registry.library(game), ("ada", "bo")
    header = make_header(game, library, seed=1, starts="standard", steps=60, seats=names, terms=BOUND)
    scheduler, events = Scheduler(game, library, seed=1, holders=names, steps=60), list[Event]()
    seats = Seats([Holder("ada", Dreamer()), Holder("bo", ADA)], IDLE, BOUND.contracts)
    play([Rollout(scheduler, seats, events.extend)])
    return Trace(header, tuple(events))


def _gone_on(trace: Trace, number: int, dreamer: Agent, named: dict[int, Holder]) -> Trace:
    """Cast by name, whoever holds a seat and whoever gets one back."""
    branch, kept = Branch(trace, decisions(trace)[number]), Kept()
    cast = {"ada": Holder("ada", dreamer), "bo": Holder("bo", ADA), "cy": Holder("cy", dreamer), "idle": IDLE}
    holders = [cast[name] for name in branch.scheduler.holders]
    owners = {seat: cast[name] for seat, name in lent(trace, branch).items()}
    fork(trace, branch, holders, named, IDLE, kept, owners=owners)
    return Trace(trace.header, tuple(kept))


def _unrejected(trace: Trace) -> list[Decision]:
    """Decisions but for those behind whose rejection a fork would ask once more."""
    return [at for at in decisions(trace) if not isinstance(trace.events[at.before - 1], ChoiceRejected)]


@pytest.mark.parametrize("dreamer", [Dreamer(), Ruminant()])
def test_contracts_hold_on_from_every_decision(dreamer: Agent, dreamt: Trace) -> None:
    """What was missed before counts, and a seat that the fallback holds goes back when it would have."""
    changes = [(event.holder, event.reason) for event in dreamt.events if isinstance(event, SeatChanged)]

    assert changes[:3] == [("idle", "missed 3 offers in a row"), ("ada", "back"), ("idle", "missed 3 offers in a row")]
    for at in _unrejected(dreamt):
        assert _gone_on(dreamt, at.number, dreamer, {}).events == dreamt.events


def test_a_seat_goes_back_to_whoever_took_it_over_in_a_fork(dreamt: Trace) -> None:
    """Also in a fork of that fork."""
    forked = _gone_on(dreamt, 2, Dreamer(), {0: Holder("cy", Dreamer())})

    changes = [(event.holder, event.reason) for event in forked.events if isinstance(event, SeatChanged)]
    assert changes[:3] == [("cy", "fork"), ("idle", "missed 3 offers in a row"), ("cy", "back")]
    for at in _unrejected(forked)[1:]:
        assert _gone_on(forked, at.number, Dreamer(), {}).events == forked.events


def test_a_relieved_seat_of_which_no_owner_is_known_stays_with_the_fallback(dreamt: Trace) -> None:
    """As long as nobody is named for it."""
    number = next(at.number for at in decisions(dreamt) if lent(dreamt, Branch(dreamt, at)))
    branch, kept = Branch(dreamt, decisions(dreamt)[number]), Kept()

    fork(dreamt, branch, [IDLE, Holder("bo", ADA)], {}, IDLE, kept)

    assert lent(dreamt, branch) == {0: "ada"}
    assert {event.holder for event in kept if isinstance(event, OptionChosen) and event.tick > branch.at.tick} == {
        "idle",
        "bo",
    }


def test_a_trace_torn_before_its_seat_went_over_loses_it_with_the_next_miss(played: Trace) -> None:
    """The last miss that was allowed is in it, and what came of it is not."""
    header = msgspec.structs.replace(played.header, terms=Terms("lockstep", (Contract(misses=1), Contract()), "idle"))
    misses = (ChoiceRejected(0, 0, 0, "malformed", "burnt"), OfferLapsed(0, 0, 0, "rejected"))
    torn = Trace(header, (*played.events[:3], *misses), torn=True)
    branch, kept = Branch(torn, decisions(torn)[1]), Kept()

    fork(torn, branch, [Holder("ada", Fool()), Holder("bo", ADA)], {}, IDLE, kept)

    changes = [event for event in kept if isinstance(event, SeatChanged)]
    assert changes == [SeatChanged(1, 0, "idle", "ada", "missed 2 offers in a row")]


@pytest.mark.parametrize("agent", [ADA, Ponderer()])
def test_a_fork_need_not_be_kept(agent: Agent, played: Trace) -> None:
    """Where its return is all that is asked for."""
    at = decisions(played)[7]
    holders, named = [Holder("ada", ADA), Holder("bo", ADA)], {1: Holder("cy", agent)}

    found = fork(played, Branch(played, at), holders, named, IDLE)

    assert found == fork(played, Branch(played, at), holders, named, IDLE, Kept())


def test_the_header_is_that_of_the_whole_episode(played: Trace) -> None:
    """Pace and faults of its beginning stay, though all behind the fork is lockstep and nothing goes wrong there."""
    terms = Terms("simulated", (), "idle", FaultProfile())
    bound = Trace(msgspec.structs.replace(played.header, terms=terms), played.events)

    forked, _ = _forked(bound, 3, {0: Holder("cy", ADA)})

    assert forked.header.terms == terms
    assert not any(isinstance(event, FaultInjected) for event in forked.events)


def test_a_kitchen_without_a_cook_gets_less() -> None:
    """The table of what the team would have got without one of two scripted cooks only falls short of it."""
    game = registry.make("overcooked:cramped_room")
    library, cook, names = registry.library(game), Cook(), ("ada", "bo")
    header = make_header(game, library, seed=1, starts="standard", steps=200, seats=names)
    scheduler, events = Scheduler(game, library, seed=1, holders=names, steps=200), list[Event]()
    play([Rollout(scheduler, Seats([Holder(name, cook) for name in names], IDLE), events.extend)])
    trace = Trace(header, tuple(events))

    rows = []
    for at in decisions(trace)[::20]:
        branch = Branch(trace, at)
        rows.append(fork(trace, branch, [Holder(name, cook) for name in names], {1: IDLE}, IDLE, Kept()))

    assert [each.so_far for each in rows] == sorted(each.so_far for each in rows)
    assert all(each.so_far <= each.fork <= (each.recorded or 0) for each in rows)
    assert rows[0].difference is not None
    assert rows[0].difference < 0


def test_the_header_names_the_models_that_take_over(played: Trace) -> None:
    """One that the trace names already keeps its mark."""

    def mark(backend: str) -> AgentMark:
        return AgentMark(backend, "embedded", "ba5e", "", "", {}, (), {})

    header = msgspec.structs.replace(played.header, agents={"llm": mark("local")})
    trace = Trace(header, played.events)

    found = fork_header(header, Branch(trace, decisions(trace)[0]), {"llm": mark("onnx"), "llm#a@v1": mark("onnx")})

    assert {name: each.backend for name, each in found.agents.items()} == {"llm": "local", "llm#a@v1": "onnx"}
    assert msgspec.structs.replace(found, agents=header.agents) == header
