"""Who holds each seat, and what an answer of theirs does to the episode.

A seat is bound to an agent and can be bound to another at an option boundary. An
agent that raises, is cancelled or exits has failed: that is its seat's fault and
nobody else's, so the seat goes to the fallback and the episode goes on. A reply
that is no choice from the menu is rejected; the agent keeps its seat.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from hocket.runtime.errors import SchedulerError
from hocket.runtime.fault import Fault
from hocket.runtime.policy import Agent, Choice, NoChoice, objection, receipt_of
from hocket.runtime.scheduler import Scheduler


class Holder(msgspec.Struct, frozen=True):
    """An agent under the name that the trace knows it by."""

    name: str
    agent: Agent


class Seats:
    """The holders of one episode."""

    def __init__(self, holders: Sequence[Holder], fallback: Holder) -> None:
        self._holders = list(holders)
        self._since = [0] * len(self._holders)
        self._fallback = fallback

    def __len__(self) -> int:
        return len(self._holders)

    @property
    def names(self) -> tuple[str, ...]:
        """Name of the agent in each seat."""
        return tuple(holder.name for holder in self._holders)

    def holder(self, seat: int) -> Holder:
        """Return who holds `seat` now."""
        return self._holders[seat]

    def since(self, seat: int) -> int:
        """Return the tick at which its holder took `seat`."""
        return self._since[seat]

    def bind(self, scheduler: Scheduler[Any], seat: int, holder: Holder, reason: str) -> None:
        """Give `seat` to another agent, on the record; it answers from the next offer on."""
        scheduler.change_seat(seat, holder.name, reason)
        self._holders[seat], self._since[seat] = holder, scheduler.now

    def settle(self, scheduler: Scheduler[Any], seat: int, answer: object, *, closing: bool) -> None:
        """Apply an agent's answer to the seat's open offer.

        Args:
            scheduler: of the episode.
            seat: whose offer is answered.
            answer: a Choice, a Fault, or nonsense.
            closing: whether the offer ends with this tick; else a rejected one stays open, unless its
                agent has given it up itself.
        """
        if isinstance(answer, Fault):
            scheduler.agent_failed(seat, answer.error)
            scheduler.lapse(seat, "failed")
            self.bind(scheduler, seat, self._fallback, "failed")
            return
        offer = scheduler.open_offer(seat)
        if offer is None:
            raise SchedulerError(seat=seat, tick=scheduler.now, problem="was answered for, but has no open offer")
        wrong = objection(answer, offer.menu)
        if isinstance(answer, Choice) and wrong is None:
            scheduler.choose(seat, answer.index, answer.receipt)
        elif wrong is not None:
            scheduler.reject(seat, *wrong, receipt_of(answer))
            if closing or isinstance(answer, NoChoice):
                scheduler.lapse(seat, "rejected")
