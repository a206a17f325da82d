"""Episodes of given agents, each as its trace: in lockstep, or over a simulated network.

In lockstep the tight driver plays where every agent answers at once; where one takes
its time, and wherever a network is simulated, the live one does, in a loop of its own
or in the one that runs. The trace is the same.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import TypedDict, Unpack

from hocket.games import registry
from hocket.replays.fault_file import read_profile
from hocket.replays.recording import record
from hocket.replays.trace import Terms, Trace, make_header
from hocket.runtime.contract import PATIENT, Contract
from hocket.runtime.drawn import Drawn
from hocket.runtime.errors import AgentError, SettingError
from hocket.runtime.events import Event
from hocket.runtime.fault_profile import FaultProfile
from hocket.runtime.guard import Guard
from hocket.runtime.incident import Faults, read_incident
from hocket.runtime.listed import Listed
from hocket.runtime.pace import Lockstep, Simulated
from hocket.runtime.policy import Agent, Choice, Chooser, Offer, Policy
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats, spoilt


class Setup(TypedDict, total=False):
    """What an episode depends on beside its game and agents; all of it may be left out."""

    seed: int
    """Of the whole episode; 0."""
    steps: int | None
    """Length in ticks; the game's usual one."""
    settings: Mapping[str, object] | None
    """Of the game."""
    library: str
    """Name of the option library; `default`."""
    guards: Sequence[Guard]
    """What is hidden from menus; nothing."""
    starts: str
    """Where from, as `read_starts` has it; `standard`."""
    names: Sequence[str] | None
    """Of the agents, one each; the names of their classes, in small letters."""
    faults: str | FaultProfile | Sequence[str] | None
    """What goes wrong, over a simulated network: a profile, its name or file, or faults one by one; lockstep."""
    contracts: Sequence[Contract]
    """What each seat owes; where a network is simulated, an answer within 40 ticks."""


class Episodes:
    """Plays one episode a call."""

    def __call__(self, game: str, agents: Sequence[Agent], **setup: Unpack[Setup]) -> Trace:
        """Play an episode and return its trace.

        Args:
            game: by name, e.g. `overcooked:cramped_room`.
            agents: who sits in each seat; one object may hold several.
            **setup: seed, steps, settings, library, guards, starts, names, faults, contracts.

        Raises:
            UsageError: no such game, an agent that is none, a setting that makes no sense.
            EpisodeError: game, options, bus or scheduler failed.
            RuntimeError: an agent takes its time, and a loop runs already: `await episode.play(...)`.
        """
        stage = _Stage(game, agents, **setup)
        if stage.faults is None and all(isinstance(agent, Chooser) for agent in agents):
            return stage.rollout()
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(stage.episode())
        raise RuntimeError("a loop runs here already, so write: await episode.play(...)")

    async def play(self, game: str, agents: Sequence[Agent], **setup: Unpack[Setup]) -> Trace:
        """Play an episode in the loop that runs, and return its trace.

        Args:
            game: by name, e.g. `overcooked:cramped_room`.
            agents: who sits in each seat; one object may hold several.
            **setup: seed, steps, settings, library, guards, starts, names, faults, contracts.

        Raises:
            UsageError: no such game, an agent that is none, a setting that makes no sense.
            EpisodeError: game, options, bus or scheduler failed.
        """
        return await _Stage(game, agents, **setup).episode()


class _Stage:
    """One episode about to be played."""

    def __init__(
        self,
        name: str,
        agents: Sequence[Agent],
        *,
        seed: int = 0,
        steps: int | None = None,
        settings: Mapping[str, object] | None = None,
        library: str = "default",
        guards: Sequence[Guard] = (),
        starts: str = "standard",
        names: Sequence[str] | None = None,
        faults: str | FaultProfile | Sequence[str] | None = None,
        contracts: Sequence[Contract] | None = None,
    ) -> None:
        holders = _holders(agents, names)
        seats = [holder.name for holder in holders]
        game = registry.make(name, settings)
        options = registry.library(game, library)
        length = game.steps if steps is None else steps
        self.scheduler = Scheduler(game, options, seed=seed, holders=seats, steps=length, starts=starts, guards=guards)
        profile = read_profile(faults) if isinstance(faults, str) else faults
        told = (PATIENT,) * len(seats) if contracts is None and faults is not None else tuple(contracts or ())
        self.faults: Faults | None = None
        terms = Terms("lockstep", told, "idle" if told else "")
        if isinstance(profile, FaultProfile):
            self.faults = Drawn(profile, seed=seed, seats=len(seats), steps=length)
            terms = Terms("simulated", told, "idle", profile)
        elif profile is not None:
            self.faults = Listed(map(read_incident, profile))
            terms = Terms("simulated", told, "idle", None, tuple(profile))
        self.header = make_header(
            game, options, seed=seed, starts=starts, steps=length, seats=seats, guards=guards, terms=terms
        )
        self.seats = Seats(spoilt(holders, self.faults), Holder("idle", _Waiting()), told or None)

    def rollout(self) -> Trace:
        """Play without a loop."""
        events: list[Event] = []
        play([Rollout(self.scheduler, self.seats, events.extend)])
        return Trace(self.header, tuple(events))

    async def episode(self) -> Trace:
        """Play in the loop that runs."""
        pace = Lockstep() if self.faults is None else Simulated(self.faults)
        recording = await record(self.header, self.scheduler, self.seats, pace)
        if recording.error is not None:
            raise recording.error
        return recording.trace


class _Waiting:
    """Sits in for an agent that has failed."""

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        """Wait, in every seat."""
        return [Choice(offer.menu.keys.index("wait")) for offer in offers]


def _holders(agents: Sequence[Agent], names: Sequence[str] | None) -> list[Holder]:
    if names is not None and len(names) != len(agents):
        raise SettingError(setting="names", value=tuple(names), right=f"{len(agents)} names, one an agent")
    for agent in agents:
        if isinstance(agent, type) or not isinstance(agent, Chooser | Policy):
            problem = "is none: it needs `async def choose(self, offer)` or `def choose_many(self, offers)`"
            raise AgentError(agent=repr(agent), problem=problem)
    called = names if names is not None else [type(agent).__name__.lower() for agent in agents]
    return [Holder(name, agent) for name, agent in zip(called, agents, strict=True)]
