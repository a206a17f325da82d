"""Where a run stands, with a digest of every file that it goes on from."""

from collections.abc import Mapping, Sequence
from functools import reduce
from hashlib import blake2b
from typing import Annotated

import msgspec
from msgspec import Meta

from hocket.replays.line import chain


class Best(msgspec.Struct, frozen=True):
    """The adapters with the highest team return while training."""

    round: int
    team_return: float
    """Mean over the rollouts of the round that they played, in game points."""
    digests: dict[str, str]
    """By name."""


class State(msgspec.Struct, frozen=True):
    """Where a run stands."""

    round: Annotated[int, Meta(ge=0)]
    """That comes next."""
    best: Best | None
    initial: dict[str, str]
    """Digests of the adapters that played the first round, by name."""
    digests: dict[str, str]
    """Of the adapters that play the next, by name."""
    optimisers: dict[str, str]
    """Of the states of their optimisers, by name."""
    metrics: str
    """Hash of the lines of metrics, each chained to those before it."""

    def after(
        self,
        team_return: float,
        played_by: Mapping[str, str],
        digests: Mapping[str, str],
        optimisers: Mapping[str, bytes],
        row: bytes,
    ) -> "State":
        """Return where the run stands after its next round.

        Args:
            team_return: of the round.
            played_by: digests of the adapters that played it, by name.
            digests: of those that come next.
            optimisers: states of theirs.
            row: the round's line of metrics.
        """
        best = self.best
        if best is None or team_return >= best.team_return:
            best = Best(self.round, team_return, dict(played_by))
        return State(
            round=self.round + 1,
            best=best,
            initial=self.initial or dict(played_by),
            digests=dict(digests),
            optimisers={name: digest(content) for name, content in optimisers.items()},
            metrics=chained([row], self.metrics),
        )


BEGINNING = State(0, None, {}, {}, {}, "")


def digest(content: bytes) -> str:
    """Return the digest of a file, as 16 hexadecimal digits."""
    return blake2b(content, digest_size=8).hexdigest()


def chained(lines: Sequence[bytes], before: str = "") -> str:
    """Return the hash of lines behind others; they come without their newlines."""
    return reduce(chain, lines, before.encode()).decode()
