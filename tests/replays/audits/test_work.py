"""Useful deeds."""

from tests.replays.audits.played import pair

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.replays.audits.record import Record
from hocket.replays.audits.work import work


def test_work_without_a_delivery_is_nobodys() -> None:
    """Deeds are counted; useful is what came to something."""
    found = work(Record(pair(Random(), Idle(), steps=40)))

    assert found.deeds[0] > 0
    assert found.useful == (0, 0)
    assert found.share(0) is None
    assert found.inequality is None
