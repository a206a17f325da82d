"""`hocket play --swap`: who held each seat is in the trace, and a rerun agrees."""

from collections.abc import Callable
from typing import Any

import pytest

from hocket.replays.rerun import rerun
from hocket.replays.trace import read_trace
from hocket.runtime.events import OptionChosen, SeatChanged

Call = Callable[..., Any]
COOKS = ("play", "pantry", "--seat", "0=random", "--seat", "1=random", "--quiet", "--trace", "ada.jsonl")


def test_a_seat_changes_hands_and_back(call: Call) -> None:
    """Every choice is on the record under the name of whoever held the seat."""
    outcome = call(*COOKS, "--swap", "30:1=random", "--swap", "10:1=idle")

    trace = read_trace("ada.jsonl")
    assert (outcome.code, outcome.err) == (0, "")
    assert rerun(trace).agrees
    changed = [(event.was, event.holder) for event in trace.events if isinstance(event, SeatChanged)]
    assert changed == [("random", "idle"), ("idle", "random")]
    assert {event.holder for event in trace.events if isinstance(event, OptionChosen) and 12 < event.tick < 30} == {
        "random",
        "idle",
    }


@pytest.mark.parametrize(
    ("swap", "said"),
    [
        ("1=idle", "--swap is '1=idle', but must be TICK:N=AGENT, e.g. 200:1=idle"),
        ("x:1=idle", "--swap is 'x:1=idle', but must be TICK:N=AGENT"),
        ("5:1=", "--swap is '5:1=', but must be TICK:N=AGENT"),
        ("5:2=idle", "seat 2 is not there: pantry has seats 0 to 1"),
        ("5:1=idel", "there is no agent 'idel' (nearest: idle"),
        (f"{10**12}:1=idle", "must be TICK:N=AGENT"),
    ],
)
def test_a_swap_that_makes_no_sense_is_refused(call: Call, swap: str, said: str) -> None:
    """In one sentence, before anything is played."""
    outcome = call(*COOKS, "--swap", swap)

    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert said in outcome.err
