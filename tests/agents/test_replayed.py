"""The agent that repeats a recorded episode."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.agents.replayed import Replayed
from hocket.games import registry
from hocket.replays.trace import Trace, encode_trace, make_header, read_trace
from hocket.runtime.errors import AgentError
from hocket.runtime.events import AgentFailed, Event, OptionChosen
from hocket.runtime.policy import Agent
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats


def recorded(*agents: Agent, seed: int = 0, steps: int = 40, names: tuple[str, ...] = ("ada", "bo")) -> Trace:
    """Play a pantry of two and keep its trace."""
    game = registry.make("pantry")
    library = registry.library(game)
    scheduler: Scheduler[Any] = Scheduler(game, library, seed=seed, holders=names, steps=steps)
    seats = Seats([Holder(name, agent) for name, agent in zip(names, agents, strict=True)], Holder("idle", Idle()))
    events: list[Event] = []
    play([Rollout(scheduler, seats, events.extend)])
    header = make_header(game, library, seed=seed, starts="standard", steps=steps, seats=names)
    return Trace(header, tuple(events), path="ada.jsonl")


def options(trace: Trace, seat: int) -> list[str]:
    """What a seat chose, in order."""
    return [event.option for event in trace.events if isinstance(event, OptionChosen) and event.seat == seat]


def test_a_replayed_team_plays_its_episode_again(tmp_path: Path) -> None:
    """From the file; but what the recorded agents knew of their choices is not the replayed agent's to say."""
    trace = recorded(Random(), Random(), seed=5)
    path = tmp_path / "ada.jsonl"
    path.write_bytes(encode_trace(trace.header, trace.events))
    read = read_trace(path)

    again = recorded(Replayed(read, 0), Replayed(read, 1), seed=5)

    assert [event for event in again.events if isinstance(event, OptionChosen) and event.receipt is not None] == []
    assert list(again.events) == [
        msgspec.structs.replace(event, receipt=None) if isinstance(event, OptionChosen) else event
        for event in trace.events
    ]


def test_a_replayed_agent_makes_its_choices_whatever_the_letters() -> None:
    """Under another seed the same options stand elsewhere on the menu."""
    trace = recorded(Random(), Random(), seed=5)

    again = recorded(Replayed(trace, 0), Random(), seed=6)

    ada = options(again, 0)
    assert ada == options(trace, 0)[: len(ada)] + ["wait"] * (len(ada) - len(options(trace, 0)))
    assert options(again, 1) != options(trace, 1)


def test_a_replayed_agent_waits_when_its_recording_is_over() -> None:
    """A longer episode is no reason to fail."""
    trace = recorded(Random(), Random(), seed=5, steps=10)

    again = recorded(Replayed(trace, 0), Random(), seed=5, steps=60)

    count = len(options(trace, 0))
    assert options(again, 0)[:count] == options(trace, 0)
    assert set(options(again, 0)[count:]) == {"wait"}
    assert not [event for event in again.events if isinstance(event, AgentFailed)]


def test_a_replayed_agent_fails_where_its_option_is_not_on_offer() -> None:
    """To pick something else would be to pretend; the record says what was missing, and at which decision."""
    trace = recorded(Random(), Random(), seed=5)
    first = next(event for event in trace.events if isinstance(event, OptionChosen))
    foreign = OptionChosen(0, 0, 0, 0, "deliver@9,9", "ada")
    changed = Trace(trace.header, tuple(foreign if event is first else event for event in trace.events))

    again = recorded(Replayed(changed, 0), Random(), seed=5)

    failed = [event for event in again.events if isinstance(event, AgentFailed)]
    error = "LookupError: deliver@9,9 was chosen in decision 0, but is not on its menu"
    assert failed == [AgentFailed(0, 0, "ada", error)]


def test_a_seat_that_was_not_recorded_cannot_be_replayed() -> None:
    """A pantry of three asks for more than a recording of two holds."""
    trace = recorded(Random(), Random())

    with pytest.raises(AgentError) as refused:
        Replayed(trace, 2)

    assert str(refused.value) == "agent 'replayed:ada.jsonl': it has 2 seats, so none for seat 2"
