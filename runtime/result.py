"""What came of an episode, in numbers."""

from typing import Any

import msgspec

from hocket.runtime.scheduler import Scheduler


class Result(msgspec.Struct, frozen=True):
    """What came of an episode."""

    returns: tuple[float, ...]
    """Undiscounted return of each seat, in game points."""
    steps: int
    """Ticks played."""
    decisions: tuple[int, ...]
    """Offers made to each seat."""

    @property
    def team(self) -> float:
        """The team's return: the sum over seats."""
        return sum(self.returns)


def result(scheduler: Scheduler[Any]) -> Result:
    """Sum an episode up."""
    return Result(tuple(scheduler.returns), scheduler.now, tuple(scheduler.decisions))
