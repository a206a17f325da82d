"""Trouble: replies that were no choice, lapsed offers, failed agents, stalled ticks."""

from collections.abc import Iterator

from hocket.replays.audits.finding import Finding, Row, ratio
from hocket.replays.audits.record import Record
from hocket.runtime.events import AgentFailed, ChoiceRejected, OfferLapsed, OptionEnded, Receipt

UNREADABLE = "malformed"
"""Reason of a rejection for a reply that could not be read."""


class Trouble(Finding, frozen=True):
    """Counts over all traces, shape [seats] each."""

    episodes: int
    ticks: int
    answered: tuple[float, ...]
    """Choices of language models, as their receipts say."""
    unreadable: tuple[float, ...]
    """Replies that could not be read for a choice."""
    rejected: tuple[dict[str, float], ...]
    """Replies that were rejected, by reason."""
    lapsed: tuple[dict[str, float], ...]
    """Offers that ended without a choice, by reason; not those that the end of an episode cut off."""
    failed: tuple[float, ...]
    stalled: tuple[float, ...]
    """Ticks in which no option ran."""

    def parse_failures(self, seat: int) -> float | None:
        """Return the part of a language model's replies that could not be read; None where there is no receipt."""
        return ratio(self.unreadable[seat], self.answered[seat] + self.unreadable[seat])

    def rows(self) -> Iterator[Row]:
        """Yield parse failures, stalled ticks, and the rest by reason where there is any."""
        seats = range(len(self.failed))
        words = tuple("no receipts" if self.parse_failures(seat) is None else "" for seat in seats)
        yield Row("replies that could not be read", "share", tuple(map(self.parse_failures, seats)), words=words)
        yield Row("ticks without an option", "share", tuple(ratio(each, self.ticks) for each in self.stalled))
        for title, counts in (("rejected", self.rejected), ("lapsed", self.lapsed)):
            for reason in sorted({reason for each in counts for reason in each}):
                means = tuple(each.get(reason, 0) / self.episodes for each in counts)
                yield Row(f"{title}: {reason}", "count", means)
        if any(self.failed):
            yield Row("agent failed", "count", tuple(each / self.episodes for each in self.failed))


def trouble(record: Record) -> Trouble:
    """Count what went wrong in an episode."""
    answered, unreadable, failed = ([0.0] * record.seats for _ in range(3))
    stalled = [float(record.ticks)] * record.seats
    rejected: list[dict[str, float]] = [{} for _ in range(record.seats)]
    lapsed: list[dict[str, float]] = [{} for _ in range(record.seats)]
    for choice in record.choices:
        answered[choice.seat] += _of_a_model(choice.receipt)
    for reply in record.of(ChoiceRejected):
        rejected[reply.seat][reply.reason] = rejected[reply.seat].get(reply.reason, 0) + 1
        unreadable[reply.seat] += reply.reason == UNREADABLE and _of_a_model(reply.receipt)
    for offer in record.of(OfferLapsed):
        if offer.reason != "cancelled":
            lapsed[offer.seat][offer.reason] = lapsed[offer.seat].get(offer.reason, 0) + 1
    for failure in record.of(AgentFailed):
        failed[failure.seat] += 1
    for option in record.of(OptionEnded):
        stalled[option.seat] -= option.ticks
    return Trouble(
        episodes=1,
        ticks=record.ticks,
        answered=tuple(answered),
        unreadable=tuple(unreadable),
        rejected=tuple(rejected),
        lapsed=tuple(lapsed),
        failed=tuple(failed),
        stalled=tuple(stalled),
    )


def _of_a_model(receipt: Receipt | None) -> bool:
    """Tell whether a language model answered; scripts that draw leave receipts as well, of no backend."""
    return receipt is not None and bool(receipt.backend)
