"""The async driver: one trace for one seed, and nobody waits for nobody.

Long, since agents can fail in many ways.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from random import Random as Dice
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint
from hypothesis import given, settings
from hypothesis import strategies as st

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.games import registry
from hocket.games.pantry.options import default_library
from hocket.games.pantry.world import Pantry
from hocket.replays.recorder import RECORDED
from hocket.replays.rerun import rerun
from hocket.replays.trace import Header, Trace, encode_trace, make_header
from hocket.runtime.actor import Actor, Group
from hocket.runtime.bus import Bus
from hocket.runtime.clock import Clock
from hocket.runtime.episode import Episode
from hocket.runtime.errors import BusError, EpisodeError, HocketError, TracePathError
from hocket.runtime.events import (
    AgentFailed,
    ChoiceRejected,
    EpisodeEnded,
    Event,
    GameEvent,
    MenuOffered,
    OfferLapsed,
    OptionChosen,
    Receipt,
    SeatChanged,
    Stepped,
)
from hocket.runtime.game import Game
from hocket.runtime.mailbox import Mailbox
from hocket.runtime.option import Library
from hocket.runtime.pace import Live, Lockstep, Pace
from hocket.runtime.player import Answer
from hocket.runtime.policy import Agent, Choice, Offer
from hocket.runtime.result import Result
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats


class Table:
    """One episode about to be played, and everything that is published in it."""

    def __init__(
        self,
        *agents: Agent,
        seed: int = 0,
        steps: int = 30,
        pace: Pace | None = None,
        game: Game[Any] | None = None,
        library: Library[Any] | None = None,
    ) -> None:
        world = game or registry.make("pantry", {"seats": len(agents)})
        options = library or registry.library(world)
        self.seats = Seats(
            [Holder(f"agent {seat}", agent) for seat, agent in enumerate(agents)], Holder("idle", Idle())
        )
        names = self.seats.names
        self.scheduler: Scheduler[Any] = Scheduler(world, options, seed=seed, holders=names, steps=steps)
        self.header: Header = make_header(world, options, seed=seed, starts="standard", steps=steps, seats=names)
        clock = Clock()
        self.bus = Bus(clock)
        self.events: list[Event] = []
        self._inbox: Mailbox[Event] = self.bus.subscribe(RECORDED, name="all", capacity=1 << 20, overflow="fail")
        self.episode = Episode(self.scheduler, self.seats, self.bus, pace or Lockstep(), clock=clock)

    async def run(self) -> Result:
        """Play; to hang is to fail."""
        try:
            with anyio.fail_after(20):
                return await self.episode.run()
        finally:
            self.events += self._inbox.take_all()

    def play(self) -> list[Event]:
        """Play on a loop of its own; return what was published."""
        anyio.run(self.run)
        return self.events

    def trace(self) -> bytes:
        """Play, and return the whole trace."""
        return encode_trace(self.header, self.play())

    def agrees(self) -> bool:
        """Whether what was published runs again."""
        return rerun(Trace(self.header, tuple(self.events))).agrees


class Unhurried:
    """Ticks come whether or not anybody has answered, but every task gets its chance in between."""

    waits = False

    def __init__(self, at: dict[int, Callable[[], object]] | None = None) -> None:
        self._at = {} if at is None else at

    def deadline(self, tick: int) -> float:
        return anyio.current_time()

    async def begin(self, tick: int) -> None:
        if tick in self._at:
            self._at[tick]()
        for _ in range(10):
            await checkpoint()


class AtOnce:
    """A chooser that answers as a policy, without a pause."""

    def __init__(self) -> None:
        self._random = Random()

    async def choose(self, offer: Offer) -> Choice:
        return self._random.choose_many((offer,))[0]


class Dawdler(AtOnce):
    """Answers what it would have answered anyway, but sometime later."""

    def __init__(self, dice: Dice) -> None:
        super().__init__()
        self._dice = dice

    async def choose(self, offer: Offer) -> Choice:
        for _ in range(self._dice.randrange(6)):
            await checkpoint()
        if self._dice.random() < 0.3:
            await anyio.sleep(self._dice.random() / 2000)
        return await super().choose(offer)


class Absent:
    """Never answers."""

    async def choose(self, offer: Offer) -> Choice:
        await anyio.sleep_forever()
        raise AssertionError


class Stubborn:
    """Never answers, and will not be cancelled before it is told to go."""

    def __init__(self) -> None:
        self.gone = False

    async def choose(self, offer: Offer) -> Choice:
        while not self.gone:
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(0.01)
        return Choice(0)


class Doing:
    """Does something else in place of choosing."""

    def __init__(self, deed: Callable[[], object]) -> None:
        self._deed = deed

    async def choose(self, offer: Offer) -> Choice:
        await checkpoint()
        return self._deed()  # type: ignore[return-value]


class Prompt:
    """Chooses, where it should have been possible to wait for it."""

    def choose(self, offer: Offer) -> Choice:
        return Choice(0)


class Noted(Random):
    """Keeps which seats it was asked for, by tick."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        self.asked.append([offer.seat for offer in offers])
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


class Outage(BaseException):
    """Not even an Exception."""


def throw(error: BaseException) -> object:
    """Raise, as an expression."""
    raise error


def cancel_oneself() -> Choice:
    """Answer with the last breath."""
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    return Choice(0)


def of_seat(events: Sequence[Event], seat: int) -> list[Event]:
    """What happened to one seat."""
    return [event for event in events if getattr(event, "seat", None) == seat]


def kinds(events: Sequence[Event], *wanted: type[Event]) -> list[type[Event]]:
    """What sorts of event there were, in order."""
    return [type(event) for event in events if isinstance(event, wanted)]


def each_offer_ends_once(events: Sequence[Event]) -> bool:
    """Whether offers and their ends are the same, none twice."""
    offered = [(event.seat, event.decision) for event in events if isinstance(event, MenuOffered)]
    closed = [(event.seat, event.decision) for event in events if isinstance(event, OptionChosen | OfferLapsed)]
    return sorted(offered) == sorted(closed) and len(set(offered)) == len(offered)


def rolled_out(*agents: Agent, seed: int = 0, steps: int = 30) -> bytes:
    """The trace that the synchronous driver leaves."""
    table = Table(*agents, seed=seed, steps=steps)
    events: list[Event] = []
    play([Rollout(table.scheduler, table.seats, events.extend)])
    return encode_trace(table.header, events)


def test_an_episode_leaves_the_trace_of_the_rollout() -> None:
    """There are two drivers and one scheduler, so what was learnt in one holds in the other."""
    live = Table(Random(), Idle(), Random(), seed=3, steps=60)

    trace = live.trace()

    assert trace == rolled_out(Random(), Idle(), Random(), seed=3, steps=60)
    assert live.agrees()


@given(st.integers(0, 1 << 40), st.integers(0, 1 << 40))
@settings(max_examples=12)
def test_one_seed_gives_one_trace_whatever_order_replies_come_back_in(seed: int, delays: int) -> None:
    """Ada may think for longer than bo, or bo than ada: nobody can tell from the trace."""
    dice = Dice(delays)
    agents = [Dawdler(dice) for _ in range(4)]

    trace = Table(*agents, seed=seed, steps=20).trace()

    assert trace == rolled_out(*[Random()] * 4, seed=seed, steps=20)


def test_a_policy_and_a_chooser_of_the_same_mind_leave_the_same_trace() -> None:
    """Which of the two forms an agent has is its own business."""
    one, other = Table(AtOnce(), Random(), seed=8), Table(Random(), AtOnce(), seed=8)

    assert one.trace() == other.trace() == rolled_out(Random(), Random(), seed=8)


def test_a_chooser_of_several_seats_gets_one_batch_a_tick_in_seat_order() -> None:
    """The batches are those of the rollout: who else sits at the table plays no part."""
    live, rolled = Noted(), Noted()

    Table(live, Dawdler(Dice(1)), live, live, seed=2).play()
    rolled_out(rolled, Random(), rolled, rolled, seed=2)

    assert live.asked == rolled.asked
    assert live.asked[0] == [0, 2, 3]


FAULTS = {
    "ValueError: salt": Doing(lambda: throw(ValueError("salt"))),
    "CancelledError": Doing(lambda: throw(asyncio.CancelledError())),
    "SystemExit: 1": Doing(lambda: throw(SystemExit(1))),
    "Outage: gas": Doing(lambda: throw(Outage("gas"))),
    "ValueError: \\udcff": Doing(lambda: throw(ValueError("\udcff"))),
    "TimeoutError": Doing(lambda: throw(TimeoutError())),
    "ExceptionGroup: two (1 sub-exception)": Doing(lambda: throw(ExceptionGroup("two", [ValueError()]))),
    "TypeError: ": Prompt(),
}


@pytest.mark.parametrize("error", FAULTS)
def test_an_agent_that_fails_loses_its_seat_and_nobody_else_notices(error: str) -> None:
    """Whatever it raises: it is on the record, the seat is empty from then on, the episode goes on to its end."""
    agent: Any = FAULTS[error]
    table = Table(agent, Random(), seed=4)

    events = table.play()

    failed, *after = of_seat(events, 0)[1:4]
    assert isinstance(failed, AgentFailed)
    assert (failed.tick, failed.holder, failed.error[: len(error)]) == (0, "agent 0", error)
    assert after == [
        OfferLapsed(0, 0, 0, "failed"),
        SeatChanged(0, 0, "idle", "agent 0", "failed"),
    ]
    assert kinds(events, AgentFailed, SeatChanged) == [AgentFailed, SeatChanged]
    unaffected(table, seed=4)


def test_an_agent_that_cancels_itself_and_still_answers_has_failed() -> None:
    """asyncio drops such an answer; that is the agent's affair and nobody else's."""
    table = Table(Doing(cancel_oneself), Random(), seed=4)

    events = table.play()

    assert kinds(of_seat(events, 0), AgentFailed, SeatChanged) == [AgentFailed, SeatChanged]
    unaffected(table, seed=4)


def unaffected(table: Table, *, seed: int) -> None:
    """Check that bo played as beside an empty seat, to the end, and that the trace is sound."""
    beside_nobody = Table(Idle(), Random(), seed=seed).play()
    assert of_seat(table.events, 1) == of_seat(beside_nobody, 1)
    assert table.events[-1] == EpisodeEnded(30, "horizon", tuple(table.scheduler.returns))
    assert each_offer_ends_once(table.events)
    assert table.agrees()


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "wait",
        0,
        Choice(99),
        Choice(-1),
        Choice(True),
        Choice("wait"),  # type: ignore[arg-type]
        Choice(0, Receipt(float("nan"))),
        Choice(0, Receipt(object())),  # type: ignore[arg-type]
        object(),
        asyncio.CancelledError(),
    ],
)
def test_an_agent_that_talks_nonsense_stands_still_and_nobody_else_notices(answer: object) -> None:
    """It keeps its seat, and every one of its answers is on the record as rejected."""
    table = Table(Doing(lambda: answer), Random(), seed=4)

    events = table.play()

    assert [type(event) for event in of_seat(events, 0)] == [MenuOffered, ChoiceRejected, OfferLapsed] * 30
    unaffected(table, seed=4)


def test_an_agent_that_hangs_loses_its_offers_and_nobody_else_notices() -> None:
    """The world waits for as long as it was told to, and no longer."""
    table = Table(Absent(), Random(), seed=4, pace=Lockstep(limit=0.005))

    events = table.play()

    ada = of_seat(events, 0)
    assert [type(event) for event in ada] == [MenuOffered, OfferLapsed] * 30
    assert {event.reason for event in ada if isinstance(event, OfferLapsed)} == {"timeout"}
    assert not table.episode.left_behind
    unaffected(table, seed=4)


def test_an_agent_that_ignores_its_cancellation_loses_its_seat_and_nobody_else_notices() -> None:
    """It is let go of after a few offers, and left behind at the end."""
    ada = Stubborn()
    table = Table(ada, Random(), seed=4, pace=Lockstep(limit=0.005))

    async def main() -> int:
        await table.run()
        left = len(table.episode.left_behind)
        ada.gone = True
        await asyncio.wait(table.episode.left_behind)
        return left

    left = anyio.run(main)

    failed = [event for event in table.events if isinstance(event, AgentFailed)]
    assert left == 3
    assert [(event.tick, event.error) for event in failed] == [(3, "ignores its cancellation")]
    unaffected(table, seed=4)


@pytest.mark.parametrize("limit", [1e-9, 1e-4])
def test_a_limit_that_nobody_can_keep_is_kept_anyhow(limit: float) -> None:
    """Every offer lapses or is answered, and no mailbox runs over."""
    table = Table(Dawdler(Dice(0)), Dawdler(Dice(1)), Absent(), steps=100, pace=Lockstep(limit=limit))

    events = table.play()

    assert each_offer_ends_once(events)
    assert isinstance(events[-1], EpisodeEnded)
    assert events[-1].reason == "horizon"
    assert table.agrees()


def test_an_agent_that_fails_late_is_replaced_late() -> None:
    """Its choices up to then stand in its name."""
    answers = iter([Choice(0)] * 3)
    table = Table(Doing(lambda: next(answers)), Random(), seed=4)

    events = table.play()

    holders = [event.holder for event in of_seat(events, 0) if isinstance(event, OptionChosen)]
    assert holders[:4] == ["agent 0"] * 3 + ["idle"]
    assert set(holders[3:]) == {"idle"}
    assert table.agrees()


def test_a_game_that_fails_ends_the_episode_with_one_error_and_its_trace_with_the_reason() -> None:
    """What had happened before is published, and it runs again."""
    table, sound = Table(Random(), AtOnce(), game=Cursed()), Table(Random(), AtOnce())

    with pytest.raises(HocketError) as failed:
        table.play()

    assert isinstance(failed.value, EpisodeError)
    assert str(failed.value) == "the game failed at tick 5: RuntimeError: the roof fell in"
    assert [event.reason for event in table.events if isinstance(event, EpisodeEnded)] == ["failed"]
    assert each_offer_ends_once(table.events)
    last = 1 + max(place for place, event in enumerate(table.events) if isinstance(event, Stepped))
    assert table.events[:last] == sound.play()[:last]


def test_a_library_that_fails_ends_the_episode_with_one_error() -> None:
    """The message says which part it was, and the offer that was being answered still has an end."""
    library = default_library()
    for option in library.options:
        option.expand = lambda *_: 1 // 0  # type: ignore[method-assign,assignment]
    table = Table(Random(), Random(), library=library)

    with pytest.raises(EpisodeError, match=r"^the option library failed at tick 0: ZeroDivisionError"):
        table.play()

    assert isinstance(table.events[-1], EpisodeEnded)
    assert table.events[-1].reason == "failed"
    assert each_offer_ends_once(table.events)


def test_a_clock_that_fails_ends_the_episode_with_one_error() -> None:
    """A bug of the runtime's own is told with the tick, and its cause kept."""
    table = Table(Random(), Random())
    table.episode.clock.at(3, lambda: 1 // 0)

    with pytest.raises(EpisodeError, match=r"^the scheduler failed at tick 4: ZeroDivisionError") as failed:
        table.play()

    assert isinstance(failed.value.__cause__, ZeroDivisionError)
    assert [event.reason for event in table.events if isinstance(event, EpisodeEnded)] == ["failed"]


def test_a_recorder_that_fails_ends_the_episode_with_one_error() -> None:
    """It is the recorder's own error, not a group of errors; the others hear that the episode is over."""
    table = Table(Random(), Dawdler(Dice(3)), steps=10_000)
    full = TracePathError(path="ada.jsonl", problem="cannot be written: no space left on device")

    async def write(event: Event) -> None:
        if event.tick == 5:
            raise full

    async def main() -> None:
        inbox = table.bus.subscribe(RECORDED, name="recorder", capacity=8, overflow="wait")
        async with Group() as group:
            group.start(Actor(inbox, write))
            await table.run()

    with pytest.raises(TracePathError) as failed:
        anyio.run(main)

    assert failed.value is full
    assert isinstance(table.events[-1], EpisodeEnded)
    assert table.events[-1].tick < 10_000
    assert each_offer_ends_once(table.events)


def test_a_mailbox_that_runs_over_ends_the_episode_and_leaves_no_gap_in_the_others() -> None:
    """The one that failed has missed something; everybody else has every event, the end included."""
    table = Table(Random(), Random(), seed=1)
    table.bus.subscribe(RECORDED, name="ada's view", capacity=20, overflow="fail")

    with pytest.raises(BusError, match=r"^OptionEnded for ada's view: "):
        table.play()

    assert isinstance(table.events[-1], EpisodeEnded)
    assert table.events[-1].reason == "failed"
    assert table.agrees()


def test_a_mailbox_that_runs_over_at_the_last_event_is_told_too() -> None:
    """The episode is not over before everybody who cannot miss anything has missed nothing."""
    table = Table(Random(), Random(), seed=1)
    table.bus.subscribe(
        RECORDED, name="ada's view", capacity=len(Table(Random(), Random(), seed=1).play()) - 1, overflow="fail"
    )

    with pytest.raises(BusError, match="EpisodeEnded for ada's view"):
        table.play()

    assert [event.reason for event in table.events if isinstance(event, EpisodeEnded)] == ["horizon"]


def test_a_cancellation_from_outside_ends_the_episode_at_once_and_says_so() -> None:
    """The agents go with it, and the trace is whole."""
    at: dict[int, Callable[[], object]] = {}
    table = Table(Dawdler(Dice(0)), Absent(), pace=Unhurried(at))

    async def main() -> None:
        with anyio.CancelScope() as scope:
            at[7] = scope.cancel
            await table.run()

    anyio.run(main)

    assert table.events[-1] == EpisodeEnded(7, "interrupted", (0.0, 0.0))
    assert of_seat(table.events, 1)[-1] == OfferLapsed(7, 1, 0, "cancelled")
    assert each_offer_ends_once(table.events)
    assert table.agrees()
    assert not table.episode.left_behind


def test_a_cancellation_by_asyncio_ends_the_episode_too() -> None:
    """That is how Ctrl-C comes: to a world that waits for an answer."""
    table = Table(Absent(), Random())

    async def main() -> bool:
        task = asyncio.ensure_future(table.run())
        for _ in range(30):
            await checkpoint()
        task.cancel()
        await asyncio.wait({task})
        return task.cancelled()

    cancelled = anyio.run(main)

    assert cancelled
    assert table.events[-1] == EpisodeEnded(0, "interrupted", (0.0, 0.0))
    assert table.agrees()


@pytest.mark.parametrize("capacity", [3, 40])
def test_a_subscriber_that_takes_nothing_cannot_keep_a_cancelled_episode(capacity: int) -> None:
    """The episode waits for it, but not when it is told to end; what it has is the beginning of what there was."""
    table = Table(Random(), Random(), seed=1)
    stuck = table.bus.subscribe(RECORDED, name="stuck", capacity=capacity, overflow="wait")

    async def main() -> None:
        with anyio.move_on_after(0.05):
            await table.run()

    anyio.run(main)
    had = stuck.take_all()

    assert len(had) == capacity
    assert had == table.events[:capacity] == Table(Random(), Random(), seed=1).play()[:capacity]


def test_the_last_events_of_a_cancelled_episode_wait_for_nobody_for_long() -> None:
    """Whoever has no room for them has had its moment of grace."""
    table = Table(Absent(), Random())
    stuck = table.bus.subscribe(RECORDED, name="stuck", capacity=3, overflow="wait")

    async def main() -> None:
        with anyio.move_on_after(0.01):
            await table.run()

    anyio.run(main)

    assert kinds(stuck.take_all(), MenuOffered, EpisodeEnded) == [MenuOffered, MenuOffered]


@pytest.mark.parametrize("capacity", [4, 20])
def test_a_cancellation_leaves_no_gap_in_what_a_subscriber_gets(capacity: int) -> None:
    """A recorder that was behind, and goes on while the episode ends, has a trace that runs again."""
    table = Table(Random(), Random(), seed=1)
    behind = table.bus.subscribe(RECORDED, name="behind", capacity=capacity, overflow="wait")

    had = anyio.run(cancelled, table, behind, capacity + 1)

    assert had == Table(Random(), Random(), seed=1).play()[: len(had)]
    assert len(had) >= capacity
    assert rerun(Trace(table.header, tuple(had))).agrees


def test_a_subscriber_that_is_behind_hears_of_the_end() -> None:
    """An interrupted episode gives it the time to make room for the last events."""
    table = Table(Absent(), Random())
    behind = table.bus.subscribe(RECORDED, name="behind", capacity=3, overflow="wait")

    had = anyio.run(cancelled, table, behind, 3)

    assert had == table.events
    assert had[-1] == EpisodeEnded(0, "interrupted", (0.0, 0.0))


async def cancelled(table: Table, behind: Mailbox[Event], waiting: int) -> list[Event]:
    """Cancel when so many events wait, and take them, one at a time, only from then on."""
    had: list[Event] = []
    ended = asyncio.Event()

    async def cancel_and_take(scope: anyio.CancelScope) -> None:
        while behind.waiting < waiting:
            await checkpoint()
        for _ in range(5):
            await checkpoint()
        scope.cancel()
        while not (ended.is_set() and behind.quiet):
            await checkpoint()
            if behind.waiting:
                had.append(behind.receive_nowait())

    async with anyio.create_task_group() as tasks:
        with anyio.CancelScope() as scope:
            tasks.start_soon(cancel_and_take, scope)
            await table.run()
        ended.set()
    return had


def test_an_answer_to_another_decision_counts_for_nothing() -> None:
    """It came too late, or from nowhere: the open offer is still that of its own agent."""
    table = Table(Absent(), AtOnce(), pace=Unhurried({3: lambda: table.bus.post(Answer(0, 77, Choice(0)))}))

    events = table.play()

    assert [type(event) for event in of_seat(events, 0)] == [MenuOffered, OfferLapsed]


def test_in_live_pace_a_seat_that_never_answers_slows_nobody() -> None:
    """Its offer stays open to the end; the others play on."""
    table = Table(Absent(), Random(), seed=6, steps=60, pace=Live(hz=2000))

    events = table.play()

    ada, bo = of_seat(events, 0), of_seat(events, 1)
    assert [type(event) for event in ada] == [MenuOffered, OfferLapsed]
    assert ada[-1] == OfferLapsed(60, 0, 0, "cancelled")
    assert len(kinds(bo, OptionChosen)) >= 4
    assert isinstance(events[-1], EpisodeEnded)
    assert events[-1].reason == "horizon"
    assert table.agrees()


@pytest.mark.parametrize("late", [1, 9])
def test_in_live_pace_an_answer_takes_effect_at_the_tick_at_which_it_arrives(late: int) -> None:
    """Until then the seat stands still; the letters are those that were shown."""
    answered = asyncio.Event()

    class Slow(AtOnce):
        async def choose(self, offer: Offer) -> Choice:
            await answered.wait()
            return await super().choose(offer)

    table = Table(Slow(), AtOnce(), pace=Unhurried({late - 1: answered.set}))

    events = table.play()

    offered, chosen = of_seat(events, 0)[:2]
    assert isinstance(chosen, OptionChosen)
    assert isinstance(offered, MenuOffered)
    assert (offered.tick, chosen.tick, chosen.decision) == (0, late, 0)
    assert offered.menu[chosen.index] == chosen.option
    stood = [event.joint[0] for event in events if isinstance(event, Stepped) and event.tick < late]
    assert stood == [Pantry.noop] * late
    assert table.agrees()


def test_in_live_pace_a_rejected_answer_may_be_mended() -> None:
    """The same offer is put to the agent again, and its second answer is taken."""
    answers = iter(["soup", Choice(17), Choice(3)])
    table = Table(Doing(lambda: next(answers, Choice(0))), AtOnce(), pace=Unhurried())

    events = table.play()

    ada = of_seat(events, 0)[:4]
    assert [type(event) for event in ada] == [MenuOffered, ChoiceRejected, ChoiceRejected, OptionChosen]
    assert [getattr(event, "decision", None) for event in ada] == [0] * 4
    assert table.agrees()


def test_in_live_pace_an_agent_that_fails_is_replaced() -> None:
    """Between two ticks as well as in lockstep."""
    table = Table(Doing(lambda: throw(ValueError("salt"))), AtOnce(), pace=Unhurried())

    events = table.play()

    assert kinds(events, AgentFailed, SeatChanged) == [AgentFailed, SeatChanged]
    assert "idle" in [event.holder for event in of_seat(events, 0) if isinstance(event, OptionChosen)]
    assert each_offer_ends_once(events)
    assert table.agrees()


def test_a_chooser_whose_answer_was_rejected_gets_its_offers_in_seat_order_again() -> None:
    """An offer that is put again does not go before one that is new."""

    class Careless(Noted):
        def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
            choices = super().choose_many(offers)
            return [Choice(-1) if offer.seat == 1 else choice for offer, choice in zip(offers, choices, strict=True)]

    ada = Careless()
    table = Table(ada, ada, ada, pace=Unhurried())

    table.play()

    assert [0, 1, 2] in ada.asked
    assert any(batch != [0, 1, 2] and len(batch) == 2 for batch in ada.asked)
    assert all(batch == sorted(batch) for batch in ada.asked)


def test_the_clock_keeps_the_ticks_of_the_world() -> None:
    """A call that was asked for a tick is made before the next one is offered anything."""
    table = Table(Random(), AtOnce(), steps=9)
    seen: list[tuple[int, int]] = []
    clock = table.episode.clock
    for tick in range(8):
        clock.at(tick, partial(lambda tick: seen.append((tick, clock.now)), tick))

    table.play()

    assert seen == [(tick, tick) for tick in range(8)]


def test_an_episode_leaves_its_bus_as_it_found_it() -> None:
    """No mailbox and no task of its own is left, so another episode can be played on the same bus."""
    table = Table(Dawdler(Dice(5)), Random(), steps=5)

    async def main() -> tuple[Result, Result, int]:
        first = await table.run()
        again: Scheduler[Any] = Scheduler(Pantry(2), default_library(), seed=0, holders=table.seats.names, steps=5)
        second = await Episode(again, table.seats, table.bus, Lockstep(), clock=Clock()).run()
        return first, second, len(asyncio.all_tasks())

    first, second, tasks = anyio.run(main)

    assert first == second
    assert tasks == 1
