"""An episode played into memory: its trace, and the account of its messages."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import anyio
import pytest

from hocket.agents.random import Random
from hocket.games import registry
from hocket.games.pantry.world import Pantry
from hocket.replays.recording import Recording, record
from hocket.replays.trace import Header, Trace, make_header
from hocket.runtime.events import EpisodeEnded, GameEvent, Stepped
from hocket.runtime.game import Game
from hocket.runtime.incident import read_incident
from hocket.runtime.listed import Listed
from hocket.runtime.pace import Lockstep, Pace, Simulated
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats


class Cursed(Pantry):
    """Falls down at tick 5."""

    left = 5

    def step(self, joint: Sequence[int]) -> tuple[tuple[float, ...], tuple[GameEvent, ...]]:
        self.left -= 1
        if self.left < 0:
            raise RuntimeError("the roof fell in")
        return super().step(joint)


def staged(seed: int = 1, steps: int = 20, game: Game[Any] | None = None) -> tuple[Header, Scheduler[Any], Seats]:
    """Ada and bo at random, about to begin."""
    world = game or registry.make("pantry")
    library, names = registry.library(world), ("ada", "bo")
    header = make_header(world, library, seed=seed, starts="standard", steps=steps, seats=names)
    scheduler = Scheduler(world, library, seed=seed, holders=names, steps=steps)
    return header, scheduler, Seats([Holder(name, Random()) for name in names], Holder("idle", Random()))


def recorded(pace: Pace, **stage: Any) -> Recording:
    """Play it."""
    return anyio.run(partial(record, *staged(**stage), pace))


def test_what_is_kept_in_memory_is_the_trace(played: Trace) -> None:
    """Event for event that of the same episode by the tight driver."""
    recording = recorded(Lockstep())

    assert recording.trace.header == played.header
    assert recording.trace.events == played.events
    assert (recording.error, recording.dead, recording.overfull) == (None, (), ())


@pytest.mark.parametrize("faults", [(), ("drop:0:1:offer", "duplicate:1:0:choice:2", "hold:0:4:6")])
def test_every_message_is_accounted_for(faults: tuple[str, ...]) -> None:
    """Offers, answers and events: after the stop all of them have been received."""
    recording = recorded(Simulated(Listed(map(read_incident, faults))))

    counts = recording.counts
    assert counts.deliveries == counts.received > len(recording.trace.events)
    assert (counts.waiting, counts.dead) == (0, {})
    assert recording.trace.ended


def test_an_episode_that_fails_leaves_what_there_was() -> None:
    """The events up to the failure, the end of the episode, and why."""
    recording = recorded(Lockstep(), game=Cursed(2))

    assert str(recording.error) == "the game failed at tick 5: RuntimeError: the roof fell in"
    assert sum(isinstance(event, Stepped) for event in recording.trace.events) == 5
    last = recording.trace.events[-1]
    assert isinstance(last, EpisodeEnded)
    assert last.reason == "failed"
