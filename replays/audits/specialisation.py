"""Specialisation: how much a choice tells of the seat that made it.

The mutual information of seat and option, where each seat is as likely as any other. 0 bits
where all seats choose alike, log2(seats) where no two ever choose the same option.

Source: Cover & Thomas, "Elements of Information Theory", 2006, section 2.3; with equal weights it is
the Jensen-Shannon divergence of the seats' shares (Lin, IEEE Transactions on Information Theory 37, 1991).
It is the plug-in estimate, which is a little high for few choices: by about
(options - 1) (seats - 1) / (2 ln 2 choices) bits (Miller, 1955).
"""

from collections.abc import Iterator, Sequence
from math import log2

from hocket.replays.audits.finding import Absent, Finding, Row
from hocket.replays.audits.record import Record
from hocket.replays.audits.shares import Shares, shares
from hocket.runtime.game import Placed


class Specialisation(Finding, frozen=True):
    """Choices of all traces, and what they tell."""

    same = ("apart",)
    shares: Shares
    apart: bool
    """Whether walls keep seats apart, so that what they do differently may be no choice of theirs."""

    def bits(self, seats: Sequence[int] | None = None) -> float | None:
        """Return the mutual information of seat and option, in bits; None where fewer than two seats have chosen.

        Args:
            seats: among which; all where left out.
        """
        found = self._found(seats)
        if len(found) < 2:
            return None
        return max(0.0, _entropy(_mixed(found)) - sum(map(_entropy, found)) / len(found))

    def explained(self, seats: Sequence[int] | None = None) -> float | None:
        """Return the part of all uncertainty of a choice that goes with the seat: 0 to 1; None where there is none.

        Source: Theil, "Statistical decomposition analysis", 1972 (the uncertainty coefficient).
        """
        bits, found = self.bits(seats), self._found(seats)
        whole = 0.0 if bits is None else _entropy(_mixed(found))
        return None if bits is None or not whole else bits / whole

    def rows(self) -> Iterator[Row]:
        """Yield it in bits, and as a part of what there is to tell."""
        yield Row("a choice tells of its seat", "bits", team=self.bits())
        yield Row("of all that there is to tell", "share", team=self.explained())

    def _found(self, seats: Sequence[int] | None) -> list[list[float]]:
        """Return the shares of the seats that have chosen, shape [seats, options]."""
        return [
            [self.shares.share(seat, option) or 0.0 for option in self.shares.options]
            for seat, counts in enumerate(self.shares.chosen)
            if counts and (seats is None or seat in seats)
        ]


def specialisation(record: Record) -> Specialisation | Absent:
    """Count what each seat chose."""
    found = shares(record)
    game = record.game
    return found if isinstance(found, Absent) else Specialisation(found, isinstance(game, Placed) and game.apart())


def _mixed(found: Sequence[Sequence[float]]) -> list[float]:
    return [sum(each) / len(found) for each in zip(*found, strict=True)]


def _entropy(shares: Sequence[float]) -> float:
    return -sum(share * log2(share) for share in shares if share > 0)
