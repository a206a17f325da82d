"""From the bus to a trace: an actor that writes down every event of an episode."""

from typing import Protocol, get_args

from hocket.runtime.actor import Actor
from hocket.runtime.bus import Bus
from hocket.runtime.events import EpisodeEnded, Event, MessageDead, Stepped

RECORDED: tuple[type[Event], ...] = tuple(kind for kind in get_args(Event) if kind is not MessageDead)
"""What a trace holds: everything but the dead letters of those who only look on."""


class Sink(Protocol):
    """Where a recorder writes to: a file, or a list."""

    def write(self, event: Event) -> None:
        """Take an event."""
        ...

    def flush(self) -> None:
        """Let go of what was taken, as far as it goes."""
        ...


class Recorder:
    """Writes each event as it comes and flushes with every step of the world."""

    def __init__(self, bus: Bus, writer: Sink) -> None:
        """Subscribe; nothing is ever dropped, the episode waits where the recorder is behind."""
        self.writer = writer
        inbox = bus.subscribe(RECORDED, name="recorder", capacity=1024, overflow="wait")
        self.actor: Actor[Event] = Actor(inbox, self._write)

    async def _write(self, event: Event) -> None:
        self.writer.write(event)
        if isinstance(event, Stepped | EpisodeEnded):
            self.writer.flush()
