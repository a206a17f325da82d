"""Work: how much each seat did, and what of that came to something.

A deed is a game event of a seat. It is useful if it went into something that was delivered: the
onion that was fetched, the pot that was lit, the soup that was carried. To eat and to clean are
useful in themselves; to put a thing down and take it up again oneself is not.
"""

from collections.abc import Iterator

from hocket.replays.audits.finding import Finding, Row, gini, ratio
from hocket.replays.audits.record import Record

USEFUL = ("ate", "cleaned")


class Work(Finding, frozen=True):
    """Counts over all traces, shape [seats] each."""

    episodes: int
    deeds: tuple[float, ...]
    useful: tuple[float, ...]

    def share(self, seat: int) -> float | None:
        """Return the part of all useful deeds that one seat did; None where there were none."""
        return ratio(self.useful[seat], sum(self.useful))

    @property
    def inequality(self) -> float | None:
        """Gini coefficient of useful deeds: 0 where all seats do as much, (seats - 1) / seats where one does it all."""
        return gini(self.useful)

    def rows(self) -> Iterator[Row]:
        """Yield shares, the inequality of work, and deeds."""
        yield Row("share of useful work", "share", tuple(map(self.share, range(len(self.useful)))))
        yield Row("inequality of useful work (Gini)", "number", team=self.inequality)
        yield Row("useful deeds", "count", tuple(each / self.episodes for each in self.useful))
        yield Row("deeds", "count", tuple(each / self.episodes for each in self.deeds))


def work(record: Record) -> Work:
    """Count what each seat did."""
    deeds, useful = [0.0] * record.seats, [0.0] * record.seats
    for event in record.happened:
        if event.seat >= 0:
            deeds[event.seat] += 1
            useful[event.seat] += event.kind in USEFUL
    for thing in record.custody.deliveries:
        for seat in thing.deeds:
            useful[seat] += 1
    return Work(1, tuple(deeds), tuple(useful))
