"""The adapters of a run: begun, let play, saved under their next names, and found again."""

import shutil
from collections.abc import Mapping

import msgspec

from hocket.agents.adapter import Adapter, read_adapter
from hocket.agents.canary import write_canary
from hocket.agents.fresh import fresh_adapter
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.seal import seal
from hocket.agents.style import FILE, Style
from hocket.learners.adapter import Learning
from hocket.learners.checkpoint import ADAPTERS, RunFolder, told
from hocket.learners.config import Config
from hocket.learners.round import Learner
from hocket.learners.state import State
from hocket.learners.trainees import Trainees
from hocket.runtime.seed import Streams
from hocket.runtime.whole_file import write_whole


class Team:
    """Who learns, and which seats each of them plays."""

    def __init__(
        self,
        config: Config,
        base: FrozenBase,
        style: Style,
        trainees: Trainees,
        folder: RunFolder,
        seats: int,
        state: State,
    ) -> None:
        """Make the adapters, or read them as they were at the beginning of a round.

        Args:
            config: of the run.
            base: that they are for.
            style: in which they are asked; saved beside them.
            trainees: computes them.
            folder: of the run.
            seats: of the game.
            state: where the run stands.

        Raises:
            AdapterError: one cannot be made or read.
            PresetError: one is not what the run saved, or its optimiser's state is not, or the best.
            TrainingError: the disk would not have it.
        """
        self._config, self._base, self._style = config, base, style
        self._trainees, self._folder, self._seats = trainees, folder, seats
        self.learners = [self._learner(name, its, place, state) for place, (name, its) in enumerate(self._names())]
        if state.best is not None:
            self._saved(state.best.round, state.best.digests)
        for learner in self.learners if state.round == 0 else ():
            self._seal(learner)
        self.enter()

    @property
    def published(self) -> dict[int, Adapter | None]:
        """The adapter that each seat plays with; none, where nobody learns."""
        if not self.learners:
            return dict.fromkeys(range(self._seats))
        return {seat: learner.adapter.published for learner in self.learners for seat in learner.seats}

    @property
    def digests(self) -> dict[str, str]:
        """Digest of each adapter, by name."""
        return {learner.name: learner.adapter.published.digest for learner in self.learners}

    def enter(self) -> None:
        """Let the adapters that learn play, and nobody else."""
        self._trainees.enter([learner.adapter for learner in self.learners])

    def publish(self, number: int) -> dict[str, bytes]:
        """Save every adapter under its next name, with canary and style; return the states of the optimisers.

        Raises:
            AdapterError: one cannot be written; nothing that was there has changed.
        """
        for learner in self.learners:
            folder = self._folder.adapter(learner.name, number)
            learner.adapter.write(folder)
            learner.adapter.published = read_adapter(folder, self._base, sealed=False)
            self._seal(learner)
        self.enter()
        return {learner.name: learner.adapter.optimiser_state() for learner in self.learners}

    def as_of(self, number: int, digests: Mapping[str, str]) -> Mapping[int, Adapter | None]:
        """Let the adapters of a round play, as they are on disk; return them by seat.

        Raises:
            AdapterError: one cannot be read.
            PresetError: one is not what the run saved.
        """
        found = self._saved(number, digests)
        self._trainees.enter([self._learning(each) for each in found.values()])
        return {seat: found[learner.name] for learner in self.learners for seat in learner.seats}

    def _seal(self, learner: Learner) -> None:
        """Measure what a published adapter is known by, and save it beside the weights, with the style."""
        published = learner.adapter.published
        self._trainees.enter([learner.adapter])
        with told(published.folder):
            canary = seal(self._trainees, published)
            write_canary(published.folder, canary)
            write_whole(published.folder / FILE, msgspec.json.format(msgspec.json.encode(self._style)))
        learner.adapter.published = msgspec.structs.replace(published, canary=canary)

    def _names(self) -> list[tuple[str, tuple[int, ...]]]:
        capacity, seats = self._config.cell.capacity, tuple(range(self._seats))
        if capacity == "frozen":
            return []
        return [("team", seats)] if capacity == "shared" else [(f"seat{seat}", (seat,)) for seat in seats]

    def _learner(self, name: str, seats: tuple[int, ...], place: int, state: State) -> Learner:
        config, number = self._config, state.round
        if number == 0:
            self._begin(name, place)
        saved = read_adapter(self._folder.adapter(name, number), self._base, sealed=False)
        if number:
            self._check(saved, state.digests.get(name))
            saved = read_adapter(self._folder.adapter(name, number), self._base)
        adapter = self._learning(saved)
        if number:
            adapter.restore(self._folder.optimiser_state(name, state))
        initial = None
        if config.update.kl and config.update.reference == "initial":
            first = read_adapter(self._folder.adapter(name, 0), self._base, sealed=False)
            if number:
                self._check(first, state.initial.get(name))
            initial = self._learning(first)
        return Learner(name, seats, adapter, initial)

    def _begin(self, name: str, place: int) -> None:
        """Make an adapter as it begins; one of a round that was cut off was never written down, so it is made again."""
        folder, lora = self._folder.adapter(name, 0), self._config.lora
        seed = int(Streams(self._config.channel("initialisation")).stream("adapter", place).uniform(0) * 2**53)
        with told(folder):
            if folder.exists():
                shutil.rmtree(folder)
        fresh_adapter(
            folder, self._base, rank=lora.rank, alpha=lora.alpha, seed=seed, targets=lora.targets, blocks=lora.blocks
        )

    def _saved(self, number: int, digests: Mapping[str, str]) -> dict[str, Adapter]:
        """Return the adapters of a round by name, as they are on disk."""
        found = {name: read_adapter(self._folder.adapter(name, number), self._base) for name, _ in self._names()}
        for name, adapter in found.items():
            self._check(adapter, digests.get(name))
        return found

    def _check(self, adapter: Adapter, saved: str | None) -> None:
        self._folder.check(f"{ADAPTERS}/{adapter.name}", adapter.digest, saved)

    def _learning(self, adapter: Adapter) -> Learning:
        return Learning(adapter, self._trainees.body.device, self._config.optimiser)
