"""Rollouts on a model server, whose adapters are switched between rounds.

All K episodes run in one event loop, so that what is due in any of them at one time is one request. The learner is a
subscriber of each bus; receipts and canaries tell it who answered.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import anyio

from hocket.agents.adapter import Adapter
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.idle import Idle
from hocket.agents.served import ServedModel
from hocket.agents.sglang.client import SglangClient
from hocket.agents.sglang.wire import checked_url
from hocket.agents.style import Style
from hocket.agents.tokens import load_tokens
from hocket.learners.cohort import Played
from hocket.learners.collector import Collector
from hocket.learners.decision import Credit
from hocket.learners.stage import Scene, Stage, holder_name, trace_path
from hocket.replays.recorder import RECORDED, Recorder
from hocket.replays.timing import Timing
from hocket.replays.trace import AgentMark
from hocket.replays.writer import TraceWriter
from hocket.runtime.actor import Actor, Group
from hocket.runtime.bus import Bus
from hocket.runtime.clock import Clock
from hocket.runtime.episode import Episode
from hocket.runtime.events import Event
from hocket.runtime.pace import Lockstep
from hocket.runtime.policy import Agent
from hocket.runtime.seats import Holder, Seats


class ServedTroupe:
    """Plays with models on a server."""

    def __init__(
        self, stage: Stage, base: FrozenBase, style: Style, credit: Credit, url: str, patience: float = 30.0
    ) -> None:
        """Seat nobody yet.

        Args:
            stage: what is played.
            base: that the server was started with.
            style: of prompts and answers.
            credit: which tokens of a written reply are credited.
            url: of the server.
            patience: seconds that a server which does not answer is waited for.

        Raises:
            SettingError: an address that is none.
        """
        self.tokens = load_tokens(base)
        self._stage = stage
        self._credit: Credit = credit
        connect = partial(SglangClient, checked_url(url), patience=patience)
        self._model = ServedModel(base, stage.game.words, style, connect, self._took)
        self.asked = 0.0
        self._adapters: dict[int, Adapter | None] = {}
        self._seated: dict[int, Adapter | None] = {}

    def take(self, adapters: Mapping[int, Adapter | None]) -> None:
        """Let seats answer with adapters from the next cohort on."""
        self._adapters = dict(adapters)

    def play(self, scenes: Sequence[Scene], folder: Path | None) -> list[Played]:
        """Play one rollout a scene, all of them at the same time.

        Raises:
            ServerError: the server does not answer, or is not fit for this team.
            AdapterMismatchError: it answers as somebody else.
        """
        return anyio.run(self._play, scenes, folder)

    def close(self) -> None:
        """Let the adapters go: another run on this server has its own under the same names."""
        anyio.run(self._model.leave)

    def _took(self, timing: Timing) -> None:
        self.asked += timing.seconds

    async def _play(self, scenes: Sequence[Scene], folder: Path | None) -> list[Played]:
        try:
            await self._switch()
            names = [
                holder_name(self._adapters[seat]) if seat in self._adapters else "idle"
                for seat in range(self._stage.game.seats)
            ]
            marks = {holder_name(adapter): self._model.mark(seat) for seat, adapter in self._adapters.items()}
            found: list[Played | None] = [None] * len(scenes)

            async def one(place: int) -> None:
                found[place] = await self._episode(place, scenes[place], names, marks, folder)

            async with Group() as group:
                for place in range(len(scenes)):
                    group.run(one, place)
            return [each for each in found if each is not None]
        finally:
            await self._model.close()

    async def _switch(self) -> None:
        """Bring the adapters of this cohort, and let those before go."""
        for seat, adapter in self._adapters.items():
            if seat not in self._seated or adapter is None:
                self._model.seat(seat, adapter)
            elif adapter != self._seated[seat]:
                await self._model.switch(seat, adapter)
            self._seated[seat] = adapter
        await self._model.prepare()

    async def _episode(
        self, place: int, scene: Scene, names: Sequence[str], marks: Mapping[str, AgentMark], folder: Path | None
    ) -> Played:
        scheduler, header = self._stage.episode(scene, names, marks)
        idle = Idle()
        agents: list[Agent] = [self._model if seat in self._adapters else idle for seat in range(len(names))]
        seats = Seats([Holder(*pair) for pair in zip(names, agents, strict=True)], Holder("idle", idle))
        collector = Collector(header, self.tokens, self._stage.game.words, self._credit)

        async def hear(event: Event) -> None:
            collector.hear((event,))

        clock = Clock()
        bus = Bus(clock)
        episode = Episode(scheduler, seats, bus, Lockstep(None), clock=clock)
        writer = None if folder is None else TraceWriter(trace_path(folder, place, scene.seed), header)
        try:
            async with Group() as group:
                group.start(Actor(bus.subscribe(RECORDED, name="learner", capacity=64, overflow="wait"), hear))
                if writer is not None:
                    group.start(Recorder(bus, writer).actor)
                try:
                    await episode.run()
                finally:
                    with anyio.CancelScope(shield=True):
                        await bus.stop()
        finally:
            if writer is not None:
                writer.close()
        return collector.played()
