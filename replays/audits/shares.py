"""Which options each seat chose, and how often.

The first thing to look at beside a return.

Source: the PA-MAGRPO paper, figure 1.
"""

from collections.abc import Iterator

from hocket.replays.audits.finding import Absent, Finding, Row, ratio
from hocket.replays.audits.record import Record


class Shares(Finding, frozen=True):
    """Choices of all traces."""

    chosen: tuple[dict[str, float], ...]
    """How often each seat chose each option, whatever it was aimed at, shape [seats]."""

    @property
    def options(self) -> list[str]:
        """Every option that was chosen, the commonest first."""
        totals: dict[str, float] = {}
        for counts in self.chosen:
            for option, count in counts.items():
                totals[option] = totals.get(option, 0) + count
        return sorted(totals, key=lambda option: (-totals[option], option))

    def share(self, seat: int, option: str) -> float | None:
        """Return the part of a seat's choices that an option was; None where it has not chosen."""
        return ratio(self.chosen[seat].get(option, 0), sum(self.chosen[seat].values()))

    def rows(self) -> Iterator[Row]:
        """Yield an option a row."""
        for option in self.options:
            yield Row(option, "share", tuple(self.share(seat, option) for seat in range(len(self.chosen))))


def shares(record: Record) -> Shares | Absent:
    """Count what each seat chose."""
    if not record.choices:
        return Absent("nobody has chosen an option")
    chosen: list[dict[str, float]] = [{} for _ in range(record.seats)]
    for choice in record.choices:
        option = choice.option.partition("@")[0]
        counts = chosen[choice.seat]
        counts[option] = counts.get(option, 0) + 1
    return Shares(tuple(dict(sorted(counts.items())) for counts in chosen))
