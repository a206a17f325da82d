"""Nasty stops, each with a hard limit of wall time: to hang is to fail.

After every one of them the account balances and nothing waits any more.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from functools import partial

import anyio
import msgspec
import pytest
from anyio.lowlevel import checkpoint
from hypothesis import given
from hypothesis import strategies as st

from hocket.runtime.actor import Actor, Group
from hocket.runtime.bus import Bus
from hocket.runtime.errors import BusError, ClockError, HocketError, SettingError
from hocket.runtime.ledger import Reason
from hocket.runtime.mailbox import Mailbox, Overflow

LIMIT = 10.0
GRACE = 0.05


class Note(msgspec.Struct, frozen=True):
    number: int


class Ping(msgspec.Struct, frozen=True):
    number: int


def open_box(bus: Bus, name: str = "ada", capacity: int = 9, overflow: Overflow = "wait") -> Mailbox[Note]:
    """Where the bus puts notes for one cook."""
    return bus.subscribe(Note, name=name, capacity=capacity, overflow=overflow)


def dead(bus: Bus) -> dict[Reason, int]:
    """The dead letters by reason, once it is certain that the account balances and that nothing waits."""
    counts = bus.counts()
    assert counts.waiting == 0
    assert counts.deliveries == counts.received + sum(counts.dead.values())
    return counts.dead


async def play(bus: Bus, handler: Callable[[Note], Awaitable[object]], notes: int, grace: float) -> None:
    """One actor, some notes, and a stop while it has the first in hand."""
    async with Group() as group:
        group.start(Actor(open_box(bus), handler))
        for number in range(notes):
            bus.post(Note(number))
        await checkpoint()
        await bus.stop(grace)


@pytest.mark.asyncio
async def test_receivers_finish_what_they_have() -> None:
    """An orderly stop loses nothing: every message posted before it is handled, and then the actors end."""
    bus, handled = Bus(), list[int]()

    async def handler(note: Note) -> None:
        await checkpoint()
        handled.append(note.number)

    with anyio.fail_after(LIMIT):
        async with Group() as group:
            group.start(Actor(open_box(bus), handler))
            for number in range(5):
                bus.post(Note(number))
            await bus.stop(grace=LIMIT * 2)
            at_return = list(handled)

            assert at_return == [0, 1, 2, 3, 4]

    assert dead(bus) == {}


@pytest.mark.asyncio
async def test_what_is_published_after_the_stop_is_a_dead_letter() -> None:
    """Neither an error nor lost: a handler may well answer while it finishes."""
    bus = Bus()
    ada = open_box(bus)
    await bus.stop()

    took = bus.post(Note(1))
    await bus.publish(Note(2))

    assert (took, bus.stopped, ada.take_all()) == (0, True, [])
    assert dead(bus) == {"after the stop": 2}
    with pytest.raises(BusError, match="a subscription for bo: the bus has stopped"):
        open_box(bus, "bo")


@pytest.mark.asyncio
async def test_iteration_ends_once_the_mailbox_is_drained() -> None:
    """A receiver without an actor sees what was left, then the end; one that waits is woken."""
    bus, seen = Bus(), list[Note]()
    ada, bo = open_box(bus, "ada"), bus.subscribe(str, name="bo", capacity=1, overflow="wait")
    bus.post(Note(1))

    async def receive() -> None:
        seen.extend([note async for note in ada])

    async def wait() -> None:
        assert [message async for message in bo] == []

    with anyio.fail_after(LIMIT):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            tasks.start_soon(receive)
            await bus.stop()

    assert seen == [Note(1)]
    assert dead(bus) == {}


@pytest.mark.asyncio
async def test_a_handler_that_never_returns_is_cut_off() -> None:
    """When the grace is over the stop returns, the actor ends, and both messages are accounted for."""
    bus = Bus()

    async def handler(_: Note) -> None:
        await anyio.sleep_forever()

    with anyio.fail_after(LIMIT):
        await play(bus, handler, 2, GRACE)

    assert dead(bus) == {"handler cut off": 1, "left at the stop": 1}


@pytest.mark.asyncio
async def test_a_handler_that_refuses_to_be_cancelled_does_not_hold_the_stop() -> None:
    """It is given up on: the stop returns while the handler is still at it."""
    bus, released = Bus(), anyio.Event()

    async def handler(_: Note) -> None:
        with anyio.CancelScope(shield=True):
            await released.wait()

    with anyio.fail_after(LIMIT):
        async with Group() as group:
            group.start(Actor(open_box(bus), handler))
            bus.post(Note(1))
            await checkpoint()
            await bus.stop(GRACE)
            counts = dead(bus)
            released.set()

            assert counts == {"handler cut off": 1}

    assert dead(bus) == counts


class Worse(BaseException):
    pass


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "error",
    [
        ValueError("burnt"),
        HocketError("burnt"),
        ClockError(now=2, asked=1),
        TimeoutError(),
        anyio.EndOfStream(),
        anyio.WouldBlock(),
        StopAsyncIteration(),
        GeneratorExit(),
        Worse(),
    ],
    ids=repr,
)
async def test_whatever_a_handler_raises_is_accounted_for(error: BaseException) -> None:
    """The well-known runtime hangs here: the message of the failing handler is dead, those behind it too."""
    bus = Bus()

    async def handler(_: Note) -> None:
        raise error

    with anyio.fail_after(LIMIT):
        with pytest.raises(type(error)) as caught:
            await play(bus, handler, 2, grace=LIMIT * 2)
        await bus.stop(grace=LIMIT * 2)

    assert caught.value is error
    assert dead(bus) == {"handler raised": 1, "mailbox closed": 1}
    assert bus.dead_letters[0].detail == type(error).__name__


@pytest.mark.asyncio
async def test_a_cancellation_that_nobody_asked_for_is_an_error() -> None:
    """A handler that awaits a cancelled future would otherwise end the whole group without a word."""
    bus = Bus()

    async def handler(_: Note) -> None:
        future = asyncio.get_running_loop().create_future()
        future.cancel()
        await future

    with anyio.fail_after(LIMIT), pytest.raises(BusError) as caught:
        await play(bus, handler, 1, grace=LIMIT * 2)

    assert str(caught.value) == "a message for ada: the handler raised a cancellation that nobody had asked for"
    assert dead(bus) == {"handler raised": 1}


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt])
def test_an_exit_in_a_handler_ends_the_program_with_its_account_in_order(kind: type[BaseException]) -> None:
    """Asyncio lets both out of the loop at once; what the handler had in hand is dead all the same."""
    bus = Bus()

    async def handler(_: Note) -> None:
        raise kind

    async def main() -> None:
        with anyio.fail_after(LIMIT):
            await play(bus, handler, 2, grace=LIMIT * 2)

    with pytest.raises(kind):
        asyncio.run(main())

    assert dead(bus) == {"handler raised": 1, "mailbox closed": 1}


@pytest.mark.asyncio
async def test_mailboxes_that_nobody_reads_are_given_up_when_the_grace_is_over() -> None:
    """Full or not, whatever their policy, what is in them is dead, and suspended publishers go on."""
    bus = Bus()
    for name in ("wait", "drop_oldest", "fail"):
        open_box(bus, name, capacity=2, overflow=name)
    bus.post(Note(0))
    bus.post(Note(1))

    async def publish() -> None:
        with pytest.raises(BusError):
            await bus.publish(Note(2))

    with anyio.fail_after(LIMIT):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(publish)
            await anyio.wait_all_tasks_blocked()
            await bus.stop(GRACE)

    assert dead(bus) == {"dropped oldest": 1, "mailbox full": 1, "left at the stop": 3 + 2 + 2}


@pytest.mark.asyncio
async def test_suspended_publishers_go_on_and_their_messages_are_delivered() -> None:
    """They were published before the stop: the stop lifts the capacity for them, and for nobody else."""
    bus, seen = Bus(), list[int]()
    ada = open_box(bus, capacity=1)

    async def receive() -> None:
        seen.extend([note.number async for note in ada])

    with anyio.fail_after(LIMIT):
        async with anyio.create_task_group() as tasks:
            for number in range(4):
                tasks.start_soon(bus.publish, Note(number))
            await anyio.wait_all_tasks_blocked()
            tasks.start_soon(bus.stop)
            await checkpoint()
            bus.post(Note(4))
            tasks.start_soon(receive)

    assert seen == [0, 1, 2, 3]
    assert dead(bus) == {"after the stop": 1}


@pytest.mark.asyncio
async def test_a_stop_frees_actors_that_wait_for_each_other() -> None:
    """Ada and bo each publish into the other's full mailbox: a deadlock that the stop ends at once."""
    bus, handled = Bus(), list[str]()
    ada = open_box(bus, "ada", capacity=1)
    bo = bus.subscribe(Ping, name="bo", capacity=1, overflow="wait")

    async def to_bo(note: Note) -> None:
        for _ in range(3):
            await bus.publish(Ping(note.number))
        handled.append("ada")

    async def to_ada(ping: Ping) -> None:
        for _ in range(3):
            await bus.publish(Note(ping.number))
        handled.append("bo")

    with anyio.fail_after(LIMIT):
        async with Group() as group:
            group.start(Actor(ada, to_bo))
            group.start(Actor(bo, to_ada))
            bus.post(Note(0))
            bus.post(Ping(0))
            await anyio.wait_all_tasks_blocked()
            stuck = list(handled)
            await bus.stop(grace=LIMIT * 2)

            assert stuck == []

    assert handled.count("ada") >= 2
    assert handled.count("bo") >= 2
    assert set(dead(bus)) == {"after the stop"}


@pytest.mark.asyncio
async def test_a_publisher_cancelled_during_the_stop_is_accounted_for() -> None:
    """Its message had been let in by the stop, so it is delivered or dead, never both."""
    bus, scope = Bus(), anyio.CancelScope()
    open_box(bus, capacity=1)
    bus.post(Note(0))

    async def publish() -> None:
        with scope:
            await bus.publish(Note(1))

    with anyio.fail_after(LIMIT):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(publish)
            await anyio.wait_all_tasks_blocked()
            tasks.start_soon(bus.stop, GRACE)
            scope.cancel()

    assert sum(dead(bus).values()) == 2


@pytest.mark.asyncio
async def test_stopping_twice_is_stopping_once() -> None:
    """Again afterwards, and several at a time: each returns, and the shortest grace counts."""
    bus = Bus()
    open_box(bus)
    bus.post(Note(1))

    with anyio.fail_after(LIMIT):
        async with anyio.create_task_group() as tasks:
            for grace in (LIMIT * 2, GRACE, LIMIT * 2):
                tasks.start_soon(bus.stop, grace)
        await bus.stop(LIMIT * 2)

    assert dead(bus) == {"left at the stop": 1}


@pytest.mark.asyncio
async def test_a_handler_may_stop_the_bus() -> None:
    """It cannot wait for itself: the others finish first, and its own mailbox is drained after it returns."""
    bus, log = Bus(), list[str]()

    async def stopper(note: Note) -> None:
        if note.number == 0:
            await bus.stop(grace=LIMIT * 2)
            log.append("stopped")
        else:
            log.append("drained")

    async def slow(_: Note) -> None:
        await checkpoint()
        log.append("slow")

    with anyio.fail_after(LIMIT):
        async with Group() as group:
            group.start(Actor(open_box(bus, "ada"), stopper))
            group.start(Actor(open_box(bus, "bo"), slow))
            bus.post(Note(0))
            bus.post(Note(1))

    assert log == ["slow", "slow", "stopped", "drained"]
    assert dead(bus) == {}


@pytest.mark.asyncio
async def test_two_handlers_and_the_owner_may_stop_the_bus_at_once() -> None:
    """Neither handler waits for the other, and the owner waits for both."""
    bus, log = Bus(), list[str]()

    async def stopper(_: Note) -> None:
        await bus.stop(grace=LIMIT * 2)
        log.append("handler")

    with anyio.fail_after(LIMIT):
        async with Group() as group:
            group.start(Actor(open_box(bus, "ada"), stopper))
            group.start(Actor(open_box(bus, "bo"), stopper))
            bus.post(Note(0))
            await bus.stop(grace=LIMIT * 2)
            log.append("owner")

    assert log == ["handler", "handler", "owner"]
    assert dead(bus) == {}


@pytest.mark.asyncio
async def test_a_handler_whose_child_stops_the_bus_is_bounded_by_the_grace() -> None:
    """The stop cannot know that a handler waits for it through another task; the grace ends it."""
    bus = Bus()

    async def handler(_: Note) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(bus.stop, GRACE)

    with anyio.fail_after(LIMIT):
        async with Group() as group:
            group.start(Actor(open_box(bus), handler))
            bus.post(Note(0))

    assert dead(bus) == {"handler cut off": 1}


@pytest.mark.asyncio
async def test_a_stop_that_is_cancelled_gives_up_at_once() -> None:
    """Ctrl-C during an orderly stop leaves nothing unaccounted for."""
    bus = Bus()
    open_box(bus)
    bus.post(Note(1))

    with anyio.fail_after(LIMIT):
        with anyio.move_on_after(GRACE) as scope:
            await bus.stop(grace=LIMIT * 2)

    assert scope.cancelled_caught
    assert dead(bus) == {"left at the stop": 1}


@pytest.mark.asyncio
async def test_a_handler_that_fails_while_it_is_cut_off_fails_its_group() -> None:
    """Its message is counted once, as cut off, and its error is not lost."""
    bus = Bus()

    async def handler(_: Note) -> None:
        try:
            await anyio.sleep_forever()
        finally:
            raise ValueError("burnt")

    with anyio.fail_after(LIMIT), pytest.raises(ValueError, match="burnt"):
        await play(bus, handler, 1, GRACE)

    assert dead(bus) == {"handler cut off": 1}


@pytest.mark.asyncio
@pytest.mark.parametrize("grace", [-1, math.inf, math.nan])
async def test_a_grace_must_come_to_an_end(grace: float) -> None:
    """A stop that may take for ever is a stop that can hang; the bus goes on as it was."""
    bus = Bus()

    with pytest.raises(SettingError, match=r"grace is .*, but must be a finite number of seconds, 0 or more"):
        await bus.stop(grace)

    assert not bus.stopped


async def _behave(bus: Bus, behaviours: Iterator[str], note: Note) -> None:
    match next(behaviours, "return"):
        case "raise":
            raise ValueError(note.number)
        case "hang":
            await anyio.sleep_forever()
        case "publish":
            await bus.publish(note)
        case "post":
            bus.post(note)
        case "stop":
            await bus.stop(GRACE / 10)
        case "cancel":
            raise asyncio.CancelledError
        case "yield":
            await checkpoint()


_behaviours = st.sampled_from(["raise", "hang", "publish", "post", "stop", "cancel", "yield", "return"])
_boxes = st.tuples(
    st.integers(1, 3), st.sampled_from(["wait", "drop_oldest", "fail"]), st.lists(_behaviours, max_size=4)
)


async def _publish(bus: Bus, number: int) -> None:
    with suppress(BusError):
        await bus.publish(Note(number))


async def _play(bus: Bus, actors: list[Actor[Note]], messages: int, pauses: int) -> None:
    async with Group() as group:
        for actor in actors:
            group.start(actor)
        async with anyio.create_task_group() as publishers:
            for number in range(messages):
                publishers.start_soon(_publish, bus, number)
            for _ in range(pauses):
                await checkpoint()
            await bus.stop(GRACE / 10)


@given(st.lists(_boxes, min_size=1, max_size=4), st.integers(0, 8), st.integers(0, 5))
def test_no_mixture_of_handlers_hangs_the_stop(
    boxes: list[tuple[int, Overflow, list[str]]], messages: int, pauses: int
) -> None:
    """Whatever each of some actors does with each message, the group ends, and every delivery has its place."""
    bus = Bus()
    actors: list[Actor[Note]] = []
    for number, (capacity, overflow, behaviours) in enumerate(boxes):
        handler = partial(_behave, bus, iter(behaviours))
        actors.append(Actor(open_box(bus, f"box {number}", capacity, overflow), handler))

    async def main() -> None:
        with anyio.fail_after(LIMIT):
            with suppress(BusError, ValueError):
                await _play(bus, actors, messages, pauses)
            await bus.stop(GRACE / 10)

    anyio.run(main)

    dead(bus)
