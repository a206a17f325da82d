"""Idleness: ticks in which a seat does nothing, and decisions by which it wanted that."""

from collections.abc import Iterator

from hocket.replays.audits.finding import Absent, Finding, Row, ratio
from hocket.replays.audits.record import Record

WAIT = "wait"


class Idleness(Finding, frozen=True):
    """Counts over all traces."""

    ticks: int
    still: tuple[float, ...]
    """Ticks in which each seat did the action that does nothing, shape [seats]."""
    decisions: tuple[float, ...]
    waits: tuple[float, ...]
    """How often each seat chose to wait, shape [seats]."""

    def share(self, seat: int) -> float | None:
        """Return the part of its ticks in which a seat did nothing."""
        return ratio(self.still[seat], self.ticks)

    def rows(self) -> Iterator[Row]:
        """Yield the share of idle ticks, and of choices to wait."""
        seats = range(len(self.still))
        yield Row("ticks of doing nothing", "share", tuple(map(self.share, seats)))
        yield Row("choices to wait", "share", tuple(map(ratio, self.waits, self.decisions)))


def idleness(record: Record) -> Idleness | Absent:
    """Count the idle ticks of an episode."""
    game = record.game
    if isinstance(game, Absent):
        return game
    decisions, waits = [0.0] * record.seats, [0.0] * record.seats
    for choice in record.choices:
        decisions[choice.seat] += 1
        waits[choice.seat] += choice.option == WAIT
    still = tuple(float(sum(step.joint[seat] == game.noop for step in record.steps)) for seat in range(record.seats))
    return Idleness(record.ticks, still, tuple(decisions), tuple(waits))
