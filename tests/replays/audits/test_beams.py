"""Cleaning beams at nothing."""

import pytest
from tests.replays.audits.played import Fires, play

from hocket.games.primitives import NAME as PRIMITIVES
from hocket.replays.audits.beams import Fired, beams
from hocket.replays.audits.record import Record
from hocket.replays.audits.sign import signs


def test_beams_at_nothing_are_counted() -> None:
    """Whoever fires all the time fires mostly at nothing, or too early: a beam cools down for two steps."""
    pytest.importorskip("dmlab2d")
    trace = play("cleanup", [Fires()] * 7, seed=4, steps=60, library=PRIMITIVES)
    found = beams(Record(trace))

    assert isinstance(found, Fired)
    assert [fired + early for fired, early in zip(found.fired, found.early, strict=True)] == [60] * 7
    assert set(found.fired) == {20}
    blind = [seat for seat in range(7) if found.share(seat) == 1]
    assert blind
    cleaned = [0] * 7
    for event in Record(trace).happened:
        cleaned[event.seat] += event.kind == "cleaned"
    for seat in range(7):
        assert bool(cleaned[seat]) == (found.idle[seat] < found.fired[seat])
    assert {sign.name for sign in signs([found])} == {"blind beams"}
