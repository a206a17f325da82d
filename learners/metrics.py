"""What a round is told by: a line of JSON, and curves for TensorBoard."""

import io
import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from hocket.learners.checkpoint import told
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
    unheard: tuple[str, ...]
    """What `update.shaping` gives points for and no rollout had: perhaps misspelt."""
    seconds: dict[str, float]
    """Of wall time: in rollouts for models' answers and for all else, in learning, in saving."""


def tell(
    number: int, played: Sequence[Played], learned: Round, seconds: Mapping[str, float], shaping: Iterable[str]
) -> Telling:
    """Sum a round up."""
    seats = sorted({decision.seat for rollout in played for decision in rollout.decisions})
    heard = {each for rollout in played for _, kind, what in rollout.happened for each in (kind, f"{kind}:{what}")}
    return Telling(
        round=number,
        team_return=sum(learned.returns) / len(learned.returns),
        returns=learned.returns,
        events=event_means(played),
        without_spread=learned.without_spread,
        refused=learned.refused,
        difference=learned.difference,
        decisions=sum(len(each.decisions) for each in played),
        shares={
            str(seat): share([each for rollout in played for each in rollout.decisions if each.seat == seat])
            for seat in seats
        },
        updated={name: msgspec.to_builtins(each) for name, each in learned.updated.items()},
        unheard=tuple(each for each in shaping if each not in heard),
        seconds={name: round(each, 3) for name, each in seconds.items()},
    )


def line(telling: Telling) -> bytes:
    """Return a round as a line of JSON."""
    return json.dumps(msgspec.to_builtins(telling), sort_keys=True).encode()


class Curves:
    """Scalars for TensorBoard, a file for each time that a run is begun or gone on with.

    A round is written when it is over, in one piece and here: TensorBoard's own writers leave that
    to a thread, in which a full disk is an error that nobody can catch.
    """

    def __init__(self, folder: Path) -> None:
        """Find out that they can be written; nothing is, before there is something.

        Raises:
            MissingExtraError: tensorboard is not installed.
        """
        try:
            self._events: Any = import_module("tensorboard.compat.proto.event_pb2")
            self._summaries: Any = import_module("tensorboard.compat.proto.summary_pb2")
            self._records: Any = import_module("tensorboard.summary.writer.record_writer")
        except ImportError as error:
            raise MissingExtraError(extra="learn", needed_for="curves for TensorBoard") from error
        self._folder = folder
        self._path: Path | None = None

    def add(self, telling: Telling) -> None:
        """Add a round.

        Raises:
            TrainingError: the disk would not take it.
        """
        events = [] if self._path else [self._events.Event(wall_time=time.time(), file_version="brain.Event:2")]
        self._path = self._path or self._folder / f"events.out.tfevents.{telling.round:010}"
        values = [self._summaries.Summary.Value(tag=tag, simple_value=value) for tag, value in _scalars(telling)]
        summary = self._summaries.Summary(value=values)
        events.append(self._events.Event(wall_time=time.time(), step=telling.round, summary=summary))
        records = io.BytesIO()
        writer = self._records.RecordWriter(records)
        for event in events:
            writer.write(event.SerializeToString())
        with told(self._path):
            self._folder.mkdir(exist_ok=True)
            with self._path.open("ab") as file:
                file.write(records.getvalue())


def _scalars(telling: Telling) -> Iterator[tuple[str, float]]:
    yield "return", telling.team_return
    yield "receipts/difference", telling.difference
    for name, updated in telling.updated.items():
        for part in ("loss", "kl", "clipped", "entropy", "gradient"):
            yield f"{part}/{name}", updated[part]
    for seat, shares in telling.shares.items():
        for option, value in shares.items():
            yield f"options of seat {seat}/{option}", value
    for name, value in telling.seconds.items():
        yield f"seconds/{name}", value
