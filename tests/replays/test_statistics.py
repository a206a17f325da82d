"""Means of a few returns, and where they may lie."""

import sys

import numpy as np
import pytest
from scipy import stats

from hocket.replays.statistics import Estimate, corrected, estimate, mann_whitney
from hocket.runtime.errors import MissingExtraError


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


@pytest.mark.parametrize(
    ("returns", "said"), [([20.0] * 20, "20 (no spread)"), ([0.1 + 0.2, 0.3], "0.3 (no spread)"), ([7.5], "7.5")]
)
def test_returns_without_spread_have_no_interval(returns: list[float], said: str) -> None:
    """One number twenty times says nothing of where it may lie."""
    found = estimate(returns)

    assert (found.low, found.high) == (None, None)
    assert str(found) == said


def test_the_same_returns_have_the_same_interval() -> None:
    """Resampling is drawn from a seed of its own."""
    assert estimate([1.0, 2.0, 4.0]) == estimate([1.0, 2.0, 4.0])


def test_the_interval_is_the_percentile_bootstrap_of_the_mean() -> None:
    """SciPy's, and what ten thousand means drawn by hand say: the figure of the paper's protocol."""
    returns = np.random.default_rng(3).poisson(7, 20).astype(float)
    drawn = np.random.default_rng(9).choice(returns, (10_000, 20)).mean(axis=1)

    found = estimate(returns.tolist())

    assert found.std == pytest.approx(returns.std(ddof=1))
    assert (found.low, found.high) == pytest.approx(tuple(np.percentile(drawn, (2.5, 97.5))), abs=0.1)


def test_two_policies_are_compared_by_the_two_sided_u_test() -> None:
    """Where both have spread; a constant is no sample."""
    one, other = [1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 9.0]

    assert mann_whitney(one, other) == pytest.approx(2 / 70)
    assert mann_whitney(one, other) == mann_whitney(other, one)
    assert mann_whitney(one, [0.0, 0.0, 0.0]) is None
    assert mann_whitney([2.0] * 20, [2.0] * 20) is None
    assert mann_whitney(one, [7.0]) is None


def test_many_pairs_are_corrected_for_their_number() -> None:
    """As Benjamini and Yekutieli have it: by the harmonic number, and never below what it was."""
    ps = [0.001, 0.02, 0.5]

    found = corrected(ps)

    assert found[0] == pytest.approx(0.001 * 3 * (1 + 1 / 2 + 1 / 3))
    assert all(one >= other for one, other in zip(found, ps, strict=True))
    assert found == pytest.approx(stats.false_discovery_control(ps, method="by").tolist())
    assert corrected([]) == []


def test_without_scipy_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence."""
    monkeypatch.setitem(sys.modules, "scipy", None)

    with pytest.raises(MissingExtraError, match="pip install 'hocket\\[report\\]'"):
        estimate([1.0, 2.0])


def test_returns_near_the_largest_number_have_a_mean() -> None:
    """Their sum and their squares are more than a number can be; what is more already has no interval."""
    found, same = estimate([1e308, 1.5e308, 1.7e308]), estimate([1e308] * 3)

    assert found.mean == pytest.approx(1.4e308)
    assert found.low == pytest.approx(1e308)
    assert found.std == pytest.approx(0.36055512754639896e308)
    assert (same.mean, same.low, same.std) == (1e308, None, 0.0)
    assert str(estimate([float("inf"), 1.0])) == "inf (no spread)"


@pytest.mark.parametrize(("low", "high"), [(1.0, None), (None, 1.0)])
def test_half_an_interval_is_none(low: float | None, high: float | None) -> None:
    """It would be told as if there were no spread."""
    with pytest.raises(ValueError, match="a low and a high end, or neither"):
        Estimate(1.0, low, high, 3)
