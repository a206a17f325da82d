"""What a round is told by: a line of JSON, and curves for TensorBoard."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from hocket.learners.cohort import Played, event_means
from hocket.learners.decision import share
from hocket.learners.round import Round
from hocket.runtime.errors import MissingExtraError


class Telling(msgspec.Struct, frozen=True):
    """One round in numbers. What depends on the machine stands in `seconds` alone."""

    round: int
    team_return: float
    """Mean over the round's rollouts, in game points."""
    returns: tuple[float, ...]
    events: dict[str, float]
    """Game events of a rollout, by kind, on average; of all that were played."""
    without_spread: float
    """Share of cohorts in which no rollout did better than another."""
    refused: tuple[str, ...]
    difference: float
    """Largest between receipts and the learner's own log-probabilities, in nats."""
    decisions: int
    shares: dict[str, dict[str, float]]
    """Of each seat: how often each kind of option was chosen."""
    updated: dict[str, Any]
    """Of each adapter: loss, kl, clipped, entropy, gradient."""
    seconds: dict[str, float]
    """Of wall time: in rollouts for models' answers and for all else, in learning, in saving."""


def tell(number: int, played: Sequence[Played], told: Round, seconds: Mapping[str, float]) -> Telling:
    """Sum a round up."""
    seats = sorted({decision.seat for rollout in played for decision in rollout.decisions})
    return Telling(
        round=number,
        team_return=sum(told.returns) / len(told.returns),
        returns=told.returns,
        events=event_means(played),
        without_spread=told.without_spread,
        refused=told.refused,
        difference=told.difference,
        decisions=sum(len(each.decisions) for each in played),
        shares={
            str(seat): share([each for rollout in played for each in rollout.decisions if each.seat == seat])
            for seat in seats
        },
        updated={name: msgspec.to_builtins(each) for name, each in told.updated.items()},
        seconds={name: round(each, 3) for name, each in seconds.items()},
    )


def line(telling: Telling) -> bytes:
    """Return a round as a line of JSON."""
    return json.dumps(msgspec.to_builtins(telling), sort_keys=True).encode()


class Curves:
    """Scalars for TensorBoard."""

    def __init__(self, folder: Path, first: int) -> None:
        """Open a file of curves; what an earlier one holds from round `first` on is not shown any more.

        Raises:
            MissingExtraError: tensorboard is not installed.
        """
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise MissingExtraError(extra="learn", needed_for="curves for TensorBoard") from error
        self._writer: Any = SummaryWriter(str(folder), purge_step=first)

    def add(self, telling: Telling) -> None:
        """Add a round."""
        put = self._writer.add_scalar
        put("return", telling.team_return, telling.round)
        put("receipts/difference", telling.difference, telling.round)
        for name, updated in telling.updated.items():
            for part in ("loss", "kl", "clipped", "entropy", "gradient"):
                put(f"{part}/{name}", updated[part], telling.round)
        for seat, shares in telling.shares.items():
            for option, value in shares.items():
                put(f"options of seat {seat}/{option}", value, telling.round)
        for name, value in telling.seconds.items():
            put(f"seconds/{name}", value, telling.round)
        self._writer.flush()

    def close(self) -> None:
        """Close the file."""
        self._writer.close()
