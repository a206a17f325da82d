"""A trace as audits read it."""

from typing import Any

import msgspec
import pytest
from tests.replays.audits.played import pair

from hocket.agents.random import Random
from hocket.replays.audits.audit import audit
from hocket.runtime.errors import TraceError
from hocket.runtime.events import GameEvent, Stepped


def test_a_world_that_does_not_come_about_again_is_not_looked_at() -> None:
    """A trace that pays what its game does not is told, and the audits that need no states go on."""
    trace = pair(Random(), Random())
    paid = [
        msgspec.structs.replace(event, rewards=(7.0, 0.0)) if isinstance(event, Stepped) and event.tick == 5 else event
        for event in trace.events
    ]

    found = audit([msgspec.structs.replace(trace, events=tuple(paid), path="odd.jsonl")])

    assert found.absent["territory"] == "at tick 5 the world did otherwise than recorded: hocket rerun odd.jsonl"
    assert "shares" in found.findings


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"joint": (0,)}, r"^odd.jsonl \(tick 5\): \(0,\) with rewards \(0.0, 0.0\) is no step of 2 seats"),
        ({"joint": (0, 99)}, r"is no step of 2 seats"),
        ({"rewards": (1.0, 1.0, 1.0)}, r"is no step of 2 seats"),
        ({"events": (GameEvent("took", 2),)}, r"^odd.jsonl \(tick 5\): something happened to seat 2, but there are 2"),
    ],
)
def test_a_step_that_is_none_of_the_game_is_named(change: dict[str, Any], said: str) -> None:
    """A trace can be sound line by line and say what cannot have been."""
    trace = pair(Random(), Random())
    events = [
        msgspec.structs.replace(event, **change) if isinstance(event, Stepped) and event.tick == 5 else event
        for event in trace.events
    ]

    with pytest.raises(TraceError, match=said):
        audit([msgspec.structs.replace(trace, events=tuple(events), path="odd.jsonl")])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "no overcooked can be built from its header: KeyError"),
        ({"layout": None}, "no overcooked can be built from its header: "),
        ({"layout": 7}, "no overcooked can be built from its header: "),
    ],
)
def test_a_game_that_cannot_be_built_is_a_reason_and_no_crash(settings: dict[str, Any], said: str) -> None:
    """Audits that need no states go on; a header may say anything that is JSON."""
    trace = pair(Random(), Random())
    game = msgspec.structs.replace(trace.header.game, settings=settings)
    odd = msgspec.structs.replace(trace, header=msgspec.structs.replace(trace.header, game=game))

    found = audit([odd])

    assert found.absent["territory"].startswith(said)
    assert "shares" in found.findings


def test_a_trace_with_other_actions_than_the_game_has_is_not_simulated() -> None:
    """Their numbers would mean other things."""
    trace = pair(Random(), Random())
    header = msgspec.structs.replace(trace.header, actions=("a", "b", "c", "d", "e", "f"))

    found = audit([msgspec.structs.replace(trace, header=header)])

    assert "other actions or seats" in found.absent["territory"]


def test_rewards_that_no_number_can_hold_are_refused() -> None:
    """Each is finite, and what they add up to is not."""
    trace = pair(Random(), Random())
    events = [
        msgspec.structs.replace(event, rewards=(1e308, 1e308)) if isinstance(event, Stepped) else event
        for event in trace.events
    ]

    with pytest.raises(TraceError, match="add up to more than a number can hold"):
        audit([msgspec.structs.replace(trace, events=tuple(events), path="rich.jsonl")])
