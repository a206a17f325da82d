"""Means of a few returns, and where they may lie."""

import numpy as np
import pytest

from hocket.replays.statistics import estimate


def test_an_interval_holds_the_mean_and_shrinks_with_the_number_of_returns() -> None:
    """Ten times the returns, about a third of the width."""
    drawn = np.random.default_rng(1).normal(10.0, 2.0, 400).tolist()

    few, many = estimate(drawn[:40]), estimate(drawn)

    assert few.low is not None
    assert few.high is not None
    assert many.low is not None
    assert many.high is not None
    assert few.low < few.mean < few.high
    assert many.low < 10 < many.high
    assert 0.2 < (many.high - many.low) / (few.high - few.low) < 0.5


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """Of a hundred, all but a few; the percentile interval of forty returns is a little short."""
    dice = np.random.default_rng(7)

    found = [estimate(dice.normal(0.0, 1.0, 40).tolist()) for _ in range(100)]

    assert sum(each.low <= 0 <= each.high for each in found if each.low is not None and each.high is not None) >= 88


@pytest.mark.parametrize(("returns", "said"), [([20.0] * 20, "20 (no spread)"), ([7.5], "7.5")])
def test_returns_without_spread_have_no_interval(returns: list[float], said: str) -> None:
    """One number twenty times says nothing of where it may lie."""
    found = estimate(returns)

    assert (found.low, found.high) == (None, None)
    assert str(found) == said


def test_the_same_returns_have_the_same_interval() -> None:
    """Resampling is drawn from a seed of its own."""
    assert estimate([1.0, 2.0, 4.0]) == estimate([1.0, 2.0, 4.0])
