"""How many ticks something takes: constant, uniform, log-normal, or as it was recorded.

A latency is a function of a draw in [0, 1) and of the number of the decision, so the
same seed gives the same delays whatever else happens.
"""

from collections.abc import Callable
from math import exp, floor
from statistics import NormalDist
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

Ticks: TypeAlias = Annotated[int, Meta(ge=0, le=1_000_000)]


class _Latency(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    pass


class Constant(_Latency, frozen=True, tag="constant"):
    """Always the same."""

    ticks: Ticks = 0

    def draw(self, uniform: Callable[[], float], number: int) -> int:
        """Return it."""
        return self.ticks


class Uniform(_Latency, frozen=True, tag="uniform"):
    """Every whole number between two, both included, is as likely."""

    least: Ticks
    most: Ticks

    def __post_init__(self) -> None:
        if self.most < self.least:
            raise ValueError(f"most is {self.most}, but least is {self.least}")

    def draw(self, uniform: Callable[[], float], number: int) -> int:
        """Draw once."""
        return self.least + int(uniform() * (self.most - self.least + 1))


class LogNormal(_Latency, frozen=True, tag="log_normal"):
    """Mostly short, now and then long: what model servers and people are like."""

    median: Annotated[float, Meta(gt=0, le=1e6)]
    sigma: Annotated[float, Meta(ge=0, le=10)]
    """Of the logarithm: half of all lie within a factor of exp(0.67 sigma) of the median."""
    most: Ticks
    """Longer ones are cut to this."""

    def draw(self, uniform: Callable[[], float], number: int) -> int:
        """Draw once; rounded down."""
        return min(self.most, floor(self.median * exp(self.sigma * _normal(uniform()))))


class Recorded(_Latency, frozen=True, tag="recorded"):
    """Delays that were observed, in their order, over and over."""

    ticks: Annotated[tuple[Ticks, ...], Meta(min_length=1)]

    def draw(self, uniform: Callable[[], float], number: int) -> int:
        """Return that of the decision with this number."""
        return self.ticks[number % len(self.ticks)]


Latency: TypeAlias = Constant | Uniform | LogNormal | Recorded
AT_ONCE = Constant()
_STANDARD = NormalDist()


def _normal(draw: float) -> float:
    return _STANDARD.inv_cdf(min(max(draw, 2.0**-54), 1 - 2.0**-53))
