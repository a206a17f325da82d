"""Rollouts out of traces, `FOLDER/v0/*.jsonl.zst` and so on, in place of played ones.

A round takes the traces of its own folder, in order of name. Whether the adapters that learn are those that played
them is for the receipts to say.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from hocket.agents.adapter import Adapter
from hocket.agents.style import Style
from hocket.agents.tokens import Tokens
from hocket.learners.cohort import Played
from hocket.learners.collector import Collector
from hocket.learners.decision import Credit
from hocket.learners.stage import Scene, Stage
from hocket.replays.trace import read_trace
from hocket.replays.trace_files import traces_within
from hocket.runtime.errors import CohortError


class RecordedTroupe:
    """Reads cohorts."""

    def __init__(self, stage: Stage, tokens: Tokens, style: Style, credit: Credit, folder: Path) -> None:
        self.tokens, self.asked = tokens, 0.0
        self._stage, self._style, self._folder = stage, style, folder
        self._credit: Credit = credit
        self._round = -1
        self._read: dict[str, Path] = {}
        """Traces so far, by digest."""

    def take(self, adapters: Mapping[int, Adapter | None]) -> None:
        """Go on to the next round; who plays is on record already."""
        names = [each.name for each in adapters.values() if each is not None]
        self._round = int(names[0].rpartition("@v")[2])

    def play(self, scenes: Sequence[Scene], folder: Path | None) -> list[Played]:
        """Read one round.

        Raises:
            CohortError: there is none for this round, or one is of another game, or was read before.
            TraceError: a file that is no whole trace.
        """
        place = self._folder / f"v{self._round}"
        paths = traces_within(place, deep=False)
        if not paths:
            raise CohortError(problem=f"{place} holds no traces")
        return [self._played(path) for path in paths]

    def close(self) -> None:
        """Nothing was borrowed."""

    def _played(self, path: Path) -> Played:
        trace = read_trace(path)
        if (first := self._read.setdefault(trace.digest, path)) != path:
            raise CohortError(problem=f"{path} is the same trace as {first}")
        if trace.header.game != self._stage.game.spec:
            raise CohortError(problem=f"{path} is of {trace.header.game.name}, or of other settings of it")
        if trace.header.library.name != self._stage.library:
            raise CohortError(problem=f"{path} was played with library {trace.header.library.name}")
        for name, mark in trace.header.agents.items():
            asked = {key: mark.style.get(key) for key in ("profile", "scorer")}
            if asked != {"profile": self._style.profile, "scorer": self._style.scorer}:
                how = f"profile {asked['profile']} and scorer {asked['scorer']}"
                raise CohortError(problem=f"{name} was asked with {how} in {path}, which is not how this run asks")
        collector = Collector(trace.header, self.tokens, self._stage.game.words, self._credit)
        collector.hear(trace.events)
        played = collector.played()
        if trace.torn:
            why = f"{path} is torn: it breaks off within line {len(trace.events) + 2}"
            return msgspec.structs.replace(played, problem=why)
        return msgspec.structs.replace(played, problem=f"{path}: {played.problem}") if played.problem else played
