"""A pace that can be held: no tick begins until it is let go."""

import anyio

from hocket.runtime.pace import Pace


class Pausable:
    """Another pace, which it holds and lets go."""

    def __init__(self, pace: Pace) -> None:
        self.pace = pace
        self.waits = pace.waits
        self._going = anyio.Event()
        self._going.set()

    @property
    def paused(self) -> bool:
        """Whether it is held."""
        return not self._going.is_set()

    def pause(self) -> None:
        """Hold it, from the next tick on."""
        if not self.paused:
            self._going = anyio.Event()

    def resume(self) -> None:
        """Let it go."""
        self._going.set()

    def deadline(self, tick: int) -> float:
        """That of the other pace."""
        return self.pace.deadline(tick)

    async def begin(self, tick: int) -> None:
        """Wait until it is let go, then as the other pace does."""
        while self.paused:
            await self._going.wait()
        await self.pace.begin(tick)
