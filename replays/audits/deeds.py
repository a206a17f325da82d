"""Deeds: everything that the game reports of each seat, by kind: apples, deliveries, things put down."""

from collections.abc import Iterator

from hocket.replays.audits.finding import Finding, Row
from hocket.replays.audits.record import Record


class Deeds(Finding, frozen=True):
    """Game events of all traces."""

    episodes: int
    done: tuple[dict[str, float], ...]
    """How often each seat did what, shape [seats]."""

    def mean(self, seat: int, kind: str) -> float:
        """Return how often a seat did something in an episode, on average."""
        return self.done[seat].get(kind, 0) / self.episodes

    def rows(self) -> Iterator[Row]:
        """Yield a kind of event a row."""
        for kind in sorted({kind for counts in self.done for kind in counts}):
            means = tuple(self.mean(seat, kind) for seat in range(len(self.done)))
            yield Row(kind.replace("_", " "), "count", means, sum(means))


def deeds(record: Record) -> Deeds:
    """Count the game events of an episode."""
    done: list[dict[str, float]] = [{} for _ in range(record.seats)]
    for event in record.happened:
        if event.seat >= 0:
            done[event.seat][event.kind] = done[event.seat].get(event.kind, 0) + 1
    return Deeds(1, tuple(dict(sorted(counts.items())) for counts in done))
