"""Advantages by hand, by brute force, and by what changes nothing."""

from functools import partial
from random import Random as Dice

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hocket.learners.advantage import Array, Spread, episode_advantage, to_go_advantage
from hocket.runtime.errors import CohortError

POINTS = st.integers(-500, 500).map(float)
RETURNS = arrays(np.float64, st.integers(2, 8), elements=POINTS)
REWARDS = arrays(np.float64, st.tuples(st.integers(2, 6), st.integers(1, 12)), elements=st.integers(-20, 20).map(float))
SPREADS = st.sampled_from(["population", "unbiased"])


def close(one: Array, other: Array) -> bool:
    """Whether two are the same but for rounding."""
    return bool(np.allclose(one, other, rtol=0, atol=1e-8))


def test_a_rollout_is_measured_in_deviations_from_the_mean() -> None:
    """The mean is 30; 10, 20 and 60 lie 20, 10 and 30 from it."""
    returns = np.array([10.0, 20.0, 60.0])

    found = episode_advantage(returns)

    assert close(found, np.array([-20, -10, 30]) / np.sqrt(1400 / 3))


def test_the_unbiased_spread_divides_by_one_fewer() -> None:
    """Two conventions are in use, and they differ by sqrt(K / (K - 1))."""
    returns = np.array([10.0, 20.0, 60.0])

    found = episode_advantage(returns, spread="unbiased")

    assert close(found, np.array([-20, -10, 30]) / np.sqrt(1400 / 2))


def test_epsilon_is_added_and_floor_is_the_least() -> None:
    """Both keep a cohort of almost equal returns from making much of nothing."""
    returns = np.array([-1.0, 1.0])

    assert close(episode_advantage(returns, epsilon=0.25), np.array([-0.8, 0.8]))
    assert close(episode_advantage(returns, floor=4.0), np.array([-0.25, 0.25]))
    assert close(episode_advantage(returns, floor=0.5), np.array([-1.0, 1.0]))
    assert close(episode_advantage(returns, epsilon=0.25, floor=1.25), np.array([-0.8, 0.8]))


@pytest.mark.parametrize("value", [0.0, 7.0, -3.5, 0.1])
@pytest.mark.parametrize("spread", ["population", "unbiased"])
@pytest.mark.parametrize("epsilon", [0.0, 1e-6])
def test_a_cohort_without_spread_has_no_advantage(value: float, spread: Spread, epsilon: float) -> None:
    """Exactly 0, not 0 / 0 and not a rounding error blown up: 0.1 has no exact mean."""
    returns = np.full(7, value)

    found = episode_advantage(returns, spread=spread, epsilon=epsilon)

    assert found.tolist() == [0.0] * 7
    assert not to_go_advantage(returns[:, None], spread=spread, epsilon=epsilon).any()


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_two_cannot_be_compared(count: int) -> None:
    """One rollout would always be exactly average."""
    sentence = f"{count} rollouts, but two or more can be compared"

    with pytest.raises(CohortError, match=sentence):
        episode_advantage(np.ones(count))
    with pytest.raises(CohortError, match=sentence):
        to_go_advantage(np.ones((count, 3)))


@given(RETURNS, st.integers(-1000, 1000), SPREADS)
def test_a_constant_bonus_changes_nothing(returns: Array, bonus: int, spread: Spread) -> None:
    """What every rollout gets says nothing about any; not with a floor or an epsilon either."""
    for worked_out in (episode_advantage, partial(episode_advantage, epsilon=0.1, floor=2.0)):
        assert close(worked_out(returns + bonus, spread=spread), worked_out(returns, spread=spread))


@given(RETURNS, st.floats(0.01, 100), SPREADS)
def test_scale_changes_nothing(returns: Array, scale: float, spread: Spread) -> None:
    """Points may be counted in tens; with a floor they may not."""
    assert close(episode_advantage(returns * scale, spread=spread), episode_advantage(returns, spread=spread))


@given(RETURNS, SPREADS)
def test_an_advantage_is_centred_and_of_one_size(returns: Array, spread: Spread) -> None:
    """Every cohort weighs the same, however far apart its returns were."""
    assume(returns.min() < returns.max())

    found = episode_advantage(returns, spread=spread)

    assert close(found.sum(), np.zeros(()))
    assert found.std(ddof=0 if spread == "population" else 1) == pytest.approx(1)


@given(RETURNS, st.randoms())
def test_the_order_of_rollouts_says_nothing(returns: Array, dice: Dice) -> None:
    """An advantage goes with its rollout."""
    order = list(range(len(returns)))
    dice.shuffle(order)

    assert close(episode_advantage(returns[order]), episode_advantage(returns)[order])


@given(REWARDS, st.sampled_from([1.0, 0.5, 0.25]), SPREADS, st.sampled_from([0.0, 3.0]))
def test_what_lies_ahead_is_summed_tick_by_tick(rewards: Array, discount: float, spread: Spread, floor: float) -> None:
    """By brute force: each tick's sum of what comes, compared with the cohort's at that tick."""
    rollouts, ticks = rewards.shape
    expected = np.zeros((rollouts, ticks))
    for tick in range(ticks):
        ahead = np.array([sum(discount ** (t - tick) * row[t] for t in range(tick, ticks)) for row in rewards])
        if np.ptp(ahead) > 1e-9:
            expected[:, tick] = episode_advantage(ahead, spread=spread, floor=floor)

    found = to_go_advantage(rewards, discount=discount, spread=spread, floor=floor)

    assert close(found, expected)


@given(REWARDS, SPREADS)
def test_at_the_first_tick_all_of_the_episode_lies_ahead(rewards: Array, spread: Spread) -> None:
    """So the first decision has the paper's advantage."""
    found = to_go_advantage(rewards, spread=spread)

    assert close(found[:, 0], episode_advantage(rewards.sum(1), spread=spread))


@given(REWARDS, st.data())
def test_what_was_is_no_concern_of_a_later_decision(rewards: Array, data: st.DataObject) -> None:
    """A reward before a decision cannot be its doing."""
    tick = data.draw(st.integers(0, rewards.shape[1] - 1))
    changed = rewards.copy()
    changed[:, :tick] = data.draw(arrays(np.float64, (len(rewards), tick), elements=POINTS))

    found = to_go_advantage(changed, discount=0.9)

    assert close(found[:, tick:], to_go_advantage(rewards, discount=0.9)[:, tick:])


def test_nothing_that_is_given_is_changed() -> None:
    """The same cohort is read again for metrics."""
    rewards = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 9.0]])
    before = rewards.copy()

    to_go_advantage(rewards, discount=0.5)
    episode_advantage(rewards[:, 2])

    assert (rewards == before).all()
