"""The sentence of a verdict, with the numbers that it rests on and their intervals."""

from collections.abc import Iterable, Sequence
from typing import assert_never

from hocket.learners.certify.evidence import MORE_ALONE, TOGETHER, WORKS, Check, Evidence
from hocket.learners.certify.thresholds import Thresholds
from hocket.learners.certify.verdict import Verdict
from hocket.replays.statistics import estimate


def sentence(verdict: Verdict, evidence: Evidence, thresholds: Thresholds, checks: Sequence[Check]) -> str:
    """Say a verdict.

    Args:
        verdict: to say.
        evidence: that it is on.
        thresholds: the lines.
        checks: what came of each comparison.

    Raises:
        MissingExtraError: SciPy is not installed.
    """
    seats, everybody = verdict.seats, range(evidence.seats)
    earns, alone = f"the team earns {estimate(evidence.team)}", _alone(evidence)
    less = f"less than {thresholds.idle:.0%} of an equal share of what is earned"
    match verdict.name:
        case "hindered":
            return f"{earns}, and {_hindered(evidence, seats, checks)}{alone}"
        case "nothing earned":
            return f"the team earns nothing in any of {len(evidence.team)} episodes; {alone}"
        case "one works and one idles" | "some idle":
            return f"{earns}; {_parts(evidence, seats)}, {less} and done; {alone}"
        case "spare seat":
            return f"{earns}, and hardly less without a seat that works: {_parts(evidence, seats)}, {less}"
        case "needs its partner":
            who = "each seat" if len(seats) == evidence.seats else " and ".join(f"seat {seat}" for seat in seats)
            unable = f"{who} alone less than {thresholds.able:.0%} of that"
            return f"{earns}, and {unable}; {alone}; each counts: {_parts(evidence, everybody)}"
        case "undecided":
            return f"{earns}, but it cannot be told {'; nor '.join(map(_open, verdict.hangs))}"
        case "works together" | "independent workers":
            each = f"each could do it alone, and each counts: {_parts(evidence, everybody)}"
            return f"{earns}; {alone}; {each}; {_hands(evidence)}"
        case other:
            assert_never(other)


def _hindered(evidence: Evidence, seats: Sequence[int], checks: Sequence[Check]) -> str:
    """Say who earns more without whom: alone, or the team once a seat stands idle."""
    more = [check for check in checks if check.what == MORE_ALONE and check.holds and check.seat in seats]
    if more:
        return ", ".join(f"seat {check.seat} alone {check.margin} more" for check in more) + ": "
    taken = ((seat, estimate([-each for each in evidence.added[seat]])) for seat in seats)
    return f"after half time {', '.join(f'{points} more once seat {seat} stands idle' for seat, points in taken)}; "


def _alone(evidence: Evidence) -> str:
    first, *others = (str(estimate(returns)) for returns in evidence.alone)
    return ", ".join([f"seat 0 alone earns {first}", *(f"seat {seat} {each}" for seat, each in enumerate(others, 1))])


def _parts(evidence: Evidence, seats: Iterable[int]) -> str:
    return "; ".join(f"seat {seat} {_part(evidence, seat)}" for seat in seats)


def _part(evidence: Evidence, seat: int) -> str:
    """Say what a seat adds and does."""
    earned, worked = evidence.added_share(seat), evidence.work_share(seat)
    said = f"adds {estimate(evidence.added[seat])} of {estimate(evidence.after[seat])} after half time"
    said += "" if earned is None else f" ({earned:.0%})"
    return said + ("" if worked is None else f" and does {worked:.0%} of the work")


def _hands(evidence: Evidence) -> str:
    shared, deliveries = sum(evidence.shared), sum(evidence.deliveries)
    if not deliveries:
        return "nothing is delivered"
    return f"{shared:g} of {deliveries:g} deliveries went through the hands of several"


def _open(check: Check) -> str:
    """Say what a verdict hangs on."""
    who = "seats" if check.seat is None else f"seat {check.seat}"
    unit = {WORKS: "deeds", TOGETHER: "deliveries"}.get(check.what, "points")
    beyond = f"it is {check.margin} {unit} beyond the line, and more episodes would tell"
    return f"whether {who} {check.what} ({check.why or beyond})"
