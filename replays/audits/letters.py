"""Letters: how often each place on the menu was chosen, beside chance.

Letters are shuffled for every decision, so an agent that reads its menu chooses all places about alike,
and one that has a favourite letter does not. Menus of one entry are left out.

Source: the PA-MAGRPO paper, section 5.1, stage 4 (the prior for the letter A).
"""

from collections.abc import Iterator

from hocket.replays.audits.finding import Absent, Finding, Row, ratio
from hocket.replays.audits.record import Record
from hocket.runtime.events import MenuOffered

SHOWN = 6
"""Letters with a row of their own."""


class Letters(Finding, frozen=True):
    """Counts over all traces."""

    chosen: tuple[tuple[float, ...], ...]
    """How often each seat chose each place, shape [seats, places]."""
    expected: tuple[tuple[float, ...], ...]
    """How often it would have, had it drawn from its menus uniformly, shape [seats, places]."""

    def bias(self, seat: int) -> float | None:
        """Return by how much a seat's places differ from chance: half the sum of differences of shares, 0 to 1."""
        count = sum(self.chosen[seat])
        differences = zip(self.chosen[seat], self.expected[seat], strict=True)
        return ratio(sum(abs(one - other) for one, other in differences) / 2, count)

    def rows(self) -> Iterator[Row]:
        """Yield how far each seat is from chance, then the share of each of the first letters."""
        seats = range(len(self.chosen))
        yield Row("away from chance", "share", tuple(map(self.bias, seats)))
        for place in range(min(SHOWN, max(map(len, self.chosen)))):
            found = tuple(_share(self.chosen[seat], place) for seat in seats)
            chance = tuple(_share(self.expected[seat], place) for seat in seats)
            words = tuple("" if each is None else f"by chance {each:.0%}" for each in chance)
            yield Row(f"letter {chr(65 + place)}", "share", found, words=words)


def letters(record: Record) -> Letters | Absent:
    """Count the places that were chosen in an episode."""
    sizes = {(offer.seat, offer.decision): len(offer.menu) for offer in record.of(MenuOffered)}
    most = max(sizes.values(), default=0)
    if most < 2 or not record.choices:
        return Absent("no menu had more than one entry")
    chosen = [[0.0] * most for _ in range(record.seats)]
    expected = [[0.0] * most for _ in range(record.seats)]
    for choice in record.choices:
        size = sizes.get((choice.seat, choice.decision), 0)
        if 0 <= choice.index < size > 1:
            chosen[choice.seat][choice.index] += 1
            for place in range(size):
                expected[choice.seat][place] += 1 / size
    return Letters(tuple(map(tuple, chosen)), tuple(map(tuple, expected)))


def _share(counts: tuple[float, ...], place: int) -> float | None:
    return ratio(counts[place], sum(counts)) if place < len(counts) else None
