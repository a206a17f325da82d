"""How often each seat was asked, and how long an option lasts.

Source: the PA-MAGRPO paper, section 6.3 (call ratio): 1 with primitive actions, 0.4 to 0.7 with options.
"""

from collections.abc import Iterator

from hocket.replays.audits.finding import Finding, Row, ratio
from hocket.replays.audits.record import Record
from hocket.runtime.events import OptionEnded


class Calls(Finding, frozen=True):
    """Counts over all traces."""

    ticks: int
    decisions: tuple[float, ...]
    """Options that each seat chose, shape [seats]."""
    ended: tuple[float, ...]
    """Options that came to an end, whichever, shape [seats]."""
    ran: tuple[float, ...]
    """How long they ran, in ticks, shape [seats]."""

    @property
    def ratio(self) -> float | None:
        """Decisions by tick and seat, of all seats."""
        return ratio(sum(self.decisions), self.ticks * len(self.decisions))

    def rows(self) -> Iterator[Row]:
        """Yield the call ratio, and how long an option lasts."""
        yield Row("decisions by tick", "number", tuple(ratio(each, self.ticks) for each in self.decisions), self.ratio)
        lasted = tuple(ratio(ran, ended) for ran, ended in zip(self.ran, self.ended, strict=True))
        yield Row("length of an option", "ticks", lasted, ratio(sum(self.ran), sum(self.ended)))


def calls(record: Record) -> Calls:
    """Count the decisions of an episode."""
    decisions, ended, ran = ([0.0] * record.seats for _ in range(3))
    for choice in record.choices:
        decisions[choice.seat] += 1
    for end in record.of(OptionEnded):
        ended[end.seat] += 1
        ran[end.seat] += end.ticks
    return Calls(record.ticks, tuple(decisions), tuple(ended), tuple(ran))
