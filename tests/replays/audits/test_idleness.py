"""Ticks and choices of doing nothing."""

from tests.replays.audits.played import pair

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.replays.audits.idleness import Idleness, idleness
from hocket.replays.audits.record import Record


def test_idleness_is_of_ticks_and_of_choices() -> None:
    """An idle seat does nothing but wait."""
    found = idleness(Record(pair(Idle(), Random())))

    assert isinstance(found, Idleness)
    assert found.share(0) == 1
    assert (found.share(1) or 0) < 0.6
    _, waits = found.rows()
    assert waits.seats[0] == 1
