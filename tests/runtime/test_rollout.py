"""The tight driver: batches, K rollouts at once, and one trace for one seed."""

import asyncio
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import repeat
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.games import registry
from hocket.games.pantry.options import default_library
from hocket.games.pantry.world import Pantry
from hocket.replays.recording import record
from hocket.replays.trace import encode_trace, make_header
from hocket.runtime.contract import Contract
from hocket.runtime.errors import EpisodeError, SettingError
from hocket.runtime.events import (
    AgentFailed,
    ChoiceRejected,
    EpisodeEnded,
    EpisodeStarted,
    Event,
    GameEvent,
    MenuOffered,
    OfferLapsed,
    OptionChosen,
    SeatChanged,
    Stepped,
)
from hocket.runtime.fault import Fault, ask
from hocket.runtime.pace import Lockstep
from hocket.runtime.policy import Agent, Choice, Offer
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats


class Noted(Random):
    """Keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[list[tuple[int, int]]] = []
        self.draws: dict[tuple[int, int], float] = {}

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        self.asked.append([(offer.tick, offer.seat) for offer in offers])
        self.draws |= {(offer.seat, offer.decision): offer.draw for offer in offers}
        return super().choose_many(offers)


class Cursed(Pantry):
    """Falls down at tick 5."""

    def __init__(self) -> None:
        super().__init__(2)
        self.left = 5

    def step(self, joint: Sequence[int]) -> tuple[tuple[float, ...], tuple[GameEvent, ...]]:
        self.left -= 1
        if self.left < 0:
            raise RuntimeError("the roof fell in")
        return super().step(joint)


class Answers:
    """Gives what it was told to give, or raises it."""

    def __init__(self, answer: Callable[[Sequence[Offer]], Any]) -> None:
        self.answer = answer

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        answer = self.answer(offers)
        if isinstance(answer, BaseException):
            raise answer
        return answer  # type: ignore[no-any-return]


def rollout(
    *agents: Agent, seed: int = 0, steps: int = 60, name: str = "pantry", game: Pantry | None = None
) -> tuple[Rollout, list[Event]]:
    """A rollout, and the list into which its events will go."""
    world = game or registry.make(name, {"seats": len(agents)} if name == "pantry" else {})
    holders = [Holder(f"agent {seat}", agent) for seat, agent in enumerate(agents)]
    seats = Seats(holders, Holder("idle", Idle()))
    events: list[Event] = []
    scheduler = Scheduler(world, registry.library(world), seed=seed, holders=seats.names, steps=steps)
    return Rollout(scheduler, seats, events.extend), events


def events_of(*agents: Agent, seed: int = 0, steps: int = 60, name: str = "pantry") -> list[Event]:
    """Play a rollout and return what happened."""
    played, events = rollout(*agents, seed=seed, steps=steps, name=name)
    play([played])
    return events


def of_seat(events: Sequence[Event], seat: int) -> list[Event]:
    """What happened to one seat."""
    return [event for event in events if getattr(event, "seat", None) == seat]


def test_a_rollout_begins_runs_and_ends() -> None:
    """Its events are a whole trace, its result is their sum."""
    played, events = rollout(Random(), Random(), seed=2)

    result = play([played])[0]

    rewards = [event.rewards for event in events if isinstance(event, Stepped)]
    offers = [sum(isinstance(event, MenuOffered) and event.seat == seat for event in events) for seat in (0, 1)]
    assert isinstance(events[0], EpisodeStarted)
    assert events[-1] == EpisodeEnded(60, "horizon", result.returns)
    assert result.returns == tuple(map(sum, zip(*rewards, strict=True)))
    assert (result.steps, result.decisions, result.team) == (60, tuple(offers), sum(result.returns))


def test_a_rollout_of_no_length_is_refused() -> None:
    """There would be nothing to learn from it."""
    with pytest.raises(SettingError, match="steps is 0, but must be a whole number of 1 or more"):
        events_of(Random(), Random(), steps=0)


def test_the_events_of_a_tick_are_handed_over_with_the_tick() -> None:
    """Whoever listens sees the world move, and does not have to keep a whole episode."""
    played, _ = rollout(Random(), Random(), steps=10)
    heard: list[int] = []
    played.sink = lambda events: heard.append(sum(isinstance(event, Stepped) for event in events))

    play([played])

    assert heard == [1] * 10 + [0]


def test_a_chooser_is_asked_once_a_tick_for_all_of_its_seats() -> None:
    """A model answers four menus in the time of one."""
    ada = Noted()

    events_of(ada, ada, ada, ada, steps=30)

    ticks = [{tick for tick, _ in batch} for batch in ada.asked]
    seats = [[seat for _, seat in batch] for batch in ada.asked]
    assert all(len(tick) == 1 for tick in ticks)
    assert len(set(map(min, ticks))) == len(ticks)
    assert seats[0] == [0, 1, 2, 3]
    assert all(batch == sorted(batch) for batch in seats)


def test_rollouts_that_advance_together_are_one_batch_and_leave_the_traces_that_they_leave_alone() -> None:
    """Batching is a matter of speed: no rollout can tell that there are others."""
    ada, bo = Noted(), Idle()
    together = [rollout(ada, bo, ada, seed=seed, steps=20 + seed) for seed in range(5)]

    results = play([played for played, _ in together])

    assert [batch for batch in ada.asked if batch[0][0] == 0] == [[(0, 0), (0, 2)] * 5]
    assert len({batch[0][0] for batch in ada.asked}) == len(ada.asked)
    for seed, (played, events) in enumerate(together):
        assert events == events_of(Random(), Idle(), Random(), seed=seed, steps=20 + seed)
        assert results[seed] == played.result()


def test_one_seed_gives_one_trace_in_every_process() -> None:
    """Neither the process nor the order of its hashes leaves a mark."""
    script = (
        "from hashlib import sha256\n"
        "from hocket.agents.idle import Idle\n"
        "from hocket.agents.random import Random\n"
        "from hocket.games import registry\n"
        "from hocket.replays.trace import encode_trace, make_header\n"
        "from hocket.runtime.rollout import Rollout, play\n"
        "from hocket.runtime.scheduler import Scheduler\n"
        "from hocket.runtime.seats import Holder, Seats\n"
        "for name in ('pantry', 'overcooked:counter_circuit'):\n"
        "    game, events = registry.make(name), []\n"
        "    library, names = registry.library(game), ('random', 'random')\n"
        "    scheduler = Scheduler(game, library, seed=5, holders=names, steps=120, starts='varied')\n"
        "    seats = Seats([Holder('random', Random())] * 2, Holder('idle', Idle()))\n"
        "    play([Rollout(scheduler, seats, events.extend)])\n"
        "    header = make_header(game, library, seed=5, starts='varied', steps=120, seats=names)\n"
        "    print(len(events), sha256(encode_trace(header, events)).hexdigest())\n"
    )

    printed = [
        subprocess.run(
            [sys.executable, "-P", "-c", script],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    ]

    assert len(printed[0].splitlines()) == 2
    assert len(set(printed)) == 1


@given(st.integers(0, 1 << 40))
@settings(max_examples=25)
def test_one_seed_gives_one_trace(seed: int) -> None:
    """Two worlds that were built apart go the same way, byte for byte."""
    game = registry.make("pantry", {"seats": 3})
    library = registry.library(game)
    header = make_header(game, library, seed=seed, starts="standard", steps=40, seats=("a", "b", "c"))

    traces = [encode_trace(header, events_of(Random(), Idle(), Random(), seed=seed, steps=40)) for _ in range(2)]

    assert traces[0] == traces[1]


@given(st.integers(0, 1 << 40), st.integers(0, 2))
@settings(max_examples=25)
def test_another_agent_in_one_seat_changes_no_letters_and_no_draws_of_the_others(seed: int, seat: int) -> None:
    """So what a change of one agent did to the others it did through the world."""
    others = [other for other in range(3) if other != seat]
    runs = []

    for agent in (Random(), Idle(), Answers(lambda offers: ValueError())):
        noted = Noted()
        agents: list[Agent] = [noted] * 3
        agents[seat] = agent
        events = events_of(*agents, seed=seed, steps=40)
        menus = {
            (event.seat, event.decision): event.menu
            for event in events
            if isinstance(event, MenuOffered) and event.seat in others
        }
        runs.append((menus, noted.draws))

    for menus, draws in runs[1:]:
        for decision in runs[0][0].keys() & menus.keys():
            assert runs[0][0][decision] == menus[decision]
            assert runs[0][1][decision] == draws[decision]


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (ValueError("salt"), "ValueError: salt"),
        (SystemExit(2), "SystemExit: 2"),
        (asyncio.CancelledError(), "CancelledError"),
        (GeneratorExit(), "GeneratorExit"),
        (None, "TypeError: 'NoneType' object is not iterable"),
        ([], "ValueError: 1 offers, but 0 choices"),
        ([Choice(0)] * 2, "ValueError: 1 offers, but more choices"),
        (repeat(Choice(0)), "ValueError: 1 offers, but more choices"),
    ],
)
def test_a_chooser_that_fails_loses_its_seat_and_nothing_else_changes(answer: Any, error: str) -> None:
    """It is as if the seat had been empty from the start, but for the record of what happened."""
    events = events_of(Answers(lambda offers: answer), Random(), seed=4)

    ada = of_seat(events, 0)
    assert ada[1:4] == [
        AgentFailed(0, 0, "agent 0", error),
        OfferLapsed(0, 0, 0, "failed"),
        SeatChanged(0, 0, "idle", "agent 0", "failed"),
    ]
    assert not [event for event in ada[4:] if isinstance(event, AgentFailed | ChoiceRejected)]
    assert of_seat(events, 1) == of_seat(events_of(Idle(), Random(), seed=4), 1)
    assert isinstance(events[-1], EpisodeEnded)
    assert events[-1].reason == "horizon"


@pytest.mark.parametrize("answer", [None, "wait", Choice(99), Choice(-1), Choice(True), Choice(None)])  # type: ignore[arg-type]
def test_a_chooser_that_talks_nonsense_stands_still_and_keeps_its_seat(answer: Any) -> None:
    """Every offer of its is on the record as rejected and lapsed; the others play on."""
    events = events_of(Answers(lambda offers: [answer] * len(offers)), Random(), seed=4, steps=25)

    ada = of_seat(events, 0)
    assert [type(event) for event in ada] == [MenuOffered, ChoiceRejected, OfferLapsed] * 25
    assert of_seat(events, 1) == of_seat(events_of(Idle(), Random(), seed=4, steps=25), 1)


def test_a_chooser_may_give_its_choices_one_by_one() -> None:
    """Any iterable of the right length will do."""
    lazy = Answers(lambda offers: (choice for choice in Random().choose_many(offers)))

    assert events_of(lazy, lazy, seed=1) == events_of(Random(), Random(), seed=1)


def test_a_chooser_that_raises_half_way_through_fails_in_all_seats_that_it_was_asked_for() -> None:
    """Nobody can tell which of its answers were meant."""

    def half(offers: Sequence[Offer]) -> Any:
        yield Choice(0)
        raise LookupError("salt")

    faults = ask(Answers(half), rollout(Idle(), Idle())[0].scheduler.due())

    assert list(faults) == [Fault("LookupError: salt")] * 2


def test_an_interrupt_is_not_the_agents_fault() -> None:
    """Whoever presses Ctrl-C while a model thinks means the program; the trace says so."""
    played, events = rollout(Answers(lambda offers: KeyboardInterrupt()), Random())

    with pytest.raises(KeyboardInterrupt):
        play([played])

    assert [event.reason for event in events if isinstance(event, EpisodeEnded)] == ["interrupted"]


def test_a_game_that_fails_ends_its_rollout_and_those_beside_it_on_the_record() -> None:
    """One error, and every trace has an end; one that was over before stays as it was."""
    over, sound, cursed = (
        rollout(Random(), Random(), steps=3),
        rollout(Random(), Random()),
        rollout(Random(), Random(), game=Cursed()),
    )

    with pytest.raises(EpisodeError, match=r"^the game failed at tick 5: RuntimeError: the roof fell in$"):
        play([over[0], sound[0], cursed[0]])

    ends = [[event for event in events if isinstance(event, EpisodeEnded)] for _, events in (over, sound, cursed)]
    assert [[(end.tick, end.reason) for end in each] for each in ends] == [
        [(3, "horizon")],
        [(6, "failed")],
        [(5, "failed")],
    ]


@given(st.integers(0, 1 << 40), st.integers(1, 12))
@settings(max_examples=25)
def test_every_choice_is_from_the_menu_that_was_offered(seed: int, seats: int) -> None:
    """Index, key and menu agree, and each offer has one end."""
    events = events_of(*[Random()] * seats, seed=seed, steps=30)

    menus = {(event.seat, event.decision): event.menu for event in events if isinstance(event, MenuOffered)}
    chosen = [event for event in events if isinstance(event, OptionChosen)]
    lapsed = [event for event in events if isinstance(event, OfferLapsed)]
    assert all(menus[event.seat, event.decision][event.index] == event.option for event in chosen)
    assert len(menus) == len(chosen)
    assert not lapsed
    assert set(menus[0, 0]) == {key for option in default_library().options for key in _keys(option)}


def _keys(option: Any) -> list[str]:
    return [entry.key for entry in option.instances(None, 0)]


def test_offers_that_are_open_already_are_asked_first() -> None:
    """By a driver that takes over in mid-tick; whoever has lapsed in that tick waits for the next."""
    taken, late = rollout(Random(), Random(), seed=2)
    taken.scheduler.due()
    taken.scheduler.lapse(0, "rejected")

    play([Rollout(taken.scheduler, taken.seats, late.extend)])

    offers = [(event.tick, event.seat, event.decision) for event in late if isinstance(event, MenuOffered)]
    chosen = [(event.tick, event.seat, event.decision) for event in late if isinstance(event, OptionChosen)]
    assert offers[:3] == [(0, 0, 0), (0, 1, 0), (1, 0, 1)]
    assert chosen[0] == (0, 1, 0)
    assert (1, 0, 1) in chosen


def test_a_contract_holds_in_a_rollout_as_it_does_in_an_episode() -> None:
    """A seat that was lost goes back in both, and on the same tick."""
    game = registry.make("pantry")
    scheduler = Scheduler(game, registry.library(game), seed=0, holders=("ada", "bo"), steps=12)
    holders = [Holder("ada", Answers(lambda offers: ["nonsense"] * len(offers))), Holder("bo", Idle())]
    terms = [Contract(misses=2, back=3), Contract()]
    events: list[Event] = []

    play([Rollout(scheduler, Seats(holders, Holder("idle", Idle()), terms), events.extend)])

    changed = [(event.tick, event.holder, event.reason) for event in events if isinstance(event, SeatChanged)]
    lost = "missed 2 offers in a row"
    assert changed == [(1, "idle", lost), (4, "ada", "back"), (7, "idle", lost), (10, "ada", "back")]
    assert events == lived(holders, terms)


def lived(holders: Sequence[Holder], terms: Sequence[Contract]) -> list[Event]:
    """What the async driver makes of the same."""
    game = registry.make("pantry")
    library, names = registry.library(game), ("ada", "bo")
    scheduler = Scheduler(game, library, seed=0, holders=names, steps=12)
    header = make_header(game, library, seed=0, starts="standard", steps=12, seats=names)
    seats = Seats(holders, Holder("idle", Idle()), terms)
    return list(anyio.run(partial(record, header, scheduler, seats, Lockstep())).trace.events)
