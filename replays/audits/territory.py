"""Territory: where each seat spends its time, and what it shares of that.

Source: the PA-MAGRPO paper, figure 3 (visit heat maps). The overlap of two seats is the intersection of their
maps as shares (Swain & Ballard, "Color indexing", IJCV 7, 1991): 1 where they are the same, 0 where they never meet.
Maps of few episodes have holes, so overlap grows with their number: compare teams over as many.
"""

from collections.abc import Iterator

from hocket.replays.audits.finding import Absent, Finding, Row, ratio
from hocket.replays.audits.record import Record
from hocket.runtime.events import Cell
from hocket.runtime.game import Placed


class Territory(Finding, frozen=True):
    """Visits over all traces."""

    same = ("size",)
    size: Cell
    """Width and height of the map, in cells."""
    visits: tuple[tuple[float, ...], ...]
    """Ticks that each seat began on each cell, shape [seats, height * width]."""

    def overlap(self, one: int, other: int) -> float | None:
        """Return how much two seats have in common; None where one was never on the map."""
        mine, theirs = self.visits[one], self.visits[other]
        all_mine, all_theirs = sum(mine), sum(theirs)
        if not (all_mine and all_theirs):
            return None
        return sum(min(a / all_mine, b / all_theirs) for a, b in zip(mine, theirs, strict=True))

    @property
    def mean_overlap(self) -> float | None:
        """Mean over all pairs of seats; None where there is but one."""
        seats = range(len(self.visits))
        found = [self.overlap(one, other) for one in seats for other in seats if one < other]
        known = [each for each in found if each is not None]
        return ratio(sum(known), len(known))

    def rows(self) -> Iterator[Row]:
        """Yield what seats have in common, and how many cells each has stood on."""
        seats = range(len(self.visits))
        means = []
        for seat in seats:
            found = [each for other in seats if other != seat and (each := self.overlap(seat, other)) is not None]
            means.append(ratio(sum(found), len(found)))
        yield Row("overlap with the others", "share", tuple(means), self.mean_overlap)
        yield Row("cells stood on", "number", tuple(float(sum(each > 0 for each in map_)) for map_ in self.visits))


def territory(record: Record) -> Territory | Absent:
    """Count where each seat stood in an episode."""
    game, states = record.game, record.states
    if isinstance(states, Absent):
        return states
    if not isinstance(game, Placed):
        return Absent("seats stand nowhere in this game")
    width, height = game.size
    visits = [[0.0] * (width * height) for _ in range(record.seats)]
    for facts in states[:-1]:
        for seat, place in enumerate(game.places(facts)):
            if place is not None:
                visits[seat][place[1] * width + place[0]] += 1
    return Territory(game.size, tuple(map(tuple, visits)))
