"""How much better a rollout was than its cohort.

Axes: K rollouts of one cohort, T ticks.
"""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hocket.runtime.errors import CohortError

Array: TypeAlias = NDArray[np.float64]
Spread: TypeAlias = Literal["population", "unbiased"]
"""Divisor of the variance: K, or K - 1."""
_ROUNDING = 1e-9
"""Largest difference, as a share of the values, that is none."""


def episode_advantage(
    returns: Array, *, spread: Spread = "population", epsilon: float = 0.0, floor: float = 0.0
) -> Array:
    """Standardise team returns within their cohort.

    Args:
        returns: undiscounted team returns, shape [K], in game points.
        spread: which standard deviation is divided by.
        epsilon: added to it, in game points.
        floor: the least that is divided by, in game points.

    Returns:
        (returns - mean) / std, shape [K], unitless; the same value serves every
        agent and decision of a rollout. All zero where the cohort has no spread.

    Raises:
        CohortError: K < 2.

    Source: Algorithm 1, line 6, of the PA-MAGRPO paper, which has neither epsilon nor floor and does not say which
    standard deviation.
    """
    if len(returns) < 2:
        raise CohortError(problem=f"{len(returns)} rollouts, but two or more can be compared")
    return _standardised(np.asarray(returns, dtype=np.float64)[:, None], spread, epsilon, floor)[:, 0]


def to_go_advantage(
    rewards: Array, *, discount: float = 1.0, spread: Spread = "population", epsilon: float = 0.0, floor: float = 0.0
) -> Array:
    """Standardise, for every tick, what the team gets from that tick on.

    Args:
        rewards: of the team by tick, shape [K, T], in game points.
        discount: of a reward for each tick that it lies ahead.
        spread: which standard deviation is divided by, over the cohort at one tick.
        epsilon: added to it, in game points.
        floor: the least that is divided by, in game points.

    Returns:
        Shape [K, T], unitless: a decision has the value of the tick at which it was settled. Zero at
        ticks where the cohort has no spread.

    Raises:
        CohortError: K < 2.

    Source: ours; reward-to-go with a baseline for each step, as in Williams, "Simple statistical gradient-following
    algorithms", Machine Learning 8 (1992), section 2. The paper gives the whole episode's value to every decision.
    """
    if len(rewards) < 2:
        raise CohortError(problem=f"{len(rewards)} rollouts, but two or more can be compared")
    ahead = np.array(rewards, dtype=np.float64)
    for tick in range(ahead.shape[1] - 2, -1, -1):
        ahead[:, tick] += discount * ahead[:, tick + 1]
    return _standardised(ahead, spread, epsilon, floor)


def alike(values: Array) -> NDArray[np.bool_]:
    """Tell where all rollouts have one value, to rounding.

    Args:
        values: shape [K, T].

    Returns:
        Shape [T].
    """
    found: NDArray[np.bool_] = np.ptp(values, axis=0) <= _ROUNDING * np.abs(values).max(0)
    return found


def _standardised(values: Array, spread: Spread, epsilon: float, floor: float) -> Array:
    apart = values - values.mean(0)
    apart[:, alike(values)] = 0.0
    deviation = values.std(0, ddof=0 if spread == "population" else 1)
    scale = np.maximum(deviation + epsilon, floor)
    out: Array = np.divide(apart, scale, out=np.zeros_like(apart), where=scale > 0)
    return out
