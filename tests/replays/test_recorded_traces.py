"""Recorded episodes still happen: `tests/traces`, run again.

A change of rules, options or menus that is meant is followed by recording them again, with `hocket play --trace`.
"""

from collections import Counter

import pytest

from hocket.replays.trace import Trace
from hocket.runtime.events import OptionEnded, Stepped


@pytest.mark.traces("tests/traces")
def test_a_recorded_episode_runs_again(trace: Trace) -> None:
    """And is worth it: it has an end, options that succeed, and a reward."""
    outcomes = Counter(event.outcome for event in trace.events if isinstance(event, OptionEnded))

    assert trace.ended
    assert outcomes["success"] > 0
    assert any(any(event.rewards) for event in trace.events if isinstance(event, Stepped))
