"""Where seats stand."""

from typing import Any

import pytest
from tests.replays.audits.played import pair

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.games import registry
from hocket.replays.audits.record import Record
from hocket.replays.audits.territory import Territory, territory


def test_visits_are_where_seats_stood_when_a_tick_began() -> None:
    """Told from the game's own states, played by hand."""
    trace = pair(Random(), Idle(), starts="scattered")
    record = Record(trace)
    found = territory(record)
    game: Any = registry.rebuild(trace.header.game)
    game.reset(trace.header.seed, trace.header.starts)
    stood: list[list[tuple[int, int]]] = [[], []]
    for step in record.steps:
        for seat in (0, 1):
            stood[seat].append(game.observe(game.facts(), seat).me.place)
        game.step(step.joint)

    assert isinstance(found, Territory)
    for seat in (0, 1):
        counted = {
            (cell % found.size[0], cell // found.size[0]): int(times)
            for cell, times in enumerate(found.visits[seat])
            if times
        }
        assert counted == {place: stood[seat].count(place) for place in stood[seat]}
    assert found.overlap(0, 0) == pytest.approx(1)
    assert found.overlap(0, 1) == found.overlap(1, 0)
