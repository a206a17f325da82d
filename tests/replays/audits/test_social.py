"""The social outcome metrics."""

import msgspec
import pytest
from tests.replays.audits.played import pair

from hocket.agents.idle import Idle
from hocket.replays.audits.finding import gini
from hocket.replays.audits.record import Record
from hocket.replays.audits.social import social
from hocket.runtime.events import Stepped


def test_the_social_metrics_are_those_of_the_paper_that_named_them() -> None:
    """Two seats, ten ticks: one is paid at 2 and 4, the other at 9."""
    trace = pair(Idle(), Idle(), steps=10)
    pay = {2: (3.0, 0.0), 4: (3.0, 0.0), 9: (0.0, 2.0)}
    events = [
        msgspec.structs.replace(event, rewards=pay.get(event.tick, event.rewards))
        if isinstance(event, Stepped)
        else event
        for event in trace.events
    ]

    found = social(Record(msgspec.structs.replace(trace, events=tuple(events))))

    assert found.efficiency == (0.8, 1)
    assert found.equality == (pytest.approx(1 - gini((6, 2))), 1)  # type: ignore[operator]
    assert found.sustainability == ((3 + 9) / 2, 1)
    assert found.peace == (0.0, 0)
    assert social(Record(trace)).peace == (2, 1)
    assert social(Record(trace)).equality == (0.0, 0)
