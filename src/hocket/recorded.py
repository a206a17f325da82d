"""One live episode with its recorder and its onlookers, put together."""

import asyncio
import threading
from collections import Counter
from collections.abc import Collection
from typing import Any

import anyio
from rich.console import Console

from hocket.live import Bar, Screen
from hocket.replays.recorder import Recorder
from hocket.replays.writer import TraceWriter
from hocket.runtime.actor import Actor, Group
from hocket.runtime.bus import Bus
from hocket.runtime.clock import Clock
from hocket.runtime.episode import Episode
from hocket.runtime.events import AgentFailed, ChoiceRejected, Event, MenuOffered, OfferLapsed, OptionEnded
from hocket.runtime.pace import Pace
from hocket.runtime.result import Result
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Seats

_TOLD: tuple[type[Event], ...] = (MenuOffered, OptionEnded, AgentFailed, ChoiceRejected, OfferLapsed)

_SILENT = 20
"""Ticks after which an offer that is still open at the end is worth a word."""


class Recorded:
    """An episode that is about to be played, recorded and perhaps watched."""

    def __init__(
        self,
        scheduler: Scheduler[Any],
        seats: Seats,
        pace: Pace,
        writer: TraceWriter,
        *,
        picture: Console | None,
        threads: Collection[threading.Thread] = (),
    ) -> None:
        """Put the parts together.

        Args:
            scheduler: at the start of an episode.
            seats: who holds each seat.
            pace: when a tick may begin.
            writer: of the trace.
            picture: where the episode is drawn; None for a bar on stderr, if that is a terminal.
            threads: that ran before its agents were made, and so are none of theirs.
        """
        self.scheduler, self.seats, self.pace, self.writer, self._picture = scheduler, seats, pace, writer, picture
        self.seated = seats.names
        """Who sat where at the start."""
        self.threads = threads
        self.outcomes: Counter[str] = Counter()
        self.faults: list[str] = []
        self.rejected: dict[int, tuple[int, str]] = {}
        """By seat: how many answers were rejected, and the first one."""
        self._offered: dict[int, int] = {}
        self.late: Counter[int] = Counter()

        self.left_behind: set[asyncio.Task[object]] = set()
        """Tasks of agents that ignored their cancellation."""

    async def play(self) -> Result:
        """Play the episode; the recorder has everything when this returns or raises.

        Raises:
            HocketError: recorder, bus, game or scheduler failed.
        """
        clock = Clock()
        bus = Bus(clock)
        episode = Episode(self.scheduler, self.seats, bus, self.pace, clock=clock)
        told = bus.subscribe(_TOLD, name="tally", capacity=64, overflow="wait")
        screen = self._screen(bus)
        try:
            async with Group() as group:
                group.start(Recorder(bus, self.writer).actor)
                group.start(Actor(told, self._count))
                if screen is not None:
                    group.start(screen.actor)
                    screen.start()
                try:
                    return await episode.run()
                finally:
                    with anyio.CancelScope(shield=True):
                        await bus.stop()
        finally:
            self.left_behind = episode.left_behind
            if screen is not None:
                screen.live.stop()

    def _screen(self, bus: Bus) -> Screen | Bar | None:
        if self._picture is not None:
            return Screen(bus, self.scheduler, self._picture)
        errors = Console(stderr=True)
        return Bar(bus, self.scheduler, errors) if errors.is_terminal else None

    async def _count(self, event: Event) -> None:
        match event:
            case OptionEnded():
                self.outcomes[event.outcome.partition(":")[0]] += 1
            case AgentFailed():
                self.faults.append(f"seat {event.seat}: {event.holder} failed at tick {event.tick}: {event.error}")
            case MenuOffered():
                self._offered[event.seat] = event.tick
            case ChoiceRejected() if event.reason != "late":
                count, first = self.rejected.get(
                    event.seat, (0, f"at tick {event.tick}: {event.reason}, {event.detail}")
                )
                self.rejected[event.seat] = count + 1, first
            case OfferLapsed() if event.reason == "timeout":
                self.late[event.seat] += 1
            case OfferLapsed() if event.reason == "cancelled" and event.tick - self._offered[event.seat] >= _SILENT:
                self.faults.append(f"seat {event.seat}: did not answer its offer of tick {self._offered[event.seat]}")
            case _:
                pass

    def complaints(self) -> list[str]:
        """Say what went wrong with whom."""
        return [
            *self.faults,
            *(
                f"seat {seat}: {count} answers were no choice from the menu, the first {first}"
                for seat, (count, first) in self.rejected.items()
            ),
            *(f"seat {seat}: {count} answers did not come in time" for seat, count in self.late.items()),
            *(
                f"seat {swap.seat}: {swap.name} never took over, planned for tick {swap.tick}"
                for swap in self.seats.planned
            ),
        ]
