"""A seat's actor: takes its offers from the bus, asks its agent, posts the answer.

A chooser that holds several seats is asked once for all offers of a tick: the
driver says how many there are, and the last of them to arrive asks for all.

A policy's answer is awaited in an asyncio task of its own rather than in the
task group: one that is dropped is cancelled and not waited for, so that even an
agent which swallows its cancellation cannot hold up the episode.
"""

import asyncio
from collections.abc import Sequence
from operator import attrgetter
from typing import Any, cast

import msgspec

from hocket.runtime.actor import Actor
from hocket.runtime.bus import Bus
from hocket.runtime.fault import Fault, ask, fault, said
from hocket.runtime.policy import Agent, Chooser, Offer, Policy
from hocket.runtime.seats import Seats

_PATIENCE = 3
"""Dropped questions that an agent may still be at before it has failed."""


class Answer(msgspec.Struct, frozen=True):
    """What came back for an offer."""

    seat: int
    decision: int
    choice: object
    """A Choice, a Fault, or nonsense."""


class Together:
    """The offers of one tick to one chooser, until all of them are there."""

    def __init__(self, chooser: Chooser, expected: int) -> None:
        self._chooser, self._expected = chooser, expected
        self._offers: list[Offer] = []

    def add(self, offer: Offer) -> Sequence[Answer]:
        """Add an offer; the last one brings the answers to all, in seat order."""
        self._offers.append(offer)
        if len(self._offers) < self._expected:
            return ()
        self._offers.sort(key=attrgetter("seat"))
        choices = ask(self._chooser, self._offers)
        return [Answer(each.seat, each.decision, choice) for each, choice in zip(self._offers, choices, strict=True)]


class Player:
    """One seat on the bus."""

    def __init__(self, seat: int, seats: Seats, bus: Bus) -> None:
        self._bus = bus
        inbox = bus.subscribe(Offer, name=f"seat {seat}", seat=seat, capacity=2, overflow="fail")
        self.actor: Actor[Offer] = Actor(inbox, self._answer)
        self.together: Together | None = None
        """Set by the driver before it posts the seat's offer, where a chooser holds it."""
        self.agent: Agent = seats.holder(seat).agent
        """Whom to ask; set by the driver before it posts the seat's offer."""
        self._asking: asyncio.Task[object] | None = None
        self._former: list[asyncio.Task[object]] = []
        self._dropped: asyncio.Future[None] | None = None

    def drop(self) -> "asyncio.Task[object] | None":
        """Cancel what the agent is thinking about; return its task where it is still at it."""
        task, self._asking = self._asking, None
        if task is None or task.done():
            return None
        task.cancel()
        self._former.append(task)
        if self._dropped is not None and not self._dropped.done():
            self._dropped.set_result(None)
        return task

    async def _answer(self, offer: Offer) -> None:
        if self.together is not None:
            for answer in self.together.add(offer):
                self._bus.post(answer)
            return
        self._former = [task for task in self._former if not task.done()]
        if len(self._former) >= _PATIENCE:
            self._former = []
            self._bus.post(Answer(offer.seat, offer.decision, Fault("ignores its cancellation")))
            return
        task = self._asking = asyncio.ensure_future(_asked(cast(Policy, self.agent), offer))
        self._dropped = asyncio.get_running_loop().create_future()
        either: list[asyncio.Future[Any]] = [task, self._dropped]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if self._asking is task:
            self._asking = None
            self._bus.post(Answer(offer.seat, offer.decision, _answer_of(task)))


async def _asked(policy: Policy, offer: Offer) -> object:
    """Ask; whatever an agent raises becomes a Fault, its own cancellation included."""
    try:
        return said(await policy.choose(offer))
    except asyncio.CancelledError:
        return Fault("CancelledError")
    except BaseException as error:
        return fault(error)


def _answer_of(task: "asyncio.Task[object]") -> object:
    """Return what came back; an agent can cancel its own task and still return."""
    return Fault("CancelledError") if task.cancelled() else task.result()
