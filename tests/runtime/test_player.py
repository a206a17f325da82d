"""A seat's actor: offers in, answers out, and an agent that is let go of."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import anyio
import pytest
from anyio.lowlevel import checkpoint

from hocket.agents.idle import Idle
from hocket.games.pantry.options import default_library
from hocket.games.pantry.world import Pantry
from hocket.runtime.actor import Group
from hocket.runtime.bus import Bus
from hocket.runtime.fault import Fault
from hocket.runtime.mailbox import Mailbox
from hocket.runtime.player import Answer, Player, Together
from hocket.runtime.policy import Agent, Choice, Offer
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

pytestmark = pytest.mark.asyncio


class Numbered:
    """Chooses the number of its seat."""

    async def choose(self, offer: Offer) -> Choice:
        return Choice(offer.seat)

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        return [Choice(offer.seat) for offer in offers]


class Patient:
    """Thinks until it is told to answer, and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = self.cancelled = 0
        self.now = asyncio.Event()

    async def choose(self, offer: Offer) -> Choice:
        self.asked += 1
        try:
            await self.now.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return Choice(0)


class Stubborn(Patient):
    """Goes on thinking when it is cancelled."""

    async def choose(self, offer: Offer) -> Choice:
        self.asked += 1
        while not self.now.is_set():
            try:
                await self.now.wait()
            except asyncio.CancelledError:
                self.cancelled += 1
        return Choice(0)


def offers(seats: int = 2, rounds: int = 1) -> list[list[Offer]]:
    """Offers of some ticks in a row, by tick and seat."""
    scheduler = Scheduler(Pantry(seats), default_library(), seed=0, holders=["ada"] * seats, steps=60)
    made = []
    for _ in range(rounds):
        made.append(scheduler.due())
        for seat in range(seats):
            scheduler.lapse(seat, "timeout")
        scheduler.tick()
    return made


@asynccontextmanager
async def seated(agent: Agent) -> AsyncIterator[tuple[Player, Bus, Mailbox[Answer]]]:
    """An agent in seat 0, its bus, and where its answers come in."""
    bus = Bus()
    answers = bus.subscribe(Answer, name="episode", capacity=8, overflow="fail")
    player = Player(0, Seats([Holder("ada", agent)], Holder("idle", Idle())), bus)
    with anyio.fail_after(20):
        async with Group() as group:
            group.start(player.actor)
            yield player, bus, answers
            group.cancel()


async def settle() -> None:
    """Let everybody do what there is to do."""
    for _ in range(10):
        await checkpoint()


async def test_offers_of_a_tick_are_put_to_their_chooser_at_once_and_in_seat_order() -> None:
    """Whichever player comes last asks for all of them."""
    ada, bo, cy = offers(3)[0]
    together = Together(Numbered(), 3)

    came = [list(together.add(offer)) for offer in (cy, ada, bo)]

    assert came == [[], [], [Answer(seat, 0, Choice(seat)) for seat in range(3)]]


async def test_a_policy_is_asked_for_its_own_offers_and_its_answers_are_posted() -> None:
    """What comes back says for which decision it is."""
    async with seated(Numbered()) as (_, bus, answers):
        for (offer,) in offers(1, rounds=2):
            bus.post(offer)

        came = [await answers.receive() for _ in range(2)]

    assert came == [Answer(0, 0, Choice(0)), Answer(0, 1, Choice(0))]


async def test_there_is_nothing_to_drop_where_nobody_thinks() -> None:
    """Before the first offer, and after the answer to the last."""
    async with seated(Numbered()) as (player, bus, answers):
        before = player.drop()
        bus.post(offers(1)[0][0])
        await answers.receive()
        after = player.drop()

    assert before is after is None


async def test_a_dropped_agent_is_cancelled_and_its_answer_never_posted() -> None:
    """Its offer has lapsed; the next one is put to it as ever."""
    ada = Patient()
    (first,), (second,) = offers(1, rounds=2)
    async with seated(ada) as (player, bus, answers):
        bus.post(first)
        await settle()
        task = player.drop()
        await settle()
        bus.post(second)
        await settle()
        ada.now.set()
        answer = await answers.receive()

    assert task is not None
    assert task.done()
    assert (ada.asked, ada.cancelled) == (2, 1)
    assert answer == Answer(0, 1, Choice(0))


async def test_an_answer_that_is_there_when_its_agent_is_dropped_is_dropped_too() -> None:
    """The offer has ended by then: an answer that came after all would be one too many."""
    ada = Patient()
    async with seated(ada) as (player, bus, answers):
        bus.post(offers(1)[0][0])
        await settle()
        ada.now.set()
        player.drop()
        await settle()
        waiting = answers.waiting

    assert waiting == 0


async def test_an_agent_that_will_not_be_cancelled_does_not_keep_its_player() -> None:
    """The player is free for what comes next, and after a few times says that the agent has failed."""
    ada = Stubborn()
    rounds = offers(1, rounds=4)
    async with seated(ada) as (player, bus, answers):
        for (offer,) in rounds[:3]:
            bus.post(offer)
            await settle()
            player.drop()
            await settle()
        bus.post(rounds[3][0])
        answer = await answers.receive()
        ada.now.set()
        await settle()

    assert answer == Answer(0, 3, Fault("ignores its cancellation"))
    assert ada.asked == 3
    assert ada.cancelled >= 3
