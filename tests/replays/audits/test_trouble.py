"""Rejections, lapses, failures, stalls."""

from tests.replays.audits.played import pair, play

from hocket.agents.random import Random
from hocket.replays.audits.record import Record
from hocket.replays.audits.trouble import trouble


def test_trouble_is_counted_by_seat_and_reason() -> None:
    """A partner that answers nonsense, over a simulated network; the other has none."""
    trace = play("pantry", [Random(), Random()], seed=2, steps=200, faults="hostile")
    found = trouble(Record(trace))

    rejected = sum(sum(counts.values()) for counts in found.rejected)
    lapsed = sum(sum(counts.values()) for counts in found.lapsed)

    kinds = [event.__struct_config__.tag for event in trace.events]
    assert rejected == kinds.count("choice_rejected") > 0
    cancelled = sum(getattr(event, "reason", "") == "cancelled" for event in trace.events)
    assert lapsed == kinds.count("offer_lapsed") - cancelled > 0
    assert sum(found.failed) == kinds.count("agent_failed")
    assert sum(found.stalled) > 0
    assert trouble(Record(pair(Random(), Random()))).stalled == (0, 0)
