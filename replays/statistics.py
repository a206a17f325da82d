"""What a few returns say of their mean."""

from collections.abc import Sequence

import msgspec
import numpy as np

RESAMPLES = 10_000
_DRAWN = 0
"""Seed of the resampling: the same returns have the same interval."""


class Estimate(msgspec.Struct, frozen=True):
    """A mean, and where it may lie."""

    mean: float
    low: float | None
    """Lower end of the 95% percentile bootstrap interval; None where returns have no spread, or there is but one."""
    high: float | None
    count: int
    """Returns that it is of."""

    def __str__(self) -> str:
        """Say it: `7.85 [6.90, 8.75]`."""
        if self.low is None or self.high is None:
            return f"{self.mean:.4g} (no spread)" if self.count > 1 else f"{self.mean:.4g}"
        return f"{self.mean:.4g} [{self.low:.4g}, {self.high:.4g}]"


def estimate(returns: Sequence[float]) -> Estimate:
    """Estimate the mean of returns that were drawn independently.

    Args:
        returns: at least one, shape [episodes].

    Source: Efron & Tibshirani, "An Introduction to the Bootstrap", 1993, section 13.3 (the percentile interval).
    """
    values = np.asarray(returns, dtype=np.float64)
    mean = float(values.mean())
    if len(values) < 2 or (values == values[0]).all():
        return Estimate(mean, None, None, len(values))
    drawn = np.random.default_rng(_DRAWN).integers(len(values), size=(RESAMPLES, len(values)))
    low, high = np.percentile(values[drawn].mean(axis=1), (2.5, 97.5))
    return Estimate(mean, float(low), float(high), len(values))
