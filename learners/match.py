"""A team by names on some seeds, as data.

So it travels to another process, and is known again in a folder of results.
"""

from pathlib import Path
from typing import Any

import msgspec

from hocket.replays.trace import LibraryMark
from hocket.runtime.game import GameSpec
from hocket.runtime.guard import Guard


class Terms(msgspec.Struct, frozen=True):
    """What all episodes of a comparison have in common."""

    game: GameSpec
    library: LibraryMark
    guards: tuple[Guard, ...]
    steps: int
    starts: str = "standard"
    style: dict[str, Any] = {}
    """What each language model's own style is changed in."""


class Match(msgspec.Struct, frozen=True):
    """One team, on some seeds."""

    terms: Terms
    agents: tuple[str, ...]
    """As on the command line, shape [seats]."""
    seeds: tuple[int, ...]


class Piece(msgspec.Struct, frozen=True):
    """Episodes that one process plays at once."""

    match: Match
    folder: str = ""
    """For their traces; empty where none are kept."""
    scores: str = ""
    """Folder in which their scores are kept as soon as they are over; empty where they are not."""

    def traces(self) -> list[Path]:
        """Return where they are recorded, an episode each."""
        return [trace_of(Path(self.folder), seed) for seed in self.match.seeds] if self.folder else []


class Score(msgspec.Struct, frozen=True):
    """What came of a match."""

    returns: tuple[tuple[float, ...], ...]
    """Of each seat, in game points, shape [episodes, seats]."""
    names: tuple[str, ...]
    """Under which the agents played, shape [seats]; an adapter's is part of it."""
    failures: tuple[int, ...]
    """Times that an agent failed, and its seat went to nobody, shape [episodes]."""

    @property
    def failed(self) -> int:
        """Times that an agent failed, in all episodes."""
        return sum(self.failures)

    def episodes(self) -> "list[Score]":
        """Return a score for each episode."""
        return [
            Score((returns,), self.names, (failures,))
            for returns, failures in zip(self.returns, self.failures, strict=True)
        ]

    @property
    def team(self) -> list[float]:
        """Team returns, shape [episodes]."""
        return [sum(each) for each in self.returns]


def trace_of(folder: Path, seed: int) -> Path:
    """Return where the episode of a seed is recorded."""
    return folder / f"{seed}.jsonl.zst"
