"""Actors and groups: who fails, with what, and what becomes of the others."""

import asyncio
from collections.abc import Awaitable, Callable

import anyio
import msgspec
import pytest
from anyio.lowlevel import checkpoint

from hocket.runtime.actor import Actor, Group
from hocket.runtime.bus import Bus
from hocket.runtime.errors import BusError, ClockError

LIMIT = 10.0


class Note(msgspec.Struct, frozen=True):
    number: int


def cook(bus: Bus, name: str, handler: Callable[[Note], Awaitable[object]]) -> Actor[Note]:
    """An actor with an inbox of its own."""
    return Actor(bus.subscribe(Note, name=name, capacity=9, overflow="wait"), handler)


async def idle(_: Note) -> None:
    """Take no time and do nothing."""


async def hang(_: Note) -> None:
    """Never return, unless cancelled."""
    await anyio.sleep_forever()


async def fail(_: Note) -> None:
    """Fail as the ground floor fails."""
    raise ClockError(now=2, asked=1)


@pytest.mark.asyncio
async def test_an_actor_handles_its_messages_one_after_the_other() -> None:
    """The second message waits until the handler is done with the first."""
    bus, log = Bus(), list[str]()

    async def handler(note: Note) -> None:
        log.append(f"begin {note.number}")
        await checkpoint()
        log.append(f"end {note.number}")

    with anyio.fail_after(LIMIT):
        async with Group() as group:
            group.start(cook(bus, "ada", handler))
            bus.post(Note(1))
            bus.post(Note(2))
            await bus.stop()

    assert log == ["begin 1", "end 1", "begin 2", "end 2"]


@pytest.mark.asyncio
async def test_a_failing_actor_takes_the_group_along_and_its_error_comes_out_as_itself() -> None:
    """One HocketError, not an ExceptionGroup, and what the others had in hand is accounted for."""
    bus = Bus()

    async def run() -> None:
        async with Group() as group:
            group.start(cook(bus, "ada", hang))
            group.start(cook(bus, "bo", fail))
            bus.post(Note(1))
            await anyio.sleep_forever()

    with anyio.fail_after(LIMIT), pytest.raises(ClockError) as caught:
        await run()

    assert str(caught.value) == "a call was asked for tick 1, but it is tick 2"
    assert bus.counts().dead == {"handler raised": 1, "handler cancelled": 1}


@pytest.mark.asyncio
async def test_the_first_error_is_the_one_that_comes_out() -> None:
    """What others raise while they are cancelled does not hide why they were."""
    bus = Bus()

    async def fail_later(_: Note) -> None:
        try:
            await anyio.sleep_forever()
        finally:
            raise ValueError("burnt")

    async def run() -> None:
        async with Group() as group:
            group.start(cook(bus, "ada", fail_later))
            group.start(cook(bus, "bo", fail))
            bus.post(Note(1))
            await anyio.sleep_forever()

    with anyio.fail_after(LIMIT), pytest.raises(ClockError):
        await run()

    assert bus.counts().dead == {"handler raised": 2}


@pytest.mark.asyncio
async def test_an_error_keeps_the_context_in_which_it_was_raised() -> None:
    """A traceback tells of what led to the error, not of the cancellations that it led to."""
    bus, error, context = Bus(), KeyError("soup"), ValueError("burnt")
    error.__context__ = context

    async def handler(_: Note) -> None:
        raise error

    async def run() -> None:
        async with Group() as group:
            group.start(cook(bus, "ada", handler))
            bus.post(Note(1))
            await anyio.sleep_forever()

    with anyio.fail_after(LIMIT), pytest.raises(KeyError) as caught:
        await run()

    assert (caught.value, caught.value.__context__) == (error, context)


@pytest.mark.asyncio
async def test_an_error_in_the_body_cancels_the_actors() -> None:
    """It comes out as itself too."""
    bus = Bus()
    cause = ValueError("burnt")

    async def run() -> None:
        async with Group() as group:
            group.start(cook(bus, "ada", hang))
            bus.post(Note(1))
            await checkpoint()
            raise KeyError("soup") from cause

    with anyio.fail_after(LIMIT), pytest.raises(KeyError) as caught:
        await run()

    assert caught.value.__cause__ is cause
    assert bus.counts().dead == {"handler cancelled": 1}


@pytest.mark.asyncio
async def test_an_error_from_a_group_within_a_handler_comes_out_as_itself() -> None:
    """However many groups an error was wrapped in on its way."""
    bus = Bus()

    async def handler(note: Note) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(fail, note)

    async def run() -> None:
        async with Group() as group:
            group.start(cook(bus, "ada", handler))
            bus.post(Note(1))
            await anyio.sleep_forever()

    with anyio.fail_after(LIMIT), pytest.raises(ClockError):
        await run()

    assert bus.dead_letters[0].detail == "ExceptionGroup"


@pytest.mark.asyncio
async def test_a_deadline_around_a_group_passes_through() -> None:
    """A scope outside cancels the group, and catches its own cancellation again."""
    bus = Bus()

    with anyio.fail_after(LIMIT), anyio.move_on_after(0.02) as scope:
        async with Group() as group:
            group.start(cook(bus, "ada", hang))
            bus.post(Note(1))
            await anyio.sleep_forever()

    assert scope.cancelled_caught
    assert bus.counts().dead == {"handler cancelled": 1}


@pytest.mark.asyncio
@pytest.mark.parametrize("stubborn", [False, True])
async def test_an_interrupt_passes_through_even_if_an_actor_fails_on_its_way_out(stubborn: bool) -> None:
    """Ctrl-C cancels the main task: it must see that cancellation, and not the mess that it made."""
    bus = Bus()

    async def handler(_: Note) -> None:
        try:
            await anyio.sleep_forever()
        finally:
            if stubborn:
                raise ValueError("burnt")

    async def run() -> None:
        async with Group() as group:
            group.start(cook(bus, "ada", handler))
            bus.post(Note(1))
            await anyio.sleep_forever()

    main = asyncio.create_task(run())
    await anyio.wait_all_tasks_blocked()
    main.cancel()
    with anyio.fail_after(LIMIT):
        await asyncio.wait([main])

    assert main.cancelled()
    assert sum(bus.counts().dead.values()) == 1


@pytest.mark.asyncio
async def test_a_scope_outside_is_not_robbed_of_its_cancellation() -> None:
    """Where an actor fails because a deadline cancelled it, the deadline is what happened."""
    bus = Bus()

    async def handler(_: Note) -> None:
        try:
            await anyio.sleep_forever()
        finally:
            raise ValueError("burnt")

    with anyio.fail_after(LIMIT), anyio.move_on_after(0.02) as scope:
        async with Group() as group:
            group.start(cook(bus, "ada", handler))
            bus.post(Note(1))
            await anyio.sleep_forever()

    assert scope.cancelled_caught


@pytest.mark.asyncio
async def test_a_group_can_be_cancelled_without_an_error() -> None:
    """To abandon an episode is not to fail."""
    bus = Bus()

    with anyio.fail_after(LIMIT):
        async with Group() as group:
            group.start(cook(bus, "ada", hang))
            bus.post(Note(1))
            await checkpoint()
            group.cancel()

    assert bus.counts().dead == {"handler cancelled": 1}


@pytest.mark.asyncio
async def test_nobody_waits_for_an_actor_that_has_failed() -> None:
    """A publisher outside the group, suspended on the inbox of the dead, goes on."""
    bus = Bus()
    inbox = bus.subscribe(Note, name="ada", capacity=1, overflow="wait")

    async def run() -> None:
        async with Group() as group:
            group.start(Actor(inbox, fail))
            await anyio.sleep_forever()

    with anyio.fail_after(LIMIT):
        async with anyio.create_task_group() as tasks:
            for number in range(3):
                tasks.start_soon(bus.publish, Note(number))
            await anyio.wait_all_tasks_blocked()
            with pytest.raises(ClockError):
                await run()

    assert bus.counts().dead == {"handler raised": 1, "mailbox closed": 2}
    assert bus.post(Note(3)) == 0


@pytest.mark.asyncio
async def test_an_inbox_has_one_actor() -> None:
    """Two actors on one inbox would each get half of the messages: surely a mistake."""
    bus = Bus()
    ada = cook(bus, "ada", idle)

    async def run() -> None:
        async with Group() as group:
            group.start(ada)
            group.start(Actor(ada.inbox, idle))
            await anyio.sleep_forever()

    with anyio.fail_after(LIMIT), pytest.raises(BusError) as caught:
        await run()

    assert str(caught.value) == "a second server for ada: the mailbox has one already"


@pytest.mark.asyncio
async def test_a_handler_that_is_not_async_fails_loudly() -> None:
    """A plain function returns None, which cannot be awaited; the message is accounted for."""
    bus = Bus()
    handled: list[Note] = []

    async def run() -> None:
        async with Group() as group:
            group.start(cook(bus, "ada", handled.append))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
            bus.post(Note(1))
            await anyio.sleep_forever()

    with anyio.fail_after(LIMIT), pytest.raises(TypeError, match="await"):
        await run()

    assert bus.counts().dead == {"handler raised": 1}
