"""When a tick may begin: after every answer, or when wall time says so.

A driver asks three things of a pace, in this order in every tick:

    deadline(tick)  until when it may collect answers; asked once its offers are made
    waits           what it means that the deadline came: True, the open offers
                    lapse; False, they stay open and a late answer counts later
    begin(tick)     returns when the world may take its step

Beside `clock.py` this is the only module that knows of time, and the only one
that knows of wall time. A pace in virtual time begins at once: the latency of an
answer is a call on the clock.
"""

import math
from typing import Protocol

import anyio
from anyio.lowlevel import checkpoint

from hocket.runtime.errors import SettingError
from hocket.runtime.incident import Faults


class Pace(Protocol):
    """What an episode needs to know of time."""

    @property
    def waits(self) -> bool:
        """Whether the world stands still until every due seat has answered."""
        ...

    def deadline(self, tick: int) -> float:
        """Until when answers may be collected, in seconds of `anyio.current_time`; infinite for no bound."""
        ...

    async def begin(self, tick: int) -> None:
        """Return when the tick may begin; always a point at which the episode can be cancelled."""
        ...


class Lockstep:
    """The world waits for every due seat."""

    waits = True

    def __init__(self, limit: float | None = None) -> None:
        """Take the pace of the slowest seat.

        Args:
            limit: how long one answer may take, in seconds of wall time; None for
                as long as it likes. Every offer of a tick is made at once, so one
                deadline serves them all. A limit that strikes is a matter of wall
                time: such an episode is run again from its trace, not its seed.

        Raises:
            SettingError: the limit is not above 0.
        """
        if limit is not None and not limit > 0:
            raise SettingError(setting="limit", value=limit, right="a number of seconds above 0, or None")
        self.limit = limit

    def deadline(self, tick: int) -> float:
        """Now and the limit, whatever the tick."""
        return math.inf if self.limit is None else anyio.current_time() + self.limit

    async def begin(self, tick: int) -> None:
        """Begin at once, after every other task has had its chance."""
        await checkpoint()


class Simulated:
    """Virtual time: the world goes on while agents think, and an answer takes as many ticks as the faults say.

    What an agent computes is waited for, however long it takes here; then its answer goes on its way.
    """

    waits = False

    def __init__(self, faults: Faults, limit: float | None = None) -> None:
        """Simulate a network.

        Args:
            faults: how long messages and thoughts take, and what goes wrong.
            limit: how long one answer may take to be computed, in seconds of wall time; one that
                takes longer never comes. A limit that strikes is a matter of wall time, as in lockstep.

        Raises:
            SettingError: the limit is not above 0.
        """
        self.faults = faults
        self._lockstep = Lockstep(limit)

    def deadline(self, tick: int) -> float:
        """Now and the limit, whatever the tick."""
        return self._lockstep.deadline(tick)

    async def begin(self, tick: int) -> None:
        """Begin at once, after every other task has had its chance."""
        await checkpoint()


class Live:
    """Ticks held to wall time; the world waits for nobody.

    The first tick is due one period after it is first asked about, so that its seats
    have as long as all others, and tick k is due k / hz seconds after it: moments are
    computed from the start, never from the tick before, so errors do not add up. A
    world that is late begins its tick at once.
    Lateness of less than a period is made good by the next tick, which begins on
    its own moment; whole periods that were missed are skipped, not caught up in a
    burst, so between two moments at most one tick begins.
    """

    waits = False

    def __init__(self, hz: float) -> None:
        """Set the rate.

        Args:
            hz: ticks in a second of wall time.

        Raises:
            SettingError: the rate is not above 0, or not finite.
        """
        if not 1e-6 <= hz < math.inf:
            raise SettingError(setting="hz", value=hz, right="a finite number of ticks a second above 0")
        self.hz = hz
        self.skipped = 0
        """Whole periods in which the world was too late to begin a tick."""
        self._start: float | None = None
        self._first = 0

    def deadline(self, tick: int) -> float:
        """The moment at which the tick is due."""
        if self._start is None:
            self._start, self._first = anyio.current_time() + 1 / self.hz, tick
        return self._start + (tick - self._first + self.skipped) / self.hz

    async def begin(self, tick: int) -> None:
        """Sleep until the tick is due; where it is overdue, skip the periods that were missed."""
        due = self.deadline(tick)
        await anyio.sleep_until(due)
        self.skipped += max(0, math.floor((anyio.current_time() - due) * self.hz))
