"""The sentence of a verdict, with the numbers that it rests on and their intervals."""

from collections.abc import Iterable, Mapping, Sequence

from hocket.learners.certify.evidence import MORE_ALONE, TOGETHER, WORKS, Check, Evidence, What
from hocket.learners.certify.thresholds import Thresholds
from hocket.replays.statistics import estimate


class Wording:
    """Says what was found of one team."""

    def __init__(
        self, evidence: Evidence, thresholds: Thresholds, held: Mapping[tuple[What, int | None], Check]
    ) -> None:
        """Take the numbers, the lines, and what came of each comparison."""
        self._evidence, self._thresholds, self._held = evidence, thresholds, held
        self._all = range(evidence.seats)
        self._earns = f"the team earns {estimate(evidence.team)}"

    def sentence(self, verdict: str, seats: Sequence[int], hangs: Sequence[Check]) -> str:
        """Say one verdict.

        Args:
            verdict: one of `VERDICTS`.
            seats: that it is about.
            hangs: what cannot be told, of `undecided`.
        """
        match verdict:
            case "hindered":
                return self._hindered(seats)
            case "nothing earned":
                return f"the team earns nothing in any of {len(self._evidence.team)} episodes; {self._alone()}"
            case "one works and one idles" | "some idle":
                less = f"less than {self._thresholds.idle:.0%} of an equal share of what is earned and done"
                return f"{self._earns}; {self._parts(seats)}, {less}; {self._alone()}"
            case "spare seat":
                less = f"less than {self._thresholds.idle:.0%} of an equal share of what is earned"
                return f"{self._earns}, and hardly less without a seat that works: {self._parts(seats)}, {less}"
            case "needs its partner":
                return (
                    f"{self._earns}, and {self._unable(seats)}; {self._alone()}; each counts: {self._parts(self._all)}"
                )
            case "undecided":
                return f"{self._earns}, but it cannot be told {'; nor '.join(map(_open, hangs))}"
            case _:
                each = f"each could do it alone, and each counts: {self._parts(self._all)}"
                return f"{self._earns}; {self._alone()}; {each}; {self._hands()}"

    def _hindered(self, seats: Sequence[int]) -> str:
        if self._held[MORE_ALONE, seats[0]].holds:
            more = ", ".join(f"seat {seat} alone {self._held[MORE_ALONE, seat].margin} more" for seat in seats)
            return f"{self._earns}, and {more}: {self._alone()}"
        taken = ((seat, estimate([-each for each in self._evidence.added[seat]])) for seat in seats)
        idles = (f"{points} more once seat {seat} stands idle" for seat, points in taken)
        return f"{self._earns}, and after half time {', '.join(idles)}; {self._alone()}"

    def _alone(self) -> str:
        first, *others = (str(estimate(returns)) for returns in self._evidence.alone)
        return ", ".join(
            [f"seat 0 alone earns {first}", *(f"seat {seat} {each}" for seat, each in enumerate(others, 1))]
        )

    def _unable(self, seats: Sequence[int]) -> str:
        who = "each seat" if len(seats) == len(self._all) else " and ".join(f"seat {seat}" for seat in seats)
        return f"{who} alone less than {self._thresholds.able:.0%} of that"

    def _parts(self, seats: Iterable[int]) -> str:
        return "; ".join(f"seat {seat} {self._part(seat)}" for seat in seats)

    def _part(self, seat: int) -> str:
        """Say what a seat adds and does."""
        evidence = self._evidence
        earned, worked = evidence.added_share(seat), evidence.work_share(seat)
        said = f"adds {estimate(evidence.added[seat])} of {estimate(evidence.after[seat])} after half time"
        said += "" if earned is None else f" ({earned:.0%})"
        return said + ("" if worked is None else f" and does {worked:.0%} of the work")

    def _hands(self) -> str:
        shared, deliveries = sum(self._evidence.shared), sum(self._evidence.deliveries)
        if (TOGETHER, None) not in self._held:
            return "nothing is delivered"
        return f"{shared:g} of {deliveries:g} deliveries went through the hands of several"


def _open(check: Check) -> str:
    """Say what a verdict hangs on."""
    who = "seats" if check.seat is None else f"seat {check.seat}"
    unit = "deeds" if check.what == WORKS else "deliveries" if check.what == TOGETHER else "points"
    beyond = f"it is {check.margin} {unit} beyond the line, and more episodes would tell"
    return f"whether {who} {check.what} ({check.why or beyond})"
