"""Hand-offs: what one seat put down and another took up and used.

And who had a hand in what was delivered. A return does not tell whether two seats worked on one soup or each
on its own.

Source: Biswas et al. 2026, as the PA-MAGRPO paper cites them in section 2: teams can earn much in Overcooked
with hardly any interdependence. What counts as a hand-off is our own, as `custody.py` says.
"""

from collections.abc import Iterator

from hocket.replays.audits.finding import Absent, Finding, Row, ratio
from hocket.replays.audits.record import Record

_NOTHING_IS_CARRIED = ("cleanup", "harvest")


class HandOffs(Finding, frozen=True):
    """Counts over all traces."""

    episodes: int
    given: tuple[float, ...]
    """Things that each seat put down and another seat took up and used, shape [seats]."""
    received: tuple[float, ...]
    """Things that each seat used after another had put them down, shape [seats]."""
    deliveries: int
    shared: int
    """Deliveries of which two seats or more had a part in their hands."""

    @property
    def handoffs(self) -> int:
        """How many there were."""
        return int(sum(self.given))

    @property
    def interdependence(self) -> float | None:
        """Share of deliveries of which something went through two seats' hands; None without deliveries."""
        return ratio(self.shared, self.deliveries)

    def rows(self) -> Iterator[Row]:
        """Yield hand-offs, deliveries, and the share of them that is the work of several."""
        given, received = (tuple(each / self.episodes for each in them) for them in (self.given, self.received))
        yield Row("handed over", "count", given, sum(given))
        yield Row("received and used", "count", received, sum(received))
        yield Row("deliveries", "count", team=self.deliveries / self.episodes)
        yield Row("deliveries through two seats' hands", "share", team=self.interdependence)


def handoffs(record: Record) -> HandOffs | Absent:
    """Follow every thing of an episode from hand to hand."""
    custody = record.custody
    if record.header.game.kind in _NOTHING_IS_CARRIED:
        return Absent("nothing is carried in this game")
    given, received = [0.0] * record.seats, [0.0] * record.seats
    for giver, user in custody.handed:
        given[giver] += 1
        received[user] += 1
    shared = sum(len(thing.hands) > 1 for thing in custody.deliveries)
    return HandOffs(1, tuple(given), tuple(received), len(custody.deliveries), shared)
