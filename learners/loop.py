"""Play, score, update, save, publish: round after round, until the run is over."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self

import msgspec

from hocket.agents.adapter import Adapter
from hocket.agents.interpreter import installed
from hocket.agents.models import open_local
from hocket.agents.named_base import find_base, parse_model
from hocket.agents.prompt import system_message
from hocket.agents.style import Style
from hocket.learners.asking import style_of
from hocket.learners.checkpoint import RunFolder
from hocket.learners.config import SEED_FLOOR, Config
from hocket.learners.evaluation import Evaluation, evaluate
from hocket.learners.metrics import Curves, Telling, line, tell
from hocket.learners.origin import Origin, game_digest
from hocket.learners.outcome import Outcome
from hocket.learners.recorded import RecordedTroupe
from hocket.learners.round import learn
from hocket.learners.served import ServedTroupe
from hocket.learners.stage import LocalTroupe, Scene, Stage, Troupe
from hocket.learners.state import BEGINNING, State
from hocket.learners.team import Team
from hocket.learners.trainees import Trainees
from hocket.replays.trace import installed_versions
from hocket.runtime.errors import HocketError, SettingError, TrainingError
from hocket.runtime.seed import Stream, Streams


class Training:
    """One run; `with` it, so that its folder is let go."""

    def __init__(
        self,
        preset: str,
        config: Config,
        folder: Path,
        *,
        resume: bool = False,
        traces: Path | None = None,
        url: str | None = None,
        threads: int = 1,
    ) -> None:
        """Load the base, build the game, and make or find the adapters.

        Args:
            preset: its name.
            config: of the run.
            folder: of the run; new, unless it is gone on with.
            resume: whether to go on with it.
            traces: a folder of recorded rollouts to learn from, in place of played ones.
            url: of a model server that plays the rollouts; None for this process.
            threads: of torch.

        Raises:
            UsageError: something in the configuration, or the folder, is not as it must be, or a package is missing.
        """
        self.config, self._preset = config, preset
        self._curves = Curves(folder / "tensorboard")
        self._began = time.perf_counter()
        if config.evaluation.first_seed + config.evaluation.episodes > SEED_FLOOR:
            right = f"below {SEED_FLOOR:,} with all episodes: training seeds begin there"
            raise SettingError(setting="evaluation.first_seed", value=config.evaluation.first_seed, right=right)
        if traces is not None and url is not None:
            raise SettingError(setting="--url", value=url, right="left out with --from: nothing is played")
        name, own = parse_model(config.model.base)
        if own:
            raise SettingError(setting="model.base", value=config.model.base, right="a model without an adapter")
        self._stage = Stage(config)
        self._base = find_base(name)
        self._style = style_of(config, self._base.style)
        self._trainees = Trainees(
            open_local(self._base, device=config.model.device, threads=threads),
            checkpointing=config.update.checkpointing,
        )
        self._trainees.prefixes.append(
            self._trainees.tokens.prefix(system_message(self._stage.game.words, self._style))
        )
        self._troupe = self._make_troupe(traces, url)
        self.folder = RunFolder(folder)
        self._new = not resume
        try:
            self._state = self._begin(resume=resume, recorded=traces is not None)
            self._team = Team(
                config, self._base, self._style, self._trainees, self.folder, self._stage.game.seats, self._state
            )
            if resume:
                self.folder.clear(self._state, [learner.name for learner in self._team.learners])
        except BaseException:
            self.folder.release(abandoned=not resume)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        refused = kind is not None and issubclass(kind, HocketError) and not issubclass(kind, TrainingError)
        unused = self._new and self._state is BEGINNING and not self.config.rollouts.record
        try:
            self._troupe.close()
        finally:
            self.folder.release(abandoned=refused and unused)

    def run(self, told: Callable[[Telling], object]) -> Outcome:
        """Train and evaluate.

        Args:
            told: called after every round.

        Raises:
            CohortError: too few rollouts could be learned from.
            TrainingError: a loss that is no number, or a disk that takes no more.
        """
        while self._team.learners and self._state.round < self.config.rounds:
            told(self._round())
        return self._finish()

    def _begin(self, *, resume: bool, recorded: bool) -> State:
        origin = Origin(
            preset=self._preset,
            config=self.config,
            base=self._base.digest,
            style=self._base.style,
            game=game_digest(self._stage.game.spec),
            library=self._stage.library,
            versions=installed_versions() | installed("torch", "transformers"),
            recorded=recorded,
        )
        if resume:
            return self.folder.resume(origin)
        self.folder.begin(origin)
        return BEGINNING

    def _make_troupe(self, traces: Path | None, url: str | None) -> Troupe:
        credit = self.config.update.credit
        if traces is not None:
            return RecordedTroupe(self._stage, self._trainees.tokens, self._style, credit, traces)
        if url is not None:
            return ServedTroupe(self._stage, self._base, self._style, credit, url)
        return LocalTroupe(self._stage, self._trainees, self._style, credit)

    def _round(self) -> Telling:
        number = self._state.round
        played_by = self._team.digests
        began, asked = time.perf_counter(), self._troupe.asked
        self._troupe.take(self._team.published)
        played = self._troupe.play(self._scenes(number), self._traces(number))
        played_at = time.perf_counter()
        learners, trainees = self._team.learners, self._trainees
        told = learn(played, learners, trainees.body, trainees.known_prefixes, self.config, number)
        learned_at = time.perf_counter()
        optimisers = self._team.publish(number + 1)
        seconds = {
            "model": self._troupe.asked - asked,
            "world": played_at - began - (self._troupe.asked - asked),
            "learn": learned_at - played_at,
            "save": time.perf_counter() - learned_at,
        }
        telling = tell(number, played, told, seconds, self.config.update.shaping)
        row = line(telling)
        state = self._state.after(telling.team_return, played_by, self._team.digests, optimisers, row)
        self.folder.save(state, optimisers, row, self.config.keep)
        self._state = state
        self._curves.add(telling)
        return telling

    def _finish(self) -> Outcome:
        best = self._state.best
        adapters = self._team.as_of(best.round, best.digests) if best else self._team.published
        found = self._evaluate(adapters)
        rows = self.folder.metrics()
        outcome = Outcome(
            preset=self._preset,
            final_return=found.sampled,
            best_return=self.config.game.best_return,
            rounds=self._state.round,
            seconds=round(time.perf_counter() - self._began, 1),
            best_round=best.round if best else None,
            greedy_return=found.greedy,
            solo_returns=found.solo,
            events=found.events,
            returns=found.returns,
            without_spread=sum(row.without_spread for row in rows) / max(len(rows), 1),
            adapters={str(seat): f"adapters/{each.name}" for seat, each in adapters.items() if each is not None},
        )
        self.folder.finish(msgspec.json.encode(outcome))
        return outcome

    def _evaluate(self, adapters: Mapping[int, Adapter | None]) -> Evaluation:
        settings = self.config.evaluation
        sampled = self._evaluated(self._style)
        greedy = self._evaluated(msgspec.structs.replace(self._style, temperature=0.0)) if settings.greedy else None
        return evaluate(settings, adapters, sampled, greedy)

    def _evaluated(self, style: Style) -> LocalTroupe:
        settings, stage = self.config.evaluation, self._stage
        credit = self.config.update.credit
        return LocalTroupe(stage, self._trainees, style, credit, steps=settings.steps or stage.game.steps)

    def _scenes(self, number: int) -> list[Scene]:
        """Return how the episodes of a round begin, cohort by cohort."""
        streams, size = Streams(self.config.channel("rollouts")), self.config.rollouts.cohort
        groups, starts = self.config.rollouts.groups, self.config.game.starts
        seeds = _seeds(streams.stream("episodes", 0), number, size * (groups or 1))
        if groups is None:
            return [Scene(seed, starts) for seed in seeds]
        shared = _seeds(streams.stream("starts", 0), number, groups)
        return [Scene(seed, f"{starts}:{shared[place // size]}") for place, seed in enumerate(seeds)]

    def _traces(self, number: int) -> Path | None:
        return self.folder.traces(number) if self.config.rollouts.record else None


def _seeds(stream: Stream, number: int, count: int) -> list[int]:
    """Return the seeds of a round, none of which evaluation plays."""
    return [SEED_FLOOR + int(stream.uniform(number * count + place) * 2**52) for place in range(count)]
