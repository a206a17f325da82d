"""What a few returns say of their mean, and of two policies' difference.

SciPy's, all of it. Returns that are all equal say nothing of how others would be, so there is neither an interval
nor a p for them: twenty episodes of a fixed start and fixed scripts are one.
"""

from collections.abc import Sequence
from math import inf, isclose
from typing import Any

import msgspec
import numpy as np

from hocket.runtime.extra import imported

RESAMPLES = 10_000
LEVEL = 0.95
_DRAWN = 0
"""Seed of the resampling: the same returns have the same interval."""
_LARGE = 1e150
"""Beyond it sums and squares may be too large for a number: returns are scaled down before, and estimates up again."""


class Estimate(msgspec.Struct, frozen=True):
    """A mean, and where it may lie."""

    mean: float
    low: float | None
    """Lower end of the 95% percentile bootstrap interval; None where returns have no spread, or there is but one."""
    high: float | None
    count: int
    """Returns that it is of."""
    std: float | None = None
    """Standard deviation of the sample (unbiased); None where there is but one return."""

    def __post_init__(self) -> None:
        """Refuse half an interval.

        Raises:
            ValueError: only one end of it is there.
        """
        if (self.low is None) != (self.high is None):
            raise ValueError("an interval has a low and a high end, or neither")

    def __str__(self) -> str:
        """Say it: `7.85 [6.90, 8.75]`."""
        if self.low is None or self.high is None:
            return f"{self.mean:.4g} (no spread)" if self.count > 1 else f"{self.mean:.4g}"
        return f"{self.mean:.4g} [{self.low:.4g}, {self.high:.4g}]"


def estimate(returns: Sequence[float]) -> Estimate:
    """Estimate the mean of returns that were drawn independently.

    Args:
        returns: at least one, shape [episodes].

    Raises:
        MissingExtraError: SciPy is not installed.

    Source: Efron & Tibshirani, "An Introduction to the Bootstrap", 1993, section 13.3 (the percentile interval).
    """
    stats = scipy_stats()
    values = np.asarray(returns, dtype=np.float64)
    most = float(np.abs(values).max())
    if not most < inf:
        return Estimate(sum(returns), None, None, len(values))
    scale = most if most > _LARGE else 1.0
    values = values / scale
    mean = float(values.mean()) * scale
    if len(values) < 2:
        return Estimate(mean, None, None, len(values))
    if has_no_spread(returns):
        return Estimate(mean, None, None, len(values), 0.0)
    found: Any = stats.bootstrap(
        (values,), np.mean, n_resamples=RESAMPLES, confidence_level=LEVEL, method="percentile", rng=_DRAWN
    )
    low, high, std = (float(each) * scale for each in (*found.confidence_interval, values.std(ddof=1)))
    return Estimate(mean, low, high, len(values), std)


def mann_whitney(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return the p of the two-sided Mann-Whitney U test; None where there are too few returns, or some have no spread.

    Raises:
        MissingExtraError: SciPy is not installed.

    Source: Mann & Whitney, "On a test of whether one of two random variables is stochastically larger than the
    other", Annals of Mathematical Statistics 18 (1947). SciPy's method "auto": exact for small samples without ties.
    """
    stats = scipy_stats()
    if any(len(each) < 2 or has_no_spread(each) for each in (one, other)):
        return None
    return float(stats.mannwhitneyu(one, other, alternative="two-sided").pvalue)


def corrected(ps: Sequence[float]) -> list[float]:
    """Correct ps for their number, whatever they have to do with one another: pairs of cells share cells.

    Args:
        ps: shape [pairs].

    Returns:
        The smallest false discovery rate at which each pair would be called different, shape [pairs].

    Raises:
        MissingExtraError: SciPy is not installed.

    Source: Benjamini & Yekutieli, "The control of the false discovery rate in multiple testing under dependency",
    Annals of Statistics 29 (2001).
    """
    return [float(each) for each in scipy_stats().false_discovery_control(ps, method="by")] if ps else []


def has_no_spread(returns: Sequence[float]) -> bool:
    """Tell whether all returns are equal, but for what adding them up in another order changes."""
    return all(isclose(each, returns[0], rel_tol=1e-12, abs_tol=1e-12) for each in returns)


def scipy_stats() -> Any:
    """Return SciPy's statistics, which take a second to import.

    Raises:
        MissingExtraError: SciPy is not installed.
    """
    return imported("scipy.stats", extra="report", needed_for="an interval or a test")
