"""A seat's actor: takes its offers from the bus, asks its agent, posts the answer.

A chooser that holds several seats is asked once for all offers of a tick: the
driver says how many there are, and the last of them to arrive asks for all.

A policy's answer is awaited in an asyncio task of its own rather than in the
task group: one that is dropped is cancelled and not waited for, so that even an
agent which swallows its cancellation cannot hold up the episode.
"""

import asyncio
from collections.abc import Sequence
from typing import cast

import msgspec

from hocket.runtime.actor import Actor
from hocket.runtime.bus import Bus
from hocket.runtime.policy import Chooser, Offer, Policy
from hocket.runtime.rollout import ask
from hocket.runtime.seats import Seats, fault


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
        choices = ask(self._chooser, self._offers)
        return [Answer(each.seat, each.decision, choice) for each, choice in zip(self._offers, choices, strict=True)]


class Player:
    """One seat on the bus."""

    def __init__(self, seat: int, seats: Seats, bus: Bus) -> None:
        self._seat, self._seats, self._bus = seat, seats, bus
        inbox = bus.subscribe(Offer, name=f"seat {seat}", seat=seat, capacity=2, overflow="fail")
        self.actor: Actor[Offer] = Actor(inbox, self._answer)
        self.together: Together | None = None
        """Set by the driver before it posts the seat's offer, where a chooser holds it."""
        self._asking: asyncio.Task[object] | None = None

    def drop(self) -> "asyncio.Task[object] | None":
        """Cancel what the agent is thinking about; return its task where it is still at it."""
        task, self._asking = self._asking, None
        if task is None or task.done():
            return None
        task.cancel()
        return task

    async def _answer(self, offer: Offer) -> None:
        if self.together is not None:
            for answer in self.together.add(offer):
                self._bus.post(answer)
            return
        policy = cast(Policy, self._seats.holder(self._seat).agent)
        task = self._asking = asyncio.ensure_future(_asked(policy, offer))
        await asyncio.wait({task})
        if self._asking is task:
            self._asking = None
            self._bus.post(Answer(offer.seat, offer.decision, task.result()))


async def _asked(policy: Policy, offer: Offer) -> object:
    """Ask; whatever an agent raises, its own cancellation included, becomes a Fault."""
    try:
        return await policy.choose(offer)
    except (Exception, SystemExit, asyncio.CancelledError) as error:
        return fault(error)
