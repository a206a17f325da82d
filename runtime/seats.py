"""Who holds each seat, and what an answer of theirs does to the episode.

A seat is bound to an agent and can be bound to another at an option boundary. An
agent that raises, is cancelled or exits has failed: that is its seat's fault and
nobody else's, so the seat goes to the fallback and the episode goes on. A reply
that is no choice from the menu is rejected; the agent keeps its seat.
"""

import re
from collections.abc import Sequence
from traceback import extract_tb
from typing import Any

import msgspec
import structlog

from hocket.runtime.policy import Agent, objection
from hocket.runtime.scheduler import Scheduler

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")
_log = structlog.get_logger(__name__)


class Holder(msgspec.Struct, frozen=True):
    """An agent under the name that the trace knows it by."""

    name: str
    agent: Agent


class Fault(msgspec.Struct, frozen=True):
    """What a failed agent leaves in place of a choice."""

    error: str


def fault(error: BaseException) -> Fault:
    """Describe a failure in one line, and log where it happened.

    The trace gets type and message: nothing that changes from machine to machine.
    """
    text = _text(error)
    line = f"{type(error).__name__}: {text}" if text else type(error).__name__
    frames = extract_tb(error.__traceback__)
    _log.warning("an agent failed", error=line, at=f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "?")
    return Fault(line)


def _text(error: BaseException) -> str:
    """The message of an error, such that it fits into a trace whatever the error is like."""
    try:
        text = " ".join(str(error).split())
    except Exception as inner:
        text = f"its message cannot be read: {type(inner).__name__}"
    text = _ADDRESS.sub("0x?", text)
    return text.encode("utf-8", "backslashreplace").decode()[:1000]


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
            closing: whether the offer ends with this tick; else a rejected one stays open.
        """
        if isinstance(answer, Fault):
            scheduler.agent_failed(seat, answer.error)
            scheduler.lapse(seat, "cancelled")
            self.bind(scheduler, seat, self._fallback, "failed")
            return
        offer = scheduler.open_offer(seat)
        wrong = None if offer is None else objection(answer, offer.menu)
        if wrong is None:
            scheduler.choose(seat, answer.index, answer.receipt)  # type: ignore[attr-defined]
            return
        scheduler.reject(seat, *wrong)
        if closing:
            scheduler.lapse(seat, "cancelled")
