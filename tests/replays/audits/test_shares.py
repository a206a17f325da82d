"""Option shares."""

import pytest
from tests.replays.audits.played import pair

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.replays.audits.record import Record
from hocket.replays.audits.shares import Shares, shares


def test_shares_are_of_each_seats_own_choices() -> None:
    """Whatever an option was aimed at."""
    record = Record(pair(Random(), Idle()))
    found = shares(record)

    assert isinstance(found, Shares)
    assert found.share(1, "wait") == 1
    assert sum(found.share(0, option) or 0 for option in found.options) == pytest.approx(1)
    assert not any("@" in option for option in found.options)
