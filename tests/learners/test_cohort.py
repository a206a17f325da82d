"""Cohorts: what can be compared, and what cannot."""

import pytest

from hocket.learners.cohort import Cohort, Played
from hocket.runtime.errors import CohortError


def played(*rewards: float, seed: int = 1) -> Played:
    """A rollout in which nobody decided anything."""
    return Played(seed, rewards, (), {})


def test_returns_are_sums_of_rewards() -> None:
    """Undiscounted, in the game's own points."""
    cohort = Cohort((played(0.0, 20.0, 20.0), played(0.0, 0.0, 20.0)))

    assert cohort.returns.tolist() == [40.0, 20.0]
    assert cohort.rewards.shape == (2, 3)


@pytest.mark.parametrize(
    ("rollouts", "said"),
    [
        ((), "0 rollouts, but two or more can be compared"),
        ((played(1.0),), "1 rollouts, but two or more"),
        ((played(1.0), played(1.0, 2.0)), "rollouts of several lengths: 1, 2 ticks"),
    ],
)
def test_what_cannot_be_compared_is_refused(rollouts: tuple[Played, ...], said: str) -> None:
    """An advantage of one rollout would be a division by nothing."""
    with pytest.raises(CohortError, match=said):
        Cohort(rollouts)
