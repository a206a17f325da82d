"""How sure language models were of what they chose, from the receipts of their choices."""

from collections.abc import Iterator
from math import exp

from hocket.replays.audits.finding import Absent, Finding, Row, ratio
from hocket.replays.audits.record import Record

SURE = 0.9


class Certainty(Finding, frozen=True):
    """Sums over all traces, shape [seats] each; of menus with two entries or more."""

    decisions: tuple[float, ...]
    entropy: tuple[float, ...]
    """Of the distribution over the menu at temperature 1, in nats."""
    sure: tuple[float, ...]
    """Decisions in which one entry had more than `SURE`."""

    def rows(self) -> Iterator[Row]:
        """Yield mean entropy, and the share of decisions that were as good as made."""
        yield Row("entropy of a decision", "nats", tuple(map(ratio, self.entropy, self.decisions)))
        yield Row(f"one entry above {SURE:.0%}", "share", tuple(map(ratio, self.sure, self.decisions)))


def certainty(record: Record) -> Certainty | Absent:
    """Look at the distributions in an episode's receipts."""
    decisions, entropy, sure = ([0.0] * record.seats for _ in range(3))
    for choice in record.choices:
        menu = () if choice.receipt is None else tuple(min(each, 0.0) for each in choice.receipt.menu)
        if len(menu) > 1:
            decisions[choice.seat] += 1
            entropy[choice.seat] -= sum(exp(each) * each for each in menu)
            sure[choice.seat] += exp(max(menu)) > SURE
    if not any(decisions):
        return Absent("no receipt has a distribution: scripts, people and replayed agents leave none")
    return Certainty(tuple(decisions), tuple(entropy), tuple(sure))
