"""A cohort: K rollouts from one joint policy, each scored by one team return.

Axes: K rollouts of one cohort, T ticks.
"""

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from hocket.learners.decision import Decision
from hocket.runtime.errors import CohortError


class Played(msgspec.Struct, frozen=True):
    """One rollout, as far as it is learned from."""

    seed: int
    rewards: tuple[float, ...]
    """Of the team, by tick, in game points."""
    decisions: tuple[Decision, ...]
    """Of every seat that a model of the team held, in the order in which they were settled."""
    counts: Mapping[str, int]
    """How often each kind of game event happened."""
    problem: str = ""
    """Why it cannot be learned from; empty where it can."""

    @property
    def team_return(self) -> float:
        """The team's undiscounted return, in game points."""
        return sum(self.rewards)


class Cohort(msgspec.Struct, frozen=True):
    """Rollouts that are compared with one another."""

    rollouts: tuple[Played, ...]

    def __post_init__(self) -> None:
        """Refuse what cannot be compared.

        Raises:
            CohortError: fewer than two rollouts, or rollouts of several lengths.
        """
        if len(self.rollouts) < 2:
            raise CohortError(problem=f"{len(self.rollouts)} rollouts, but two or more can be compared")
        lengths = sorted({len(each.rewards) for each in self.rollouts})
        if len(lengths) > 1:
            raise CohortError(problem=f"rollouts of several lengths: {', '.join(map(str, lengths))} ticks")

    @property
    def returns(self) -> NDArray[np.float64]:
        """Team returns, shape [K], in game points."""
        return np.array([each.team_return for each in self.rollouts])

    @property
    def rewards(self) -> NDArray[np.float64]:
        """Team rewards by tick, shape [K, T], in game points."""
        return np.array([each.rewards for each in self.rollouts], dtype=np.float64)


def event_means(rollouts: Sequence[Played]) -> dict[str, float]:
    """Return how often each kind of game event happened in a rollout, on average, in order of kind."""
    kinds = sorted({kind for each in rollouts for kind in each.counts})
    return {kind: sum(each.counts.get(kind, 0) for each in rollouts) / len(rollouts) for kind in kinds}
