"""The bus: routes, order, policies, dead letters, and an account that always balances."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, Literal

import anyio
import msgspec
import pytest
from anyio.lowlevel import checkpoint
from hypothesis import given
from hypothesis import strategies as st

from hocket.runtime.bus import Bus
from hocket.runtime.clock import Clock
from hocket.runtime.errors import BusError, SettingError
from hocket.runtime.events import MessageDead
from hocket.runtime.ledger import DeadLetter
from hocket.runtime.mailbox import Mailbox, Overflow


class Note(msgspec.Struct, frozen=True):
    number: int
    seat: int = 0


class Offer(Note, frozen=True):
    pass


class Answer(Note, frozen=True):
    pass


def balanced(bus: Bus) -> bool:
    """Whether every delivery is in one of its three places."""
    counts = bus.counts()
    return counts.deliveries == counts.received + counts.waiting + sum(counts.dead.values())


def bounded(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run on a loop of its own; to hang is to fail."""

    async def run() -> None:
        with anyio.fail_after(20):
            await main()

    anyio.run(run)


def open_box(bus: Bus, name: str = "ada", capacity: int = 2, overflow: Overflow = "wait") -> Mailbox[Note]:
    """Where the bus puts notes for one cook."""
    return bus.subscribe(Note, name=name, capacity=capacity, overflow=overflow)


def test_a_message_goes_to_those_who_subscribe_to_its_class() -> None:
    """Ada takes offers, bo offers and answers, and the recorder takes every note."""
    bus = Bus()
    ada = bus.subscribe(Offer, name="ada", capacity=9, overflow="fail")
    bo = bus.subscribe((Offer, Answer), name="bo", capacity=9, overflow="fail")
    recorder = bus.subscribe(Note, name="recorder", capacity=9, overflow="fail")

    took = [bus.post(message) for message in (Offer(1), Answer(2), Note(3))]

    assert took == [3, 2, 1]
    assert ada.take_all() == [Offer(1)]
    assert bo.take_all() == [Offer(1), Answer(2)]
    assert recorder.take_all() == [Offer(1), Answer(2), Note(3)]


def test_a_mailbox_bound_to_a_seat_takes_that_seat_only() -> None:
    """Ada never sees what is offered to bo, nor a message that is about no seat."""
    bus = Bus()
    ada = bus.subscribe(object, name="ada", seat=0, capacity=9, overflow="fail")
    bo = bus.subscribe(object, name="bo", seat=1, capacity=9, overflow="fail")
    recorder = bus.subscribe(object, name="recorder", capacity=9, overflow="fail")

    for message in (Offer(1, seat=0), Offer(2, seat=1), Offer(3, seat=2), "tick"):
        bus.post(message)

    assert ada.take_all() == [Offer(1, seat=0)]
    assert bo.take_all() == [Offer(2, seat=1)]
    assert len(recorder.take_all()) == 4


def test_routes_follow_whoever_comes_and_goes() -> None:
    """A route that was used once is found again when a mailbox opens or closes."""
    bus = Bus()
    ada = open_box(bus, "ada")
    bus.post(Note(1))
    bo = open_box(bus, "bo")
    bus.post(Note(2))
    ada.close()
    bus.post(Note(3))

    seen = bo.take_all()

    assert seen == [Note(2), Note(3)]
    assert bus.counts().dead == {"mailbox closed": 2}


def test_a_message_that_nobody_wants_is_a_dead_letter() -> None:
    """It is kept with its reason, and the publisher is told that nobody took it."""
    bus = Bus()
    bus.subscribe(Answer, name="ada", capacity=1, overflow="wait")

    took = bus.post(Offer(1))

    assert took == 0
    assert bus.dead_letters == (DeadLetter(Offer(1), "", "no subscriber"),)
    assert balanced(bus)


def test_drop_oldest_keeps_the_newest() -> None:
    """A screen that falls behind shows the present, and the dropped are dead letters in order."""
    bus = Bus()
    screen = open_box(bus, "screen", capacity=2, overflow="drop_oldest")

    for number in range(5):
        bus.post(Note(number))

    assert screen.take_all() == [Note(3), Note(4)]
    assert [letter.message for letter in bus.dead_letters] == [Note(0), Note(1), Note(2)]
    assert bus.counts().dead == {"dropped oldest": 3}


def test_a_full_mailbox_that_fails_fails_at_the_publisher() -> None:
    """The message is accounted for, and the other mailboxes have it in any case."""
    bus = Bus(Clock())
    recorder = open_box(bus, "recorder", capacity=1, overflow="fail")
    screen = open_box(bus, "screen", capacity=9)
    bus.post(Note(1))

    with pytest.raises(BusError) as caught:
        bus.post(Note(2))

    assert str(caught.value) == "Note for recorder: the mailbox is full (capacity 1), and its policy is to fail"
    assert (recorder.take_all(), screen.take_all()) == ([Note(1)], [Note(1), Note(2)])
    assert bus.dead_letters == (DeadLetter(Note(2), "recorder", "mailbox full"),)


def test_a_post_does_not_wait() -> None:
    """Where only waiting would help, a post fails like any message that is one too many."""
    bus = Bus()
    ada = open_box(bus, "ada", capacity=1, overflow="wait")
    bus.post(Note(1))

    with pytest.raises(BusError, match="a post cannot wait"):
        bus.post(Note(2))

    assert ada.take_all() == [Note(1)]
    assert bus.counts().dead == {"mailbox full": 1}


@pytest.mark.asyncio
async def test_many_messages_are_published_without_a_pause() -> None:
    """All offers of a tick are made before any seat can answer the first."""
    bus = Bus()
    ada = open_box(bus, "ada", capacity=1000)
    others: list[str] = []
    before: list[str] = []

    async def other() -> None:
        others.append("ran")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(other)
        for number in range(500):
            bus.post(Note(2 * number))
            await bus.publish(Note(2 * number + 1))
        before += others

    assert before == []
    assert [note.number for note in ada.take_all()] == list(range(1000))


@pytest.mark.asyncio
async def test_a_suspended_publisher_is_not_overtaken() -> None:
    """Whoever publishes later is later in the mailbox, even if room was made in between."""
    bus = Bus()
    ada = open_box(bus, "ada", capacity=1)
    bus.post(Note(0))
    seen: list[Note] = []
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            for number in (1, 2, 3):
                tasks.start_soon(bus.publish, Note(number))
                await checkpoint()
            seen += [ada.receive_nowait()]
            with pytest.raises(BusError):
                bus.post(Note(4))
            seen += [await ada.receive() for _ in range(3)]

    assert [note.number for note in seen] == [0, 1, 2, 3]
    assert bus.counts().dead == {"mailbox full": 1}


@pytest.mark.asyncio
async def test_a_slow_receiver_holds_nobody_but_the_publisher() -> None:
    """Bo has the message while ada's mailbox is still full."""
    bus = Bus()
    ada, bo = open_box(bus, "ada", capacity=1), open_box(bus, "bo", capacity=9)
    early: list[Note] = []
    late: list[Note] = []
    await bus.publish(Note(1))
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(bus.publish, Note(2))
            await checkpoint()
            early += bo.take_all()
            late += ada.take_all()

    assert early == late == [Note(1), Note(2)]


@pytest.mark.asyncio
async def test_a_cancelled_publisher_takes_its_message_back() -> None:
    """Only from mailboxes in which it had no room yet, and those behind it move up."""
    bus = Bus()
    ada, bo = open_box(bus, "ada", capacity=1), open_box(bus, "bo", capacity=9)
    bus.post(Note(0))
    scope = anyio.CancelScope()
    seen: list[Note] = []

    async def give_up() -> None:
        with scope:
            await bus.publish(Note(2))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            for publish in (partial(bus.publish, Note(1)), give_up, partial(bus.publish, Note(3))):
                tasks.start_soon(publish)
                await checkpoint()
            scope.cancel()
            await anyio.wait_all_tasks_blocked()
            seen += ada.take_all()

    assert seen == [Note(0), Note(1), Note(3)]
    assert bo.take_all() == [Note(0), Note(1), Note(2), Note(3)]
    assert bus.dead_letters == (DeadLetter(Note(2), "ada", "publisher cancelled"),)
    assert balanced(bus)


@pytest.mark.asyncio
async def test_a_publisher_that_waited_still_hears_of_a_full_mailbox() -> None:
    """Where one mailbox waits and another fails, the publisher waits first, then it fails."""
    bus = Bus()
    ada = open_box(bus, "ada", capacity=1, overflow="wait")
    open_box(bus, "bo", capacity=1, overflow="fail")
    bus.post(Note(1))
    log: list[str] = []
    before: list[str] = []
    seen: list[Note] = []

    async def publish() -> None:
        with pytest.raises(BusError, match="Note for bo"):
            await bus.publish(Note(2))
        log.append("failed")

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(publish)
            await anyio.wait_all_tasks_blocked()
            before += log
            seen += ada.take_all()

    assert (before, log, seen) == ([], ["failed"], [Note(1), Note(2)])


@pytest.mark.asyncio
async def test_closing_a_mailbox_lets_everybody_go_on() -> None:
    """Neither the publisher that waits for room nor the receiver that waits for a message is left behind."""
    bus = Bus()
    full, empty = open_box(bus, "full", capacity=1), bus.subscribe(str, name="empty", capacity=1, overflow="wait")
    bus.post(Note(1))
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(bus.publish, Note(2))
            tasks.start_soon(_expect_end, empty)
            await anyio.wait_all_tasks_blocked()
            for mailbox in (full, empty):
                mailbox.close()

    assert [(letter.message, letter.reason) for letter in bus.dead_letters] == [
        (Note(1), "mailbox closed"),
        (Note(2), "mailbox closed"),
    ]


async def _expect_end(mailbox: Mailbox[Any]) -> None:
    with pytest.raises(anyio.EndOfStream):
        await mailbox.receive()


@pytest.mark.asyncio
@pytest.mark.parametrize("posted_first", [True, False])
async def test_a_cancelled_receiver_loses_no_message(posted_first: bool) -> None:
    """The message that would have woken it goes to the next receiver of the same mailbox."""
    bus = Bus()
    ada = open_box(bus, "ada")
    first, second = (asyncio.create_task(ada.receive()) for _ in range(2))
    await anyio.wait_all_tasks_blocked()

    steps: list[Callable[[], object]] = [partial(bus.post, Note(1)), first.cancel]
    for step in steps if posted_first else reversed(steps):
        step()
    with anyio.fail_after(5):
        seen = await second

    assert (seen, first.cancelled(), balanced(bus)) == (Note(1), True, True)


def test_receiving_without_waiting_tells_not_yet_from_never() -> None:
    """A driver that polls can see that a mailbox has ended."""
    bus = Bus()
    ada = open_box(bus, "ada")

    with pytest.raises(anyio.WouldBlock):
        ada.receive_nowait()
    ada.close()
    with pytest.raises(anyio.EndOfStream):
        ada.receive_nowait()

    assert ada.take_all() == []


@pytest.mark.asyncio
async def test_a_mailbox_that_never_runs_dry_leaves_time_for_others() -> None:
    """A cook that answers itself for ever can still be cancelled, since receiving gives way now and then."""
    bus = Bus()
    ada = open_box(bus, "ada")
    bus.post(Note(0))
    count = 0
    with anyio.move_on_after(0.02):
        async for note in ada:
            count += 1
            bus.post(note)

    assert count > 1
    assert balanced(bus)


def test_a_dead_letter_is_announced_to_those_who_ask() -> None:
    """With its tick, its mailbox and its reason."""
    clock = Clock()
    bus = Bus(clock)
    undertaker = bus.subscribe(MessageDead, name="undertaker", capacity=9, overflow="fail")
    clock.run(until=7)

    bus.post(Offer(1))

    assert undertaker.take_all() == [MessageDead(7, "Offer", "", "no subscriber")]
    assert balanced(bus)


@pytest.mark.parametrize("overflow", ["wait", "drop_oldest", "fail"])
def test_an_announcement_that_finds_no_room_is_only_counted(overflow: Overflow) -> None:
    """It costs no living message its place, fails nobody, and is not announced in turn."""
    bus = Bus()
    undertaker = bus.subscribe(MessageDead, name="undertaker", capacity=2, overflow=overflow)

    for number in range(5):
        bus.post(Offer(number))

    assert len(undertaker.take_all()) == 2
    assert bus.counts().dead == {"no subscriber": 5, "mailbox full": 3}
    assert balanced(bus)


def test_a_mailbox_of_everything_is_not_filled_with_its_own_obituaries() -> None:
    """Two screens that drop the oldest announce to each other, and still show the newest notes."""
    bus = Bus()
    screens = [bus.subscribe(object, name=name, capacity=3, overflow="drop_oldest") for name in ("left", "right")]

    for number in range(10):
        bus.post(Note(number))

    assert [screen.take_all() for screen in screens] == [[Note(7), Note(8), Note(9)]] * 2
    assert balanced(bus)


def test_a_published_message_dead_that_nobody_wants_is_only_counted() -> None:
    """There is no end to announcing the death of announcements."""
    bus = Bus()

    bus.post(MessageDead(0, "Offer", "ada", "mailbox full"))

    assert bus.counts().dead == {"no subscriber": 1}
    assert bus.counts().deliveries == 1


def test_only_the_last_dead_letters_are_kept_but_all_are_counted() -> None:
    """A broken episode does not fill the machine with what nobody wanted."""
    bus = Bus(keep=3)

    for number in range(100):
        bus.post(Note(number))

    assert [letter.message for letter in bus.dead_letters] == [Note(97), Note(98), Note(99)]
    assert bus.counts().dead == {"no subscriber": 100}


@pytest.mark.parametrize(
    ("capacity", "overflow", "name", "sentence"),
    [
        (0, "wait", "bo", "capacity of mailbox 'bo' is 0, but must be 1 or more"),
        (1, "block", "bo", "overflow of mailbox 'bo' is 'block', but must be 'wait', 'drop_oldest' or 'fail'"),
        (1, "wait", "ada", "name of a mailbox is 'ada', but must be one that no open mailbox has"),
    ],
)
def test_a_subscription_is_checked(capacity: int, overflow: Any, name: str, sentence: str) -> None:
    """A mailbox that could hold nothing, or whose dead letters could be another's, is a mistake."""
    bus = Bus()
    open_box(bus, "ada")

    with pytest.raises(SettingError) as caught:
        bus.subscribe(Note, name=name, capacity=capacity, overflow=overflow)

    assert str(caught.value) == sentence


class Rig:
    """A bus under test, with what ought to have arrived worked out beside it."""

    def __init__(self, tasks: anyio.abc.TaskGroup) -> None:
        self.bus, self.tasks = Bus(), tasks
        self.open: list[tuple[Mailbox[Note], type[Note], int | None]] = []
        self.seen: dict[str, list[int]] = {}
        self.publishers: list[anyio.CancelScope] = []
        self.published = self.expected = self.opened = 0

    def subscribe(self, kind: type[Note], seat: int | None, capacity: int, overflow: Overflow) -> None:
        if not self.bus.stopped:
            self.opened += 1
            name = f"box {self.opened}"
            mailbox = self.bus.subscribe(kind, name=name, seat=seat, capacity=capacity, overflow=overflow)
            self.open.append((mailbox, kind, seat))

    def _next(self, kind: type[Note], seat: int) -> Note:
        self.published += 1
        wanted = [1 for _, base, bound in self.open if issubclass(kind, base) and bound in (None, seat)]
        self.expected += 1 if self.bus.stopped else len(wanted) or 1
        return kind(self.published, seat)

    def post(self, kind: type[Note], seat: int) -> None:
        with suppress(BusError):
            self.bus.post(self._next(kind, seat))

    async def publish(self, kind: type[Note], seat: int) -> None:
        scope = anyio.CancelScope()
        self.publishers.append(scope)
        self.tasks.start_soon(self._publish, scope, self._next(kind, seat))
        await checkpoint()

    async def _publish(self, scope: anyio.CancelScope, message: Note) -> None:
        with scope, suppress(BusError):
            await self.bus.publish(message)

    def take(self, which: int, everything: bool) -> None:
        if self.open:
            mailbox = self.open[which % len(self.open)][0]
            taken = mailbox.take_all() if everything else [mailbox.receive_nowait()] if mailbox.waiting else []
            self.seen.setdefault(mailbox.name, []).extend(note.number for note in taken)

    def close(self, which: int) -> None:
        if self.open:
            self.open.pop(which % len(self.open))[0].close()

    async def cancel(self, which: int) -> None:
        if self.publishers:
            self.publishers[which % len(self.publishers)].cancel()
            await checkpoint()

    async def stop(self) -> None:
        await self.bus.stop(grace=0)


_kinds = st.sampled_from([Note, Offer, Answer])
_seats = st.integers(0, 2)
_policies: st.SearchStrategy[Literal["wait", "drop_oldest", "fail"]] = st.sampled_from(["wait", "drop_oldest", "fail"])
_which = st.integers(0, 9)
_steps = st.one_of(
    st.tuples(st.just("subscribe"), _kinds, st.none() | _seats, st.integers(1, 3), _policies),
    st.tuples(st.just("post"), _kinds, _seats),
    st.tuples(st.just("publish"), _kinds, _seats),
    st.tuples(st.just("take"), _which, st.booleans()),
    st.tuples(st.just("close"), _which),
    st.tuples(st.just("cancel"), _which),
)


@given(st.lists(_steps, max_size=60), st.lists(_steps, max_size=10))
def test_every_delivery_is_received_dead_or_waiting(before: list[Any], after: list[Any]) -> None:
    """After any step of any history, before and after the stop, and each mailbox is in publish order."""

    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            rig = Rig(tasks)
            for method, *facts in [*before, ("stop",), *after]:
                done = getattr(rig, method)(*facts)
                if done is not None:
                    await done
                assert balanced(rig.bus)
                assert rig.bus.counts().deliveries == rig.expected
            assert rig.bus.counts().waiting == 0
            assert all(numbers == sorted(set(numbers)) for numbers in rig.seen.values())
            assert sum(map(len, rig.seen.values())) == rig.bus.counts().received

    bounded(main)


@given(
    st.lists(st.tuples(st.integers(1, 4), _policies), min_size=1, max_size=4),
    st.lists(st.lists(st.integers(0, 3), max_size=20), max_size=4),
)
def test_mailboxes_agree_on_the_order(boxes: list[tuple[int, Any]], publishers: list[list[int]]) -> None:
    """Whatever its policy drops, each mailbox shows a part of one and the same sequence."""
    order: list[Note] = []
    seen: list[list[Note]] = [[] for _ in boxes]

    async def receive(mailbox: Mailbox[Note], into: list[Note]) -> None:
        async for note in mailbox:
            into.append(note)
            for _ in range(len(into) % 3):
                await checkpoint()

    async def publish(bus: Bus, publisher: int, pauses: list[int]) -> None:
        for pause in pauses:
            for _ in range(pause):
                await checkpoint()
            order.append(Note(len(order), publisher))
            with suppress(BusError):
                await bus.publish(order[-1])

    async def main() -> None:
        bus = Bus()
        async with anyio.create_task_group() as tasks:
            for number, (capacity, overflow) in enumerate(boxes):
                tasks.start_soon(receive, open_box(bus, f"box {number}", capacity, overflow), seen[number])
            async with anyio.create_task_group() as publishing:
                for publisher, pauses in enumerate(publishers):
                    publishing.start_soon(partial(publish, bus, publisher, pauses))
            await bus.stop()
        assert balanced(bus)

    bounded(main)

    for (_, overflow), notes in zip(boxes, seen, strict=True):
        assert [note.number for note in notes] == sorted({note.number for note in notes})
        assert notes == order or overflow != "wait"
