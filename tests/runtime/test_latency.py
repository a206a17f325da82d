"""How long something takes: bounds, shapes, and that a draw alone decides."""

from collections.abc import Callable
from math import exp
from statistics import median

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hocket.runtime.latency import AT_ONCE, Constant, Latency, LogNormal, Recorded, Uniform

UNIT = st.floats(0, 1, exclude_max=True)


def of(draw: float) -> Callable[[], float]:
    """Dice that have fallen."""
    return lambda: draw


@given(UNIT, st.integers(0, 10**6))
def test_a_constant_is_constant(draw: float, number: int) -> None:
    """Whatever the dice and the decision."""
    assert Constant(7).draw(of(draw), number) == 7
    assert AT_ONCE.draw(of(draw), number) == 0


@given(st.integers(0, 1000), st.integers(0, 1000), UNIT)
def test_a_uniform_latency_stays_within_its_bounds(least: int, more: int, draw: float) -> None:
    """Both of them included."""
    assert least <= Uniform(least, least + more).draw(of(draw), 0) <= least + more


def test_every_number_of_a_uniform_latency_is_as_likely() -> None:
    """The unit interval is cut into equal parts, the first and the last like the others."""
    latency = Uniform(2, 5)

    drawn = [latency.draw(of(eighth / 8), 0) for eighth in range(8)]

    assert drawn == [2, 2, 3, 3, 4, 4, 5, 5]


def test_a_uniform_latency_of_no_width_is_refused() -> None:
    """Bounds the wrong way round are a mistake, and it says which."""
    with pytest.raises(ValueError, match="most is 1, but least is 4"):
        Uniform(4, 1)


@given(st.floats(0.01, 1e6), st.floats(0, 10), st.integers(0, 10**6), UNIT)
def test_a_log_normal_latency_is_whole_and_never_beyond_its_bound(
    median: float, sigma: float, most: int, draw: float
) -> None:
    """Neither a draw of 0 nor one beside 1 brings it out of the numbers."""
    latency = LogNormal(median, sigma, most)

    drawn = latency.draw(of(draw), 0)

    assert type(drawn) is int
    assert 0 <= drawn <= most


def test_half_of_a_log_normal_latency_lies_within_a_factor_of_its_median() -> None:
    """The factor is exp(0.67 sigma), and as many lie above the median as below."""
    latency, sigma = LogNormal(1000, 0.8, 10**6), 0.8

    drawn = [latency.draw(of((number + 0.5) / 4000), 0) for number in range(4000)]

    factor = exp(0.6745 * sigma)
    within = sum(1000 / factor <= each <= 1000 * factor for each in drawn)
    assert median(drawn) == pytest.approx(1000, abs=2)
    assert within == pytest.approx(2000, abs=10)
    assert drawn == sorted(drawn)


def test_recorded_delays_come_in_their_order_over_and_over() -> None:
    """A decision has that of its number, whether or not the one before was asked for."""
    latency = Recorded((3, 0, 8))

    assert [latency.draw(of(0.5), number) for number in (0, 1, 2, 3, 4, 301)] == [3, 0, 8, 3, 0, 0]


@pytest.mark.parametrize(
    "latency",
    [Constant(3), Uniform(1, 4), LogNormal(2.5, 0.5, 60), Recorded((1, 2))],
    ids=lambda each: type(each).__name__,
)
def test_a_latency_is_told_by_its_kind(latency: Latency) -> None:
    """What stands in a file or in the header of a trace comes back as it was."""
    assert msgspec.json.decode(msgspec.json.encode(latency), type=Latency) == latency


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "constant", "ticks": -1},
        {"kind": "constant", "ticks": 1.5},
        {"kind": "constant", "tick": 1},
        {"kind": "uniform", "least": 1},
        {"kind": "uniform", "least": 4, "most": 1},
        {"kind": "log_normal", "median": 0, "sigma": 1, "most": 5},
        {"kind": "log_normal", "median": float("nan"), "sigma": 1, "most": 5},
        {"kind": "log_normal", "median": 3, "sigma": -1, "most": 5},
        {"kind": "recorded", "ticks": []},
        {"kind": "recorded", "ticks": [1, 2_000_000]},
        {"kind": "normal"},
        {},
    ],
)
def test_a_latency_that_makes_no_sense_is_refused(fields: dict[str, object]) -> None:
    """Below zero, without bounds, of no kind: before anything is played."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(fields, Latency)
