"""The game of a run, and rollouts of it in this process.

K rollouts advance together, so that what is due in any of them on one tick is one
batch. Every episode has a game of its own, and a trace where one is wanted.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

import msgspec

from hocket.agents.adapter import Adapter
from hocket.agents.idle import Idle
from hocket.agents.llm import Backend, LocalModel
from hocket.agents.style import Style
from hocket.agents.tokens import Tokens
from hocket.games import registry
from hocket.games.primitives import NAME as PRIMITIVES
from hocket.learners.cohort import Played
from hocket.learners.collector import Collector
from hocket.learners.config import Config
from hocket.learners.decision import Credit
from hocket.learners.own_guards import own_guards
from hocket.replays.timing import Timing
from hocket.replays.trace import AgentMark, Header, make_header
from hocket.replays.writer import TraceWriter
from hocket.runtime.events import Event
from hocket.runtime.game import Game
from hocket.runtime.guard import Guard
from hocket.runtime.option import Library
from hocket.runtime.policy import Agent
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats
from hocket.runtime.seed import Streams

_TRACE = re.compile(r"\d+-(?P<seed>\d+)\.jsonl(\.zst)?")
"""What `trace_path` names a trace."""


class Scene(msgspec.Struct, frozen=True):
    """How one episode begins."""

    seed: int
    starts: str


class Stage:
    """What is played."""

    def __init__(self, config: Config) -> None:
        """Build the game, pick its option library and look up its guards.

        Raises:
            UnknownNameError: no such game or library.
            SettingError: a setting that the game does not take.
            MissingExtraError: the game is not installed.
        """
        self.game: Game[Any] = registry.make(config.game.name, config.game.settings)
        self.steps = config.rollouts.steps or self.game.steps
        names = config.game.libraries
        picked = Streams(config.channel("library")).stream("library", 0).uniform(0)
        self._library = PRIMITIVES if config.cell.interface == "native" else names[int(picked * len(names))]
        options = registry.library(self.game, self._library)
        self.guards: tuple[Guard, ...] = ()
        if config.cell.interface == "menu":
            self.guards = own_guards(self.game, options).guards

    @property
    def library(self) -> str:
        """Name of the option library."""
        return self._library

    def episode(
        self,
        scene: Scene,
        holders: Sequence[str],
        marks: Mapping[str, AgentMark],
        *,
        steps: int | None = None,
    ) -> tuple[Scheduler[Any], Header]:
        """Set the scene of one episode, as long as one of training where `steps` is left out."""
        steps, seed, starts = steps or self.steps, scene.seed, scene.starts
        game: Game[Any] = registry.rebuild(self.game.spec)
        options: Library[Any] = registry.library(game, self._library)
        scheduler = Scheduler(game, options, seed=seed, holders=holders, steps=steps, starts=starts, guards=self.guards)
        header = make_header(
            game,
            options,
            seed=seed,
            starts=starts,
            steps=steps,
            seats=holders,
            guards=self.guards,
            agents={name: mark for name, mark in marks.items() if name in holders},
        )
        return scheduler, header


class Troupe(Protocol):
    """Plays cohorts with the adapters of the moment."""

    tokens: Tokens
    asked: float
    """Seconds that models took to answer, so far."""

    def take(self, adapters: Mapping[int, Adapter | None]) -> None:
        """Let seats answer with adapters from now on."""
        ...

    def play(self, scenes: Sequence[Scene], folder: Path | None) -> list[Played]:
        """Play one rollout a scene.

        Args:
            scenes: of the episodes.
            folder: for their traces; None for none.
        """
        ...

    def close(self) -> None:
        """Give back what was borrowed to play."""
        ...


class LocalTroupe:
    """Plays with models in this process."""

    def __init__(
        self,
        stage: Stage,
        backend: Backend,
        style: Style,
        credit: Credit,
        *,
        steps: int | None = None,
    ) -> None:
        """Seat nobody yet.

        Args:
            stage: what is played.
            backend: computes the models.
            style: of prompts and answers.
            credit: which tokens of a written reply are credited.
            steps: length of an episode; that of training where left out.
        """
        self.tokens = backend.tokens
        self._stage, self._steps = stage, steps
        self._credit: Credit = credit
        self._model = LocalModel(backend, stage.game.words, style, self._took)
        self.asked = 0.0
        self._names: dict[int, str] = {}
        self._marks: dict[str, AgentMark] = {}

    def take(self, adapters: Mapping[int, Adapter | None]) -> None:
        """Let seats answer with adapters from now on; a seat that is not named is idle."""
        self._names = {}
        self._marks = {}
        for seat, adapter in adapters.items():
            self._model.seat(seat, adapter)
            name = self._names[seat] = holder_name(adapter)
            self._marks[name] = self._model.mark(seat)

    def play(self, scenes: Sequence[Scene], folder: Path | None) -> list[Played]:
        """Play one rollout a scene, all of them together.

        Raises:
            HocketError: the game, or the disk, failed.
        """
        seats = range(self._stage.game.seats)
        names = [self._names.get(seat, "idle") for seat in seats]
        idle = Idle()
        agents: list[Agent] = [self._model if seat in self._names else idle for seat in seats]
        rollouts, collectors = [], []
        with ExitStack() as opened:
            for place, scene in enumerate(scenes):
                scheduler, header = self._stage.episode(scene, names, self._marks, steps=self._steps)
                collector = Collector(header, self.tokens, self._stage.game.words, self._credit)
                writer = None if folder is None else TraceWriter(trace_path(folder, place, scene.seed), header)
                if writer is not None:
                    opened.callback(writer.close)
                holders = [Holder(name, agent) for name, agent in zip(names, agents, strict=True)]
                rollouts.append(Rollout(scheduler, Seats(holders, Holder("idle", idle)), _Sink(collector, writer)))
                collectors.append(collector)
            play(rollouts)
        return [collector.played() for collector in collectors]

    def close(self) -> None:
        """Nothing was borrowed."""

    def _took(self, timing: Timing) -> None:
        self.asked += timing.seconds


def trace_path(folder: Path, place: int, seed: int) -> Path:
    """Return where the trace of a rollout goes; in order of name they are in order of the cohort."""
    return folder / f"{place:04}-{seed}.jsonl.zst"


def seed_of(path: Path) -> int | None:
    """Return the seed of a rollout by the name of its trace, packed or not; None where it has no such name."""
    found = _TRACE.fullmatch(path.name)
    return None if found is None else int(found["seed"])


def holder_name(adapter: Adapter | None) -> str:
    """Return what a trace calls who plays with an adapter."""
    return "llm" if adapter is None else f"llm#{adapter.name}"


class _Sink:
    """Hands events to a collector, and to a trace where there is one."""

    def __init__(self, collector: Collector, writer: TraceWriter | None) -> None:
        self._collector, self._writer = collector, writer

    def __call__(self, events: Sequence[Event]) -> None:
        self._collector.hear(events)
        if self._writer is not None:
            for event in events:
                self._writer.write(event)
