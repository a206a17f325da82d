"""Cohorts: what can be compared, and what cannot."""

import pytest

from hocket.learners.cohort import Cohort, Played
from hocket.runtime.errors import CohortError


def played(*rewards: float, happened: tuple[tuple[int, str, str], ...] = ()) -> Played:
    """A rollout in which nobody decided anything."""
    return Played(1, "standard", rewards, (), happened)


def test_returns_are_sums_of_rewards() -> None:
    """Undiscounted, in the game's own points."""
    assert played(0.0, 20.0, 20.0).team_return == 40.0


def test_game_events_can_be_worth_something_to_the_learner() -> None:
    """At their own tick, as often as they happen; the team's return is the game's all the same."""
    busy = played(
        0.0,
        20.0,
        0.0,
        happened=((0, "potted", "onion"), (0, "potted", "tomato"), (1, "took", "dish"), (2, "potted", "onion")),
    )
    cohort = Cohort((busy, played(0.0, 0.0, 20.0)))

    assert cohort.rewards({"potted": 3.0}).tolist() == [[6.0, 20.0, 3.0], [0.0, 0.0, 20.0]]
    assert cohort.rewards({"potted": 3.0, "potted:tomato": 1.0})[0].tolist() == [7.0, 20.0, 3.0]
    assert cohort.rewards({}).tolist() == [[0.0, 20.0, 0.0], [0.0, 0.0, 20.0]]
    assert busy.team_return == 20.0


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
