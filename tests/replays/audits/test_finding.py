"""Counts that add up."""

import pytest
from tests.replays.audits.played import pair

from hocket.agents.random import Random
from hocket.replays.audits.audit import audit
from hocket.replays.audits.finding import gini


@pytest.mark.parametrize(
    ("amounts", "expected"), [((1, 1, 1), 0), ((3, 0, 0), 2 / 3), ((1, 3), 0.25), ((0, 0), None), ((), None)]
)
def test_gini_is_the_mean_difference_over_twice_the_mean(amounts: tuple[float, ...], expected: float | None) -> None:
    """Nothing can be said of what nobody has."""
    assert gini(amounts) == (expected if expected is None else pytest.approx(expected))


def test_findings_of_several_traces_add_up() -> None:
    """One after the other, or in two halves: the same numbers, for every audit."""
    traces = [pair(Random(), Random(), seed=seed) for seed in range(4)]
    whole = audit(traces)
    halves = [audit(traces[:2]), audit(traces[2:])]

    for name, finding in whole.findings.items():
        summed = halves[0].findings[name] + halves[1].findings[name]
        for one, other in zip(finding.rows(), summed.rows(), strict=True):
            assert (one.name, one.unit, one.words) == (other.name, other.unit, other.words)
            assert one.team == pytest.approx(other.team)
            assert one.seats == pytest.approx(other.seats)
    assert whole.returns == halves[0].returns + halves[1].returns
