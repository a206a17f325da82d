"""One short episode of ada and bo in the pantry, as header and events."""

import resource
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
import syrupy

from hocket.agents.random import Random
from hocket.games import registry
from hocket.replays.trace import Header, Trace, make_header
from hocket.runtime.events import Event
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats


def _played(seed: int, steps: int) -> Trace:
    game = registry.make("pantry")
    library, names = registry.library(game), ("ada", "bo")
    header = make_header(game, library, seed=seed, starts="standard", steps=steps, seats=names)
    scheduler = Scheduler(game, library, seed=seed, holders=names, steps=steps)
    chooser, events = Random(), list[Event]()
    seats = Seats([Holder(name, chooser) for name in names], Holder("idle", chooser))
    play([Rollout(scheduler, seats, events.extend)])
    return Trace(header, tuple(events))


@pytest.fixture(scope="session")
def played() -> Trace:
    """Twenty ticks of ada and bo, both at random, with a delivery."""
    return _played(seed=1, steps=20)


@pytest.fixture(scope="session")
def otherwise_played() -> Trace:
    """The same twenty ticks from another seed."""
    return _played(seed=2, steps=20)


@pytest.fixture(scope="session")
def header(played: Trace) -> Header:
    """Its header."""
    return played.header


@contextmanager
def _little_room() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    signalled = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, signalled)


@pytest.fixture
def little_room() -> Callable[[], AbstractContextManager[None]]:
    """No file may grow beyond 3000 bytes within `with little_room():`, that to which pytest itself writes included."""
    return _little_room


@pytest.fixture
def inner(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder of somebody's tests; `runpytest` runs them in this process, and leaves the session of our own syrupy."""
    monkeypatch.setattr(syrupy, "_syrupy", syrupy._syrupy)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    pytester.makeini(
        """
        [pytest]
        addopts = --strict-markers -p no:cacheprovider
        asyncio_mode = strict
        asyncio_default_fixture_loop_scope = function
        """
    )
    return pytester
