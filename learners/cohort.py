"""A cohort: K rollouts from one joint policy, each scored by one team return.

Axes: K rollouts of one cohort, T ticks.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from hocket.learners.decision import Decision
from hocket.runtime.errors import CohortError


class Played(msgspec.Struct, frozen=True):
    """One rollout, as far as it is learned from."""

    seed: int
    starts: str
    """Where it began, as its header has it: `varied:7` is shared by a cohort."""
    rewards: tuple[float, ...]
    """Of the team, by tick, in game points."""
    decisions: tuple[Decision, ...]
    """Of every seat that a model of the team held, in the order in which they were settled."""
    happened: tuple[tuple[int, str, str], ...] = ()
    """Tick and kind of every game event, and what it was about, in order."""
    problem: str = ""
    """Why it cannot be learned from; empty where it can."""

    @property
    def team_return(self) -> float:
        """The team's undiscounted return, in game points."""
        return sum(self.rewards)

    def shaped(self, bonus: Mapping[str, float]) -> NDArray[np.float64]:
        """Return rewards by tick, shape [T], in game points, with game events worth so many more.

        Args:
            bonus: of a kind of event, `potted`, or of a kind about one thing, `potted:onion`; both count.
        """
        rewards = np.array(self.rewards, dtype=np.float64)
        for tick, kind, what in self.happened:
            rewards[tick] += bonus.get(kind, 0.0) + bonus.get(f"{kind}:{what}", 0.0)
        return rewards


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

    def rewards(self, bonus: Mapping[str, float]) -> NDArray[np.float64]:
        """Return team rewards by tick, shape [K, T], in game points, game events worth so many more."""
        return np.stack([each.shaped(bonus) for each in self.rollouts])


def event_means(rollouts: Sequence[Played]) -> dict[str, float]:
    """Return how often each kind of game event happened in a rollout, on average, in order of kind."""
    counts = Counter(kind for each in rollouts for _, kind, _ in each.happened)
    return {kind: counts[kind] / len(rollouts) for kind in sorted(counts)}
