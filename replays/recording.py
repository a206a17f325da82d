"""An episode played into memory: its trace, and the bus's account of every message."""

from typing import Any

import anyio
import msgspec

from hocket.replays.recorder import Recorder, Sink
from hocket.replays.trace import Header, Trace
from hocket.runtime.actor import Group
from hocket.runtime.bus import Bus
from hocket.runtime.clock import Clock
from hocket.runtime.episode import Episode
from hocket.runtime.errors import EpisodeError
from hocket.runtime.events import Event
from hocket.runtime.ledger import Counts, DeadLetter
from hocket.runtime.pace import Pace
from hocket.runtime.result import Result
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Seats


class Recording(msgspec.Struct, frozen=True):
    """What an episode left."""

    trace: Trace
    counts: Counts
    """Deliveries on its bus, after the stop."""
    dead: tuple[DeadLetter, ...]
    """The last dead letters."""
    overfull: tuple[str, ...]
    """Mailboxes in which more waited than they hold."""
    error: EpisodeError | None = None
    """What ended the episode before its time."""


class _Kept:
    """A trace in memory, and a look at the mailboxes with every step."""

    def __init__(self, bus: Bus) -> None:
        self.events: list[Event] = []
        self.overfull: dict[str, None] = {}
        self._bus = bus

    def write(self, event: Event) -> None:
        self.events.append(event)

    def flush(self) -> None:
        self.overfull.update(dict.fromkeys(self._bus.overfull()))


async def play_live(
    scheduler: Scheduler[Any], seats: Seats, pace: Pace, bus: Bus, clock: Clock, sink: Sink | None = None
) -> Result:
    """Play an episode over a bus of its own, and stop the bus, whatever comes of it.

    Args:
        scheduler: of the episode.
        seats: who holds each seat.
        pace: when a tick may begin.
        bus: with nobody on it but who looks on.
        clock: of the bus.
        sink: is handed every event; None where they are not kept.

    Raises:
        HocketError: recorder, bus, game, options or scheduler failed.
    """
    async with Group() as group:
        if sink is not None:
            group.start(Recorder(bus, sink).actor)
        try:
            return await Episode(scheduler, seats, bus, pace, clock=clock).run()
        finally:
            with anyio.CancelScope(shield=True):
                await bus.stop()


async def record(header: Header, scheduler: Scheduler[Any], seats: Seats, pace: Pace) -> Recording:
    """Play an episode to its end, or to the failure of bus, game, options or scheduler.

    Args:
        header: of its trace.
        scheduler: at the start of the episode.
        seats: who holds each seat.
        pace: when a tick may begin.
    """
    clock = Clock()
    bus = Bus(clock)
    kept = _Kept(bus)
    error = None
    try:
        await play_live(scheduler, seats, pace, bus, clock, kept)
    except EpisodeError as failure:
        error = failure
    trace = Trace(header, tuple(kept.events))
    return Recording(trace, bus.counts(), bus.dead_letters, tuple(kept.overfull), error)
