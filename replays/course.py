"""The course of a recorded episode, taken again event by event.

An event that the scheduler has made already is compared with it; any other is an
input, given to the scheduler, and compared with what that makes of it.
"""

from collections import deque
from typing import Literal, TypeAlias

import msgspec

from hocket.replays.difference import Difference, between
from hocket.replays.input import carry_out, objection, precedes_offers
from hocket.replays.rebuilt import Rebuilt
from hocket.replays.trace import Trace
from hocket.runtime.events import ChoiceRejected, EpisodeEnded, Event, MenuOffered, OptionChosen

Mode: TypeAlias = Literal["keyed", "positional"]
"""What must agree: everything, or behaviour alone; see `docs/traces.md`."""


class Course:
    """A scheduler that is led along a trace."""

    def __init__(self, trace: Trace, rebuilt: Rebuilt, mode: Mode = "keyed") -> None:
        """Stand before the first event."""
        self.scheduler = rebuilt.scheduler()
        self._positional = mode == "positional"
        self._made: deque[Event] = deque(self.scheduler.take())
        self._opened, self._over = -1, False
        last = trace.events[-1] if trace.events else None
        self._reason = last.reason if isinstance(last, EpisodeEnded) else "interrupted"

    def follow(self, number: int, recorded: Event) -> Difference | None:
        """Take the next event, of that number in the trace; after a difference there is no next."""
        if self._over:
            return between(number, recorded, None)
        self._over = isinstance(recorded, EpisodeEnded)
        if not self._made:
            self._open(recorded)
        if not self._made:
            problem = objection(recorded, self.scheduler, by_key=self._positional)
            if problem is not None:
                return Difference(number, recorded.tick, *problem)
            carry_out(recorded, self.scheduler, self._reason, by_key=self._positional)
            self._made.extend(self.scheduler.take())
        made = self._made.popleft() if self._made else None
        if self._positional:
            return between(number, _behaviour(recorded), _behaviour(made))
        return between(number, recorded, made)

    def rest(self) -> list[Event]:
        """Return what was made and not recorded, with the offers of this tick: where a trace is torn, or ends early."""
        if self._opened < self.scheduler.now:
            self._offer()
        rest = list(self._made)
        self._made.clear()
        return rest

    def _open(self, recorded: Event) -> None:
        """Open the offers of a tick before its first event that comes after them."""
        fresh = self._opened < self.scheduler.now
        if isinstance(recorded, MenuOffered) or (fresh and not precedes_offers(recorded)):
            self._offer()

    def _offer(self) -> None:
        scheduler = self.scheduler
        if scheduler.now < scheduler.steps:
            self._opened = scheduler.now
            scheduler.due()
            self._made.extend(scheduler.take())


def _behaviour(event: Event | None) -> Event | None:
    """Leave out what is no behaviour: menus, letters and receipts."""
    match event:
        case MenuOffered():
            return msgspec.structs.replace(event, menu=())
        case OptionChosen():
            return msgspec.structs.replace(event, index=0, receipt=None)
        case ChoiceRejected():
            return msgspec.structs.replace(event, receipt=None)
        case _:
            return event
