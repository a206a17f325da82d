"""Virtual time, counted in ticks of the game.

The clock is a heap of due calls. Two calls due on one tick run in the order in
which they were asked for, so an episode is a pure function of its seed.
"""

from collections.abc import Callable
from heapq import heappop, heappush

from hocket.runtime.errors import ClockError


class Due:
    """A call that the clock will make, unless it is cancelled first."""

    __slots__ = ("_call", "tick")

    def __init__(self, tick: int, call: Callable[[], object]) -> None:
        self.tick = tick
        self._call: Callable[[], object] | None = call

    @property
    def pending(self) -> bool:
        """Whether the call is still to come: neither made nor cancelled."""
        return self._call is not None

    def cancel(self) -> None:
        """Forget the call; harmless where it was made or cancelled before."""
        self._call = None

    def make(self) -> None:
        """Make the call, once; the clock does this."""
        call, self._call = self._call, None
        if call is not None:
            call()


class Clock:
    """Time that moves only when it is told to."""

    def __init__(self) -> None:
        self._now = 0
        self._heap: list[tuple[int, int, Due]] = []
        self._asked = 0
        self._running = False

    @property
    def now(self) -> int:
        """The present tick, counted from 0."""
        return self._now

    def at(self, tick: int, call: Callable[[], object]) -> Due:
        """Ask for a call at a tick, the present one included.

        Args:
            tick: when, in ticks; a call asked for the present tick from inside a
                call is made before that tick is over.
            call: takes nothing; what it returns is dropped.

        Returns:
            A handle with which the call can be cancelled.

        Raises:
            ClockError: the tick has passed.
        """
        if tick < self._now:
            raise ClockError(now=self._now, asked=tick)
        due = Due(tick, call)
        heappush(self._heap, (tick, self._asked, due))
        self._asked += 1
        return due

    def catch_up(self) -> None:
        """Make every call due by now, and stay at this tick.

        Raises:
            RuntimeError: a call that the clock makes ran the clock.
        """
        self._run(self._now + 1, stand=self._now)

    def run(self, *, until: int) -> None:
        """Make every call due before a tick, then stand at that tick.

        While a call is made, `now` is the tick for which it was asked. What a
        call raises passes through; the clock then stands at that call's tick and
        can be run on.

        Args:
            until: where to stand afterwards; calls due at this tick stay due.

        Raises:
            ClockError: `until` has passed.
            RuntimeError: a call that the clock makes ran the clock.
        """
        if until < self._now:
            raise ClockError(now=self._now, asked=until)
        self._run(until, stand=until)

    def _run(self, until: int, *, stand: int) -> None:
        if self._running:
            raise RuntimeError("the clock was run from inside a call that it makes")
        self._running = True
        try:
            while self._heap and self._heap[0][0] < until:
                self._now, _, due = heappop(self._heap)
                due.make()
            self._now = stand
        finally:
            self._running = False
