"""What becomes of the commons."""

import pytest
from tests.replays.audits.played import play

from hocket.agents.random import Random
from hocket.replays.audits.record import Record
from hocket.replays.audits.sustainability import Sustainability, sustainability


def test_survival_is_told_by_the_events_as_well() -> None:
    """The world reports every patch whose apples change; its last word on each is what the curve ends on."""
    pytest.importorskip("dmlab2d")
    trace = play("harvest:no_thinning", [Random()] * 7, seed=4, steps=200)
    record = Record(trace)
    found = sustainability(record)
    last = {event.what: event.amount for event in record.happened if event.kind == "apples"}

    assert isinstance(found, Sustainability)
    assert found.curve[0] == found.whole == 6
    assert found.curve[-1] == 6 - sum(amount == 0 for amount in last.values())
    assert len(found.curve) == 201
