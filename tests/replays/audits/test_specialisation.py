"""Mutual information of seat and option."""

from math import log2

import pytest

from hocket.replays.audits.shares import Shares
from hocket.replays.audits.specialisation import Specialisation


def test_mutual_information_is_that_of_seat_and_option() -> None:
    """0 bits where seats choose alike, all there are where none ever chooses what another does."""
    alike = Specialisation(Shares(({"a": 5, "b": 5}, {"a": 50, "b": 50})), apart=False)
    apart = Specialisation(Shares(({"a": 9}, {"b": 1}, {"c": 3}, {"d": 7})), apart=False)
    half = Specialisation(Shares(({"a": 2}, {"a": 1, "b": 1})), apart=False)
    lone = Specialisation(Shares(({"a": 2}, {})), apart=False)

    assert alike.bits() == alike.explained() == 0
    assert apart.bits() == log2(4)
    assert apart.explained() == 1
    whole = -(0.75 * log2(0.75) + 0.25 * log2(0.25))
    assert half.bits() == pytest.approx(whole - 0.5)
    assert half.explained() == pytest.approx((whole - 0.5) / whole)
    assert lone.bits() is None
