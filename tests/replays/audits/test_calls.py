"""The call ratio, and how long options last."""

import pytest
from tests.replays.audits.played import pair

from hocket.agents.random import Random
from hocket.games.primitives import NAME as PRIMITIVES
from hocket.replays.audits.calls import calls
from hocket.replays.audits.record import Record


def test_every_tick_is_a_decision_with_primitive_actions() -> None:
    """The paper's call ratio is 1 there, and less with options, which last longer."""
    native = calls(Record(pair(Random(), Random(), library=PRIMITIVES)))
    options = calls(Record(pair(Random(), Random())))

    assert native.ratio == 1
    assert options.ratio is not None
    assert options.ratio < 0.7
    [_, lasted] = options.rows()
    assert lasted.team is not None
    assert lasted.team == pytest.approx(1 / options.ratio, rel=0.1)
