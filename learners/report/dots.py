"""Team returns as dots, an episode each, with their mean and its interval."""

from collections.abc import Sequence
from typing import Any

from hocket.learners.report.canvas import ACCENT, INK, TOO_LARGE, drawable, drawing
from hocket.learners.report.parts import Picture
from hocket.replays.statistics import Estimate, estimate


def dots(returns: Sequence[float], name: str) -> Picture:
    """Draw the returns of a team.

    Args:
        returns: at least one, in order of seed, shape [episodes].
        name: no other drawing of the page has it.
    """
    found = estimate(returns)

    def draw(axes: Any) -> None:
        if found.low is not None and found.high is not None:
            axes.axhspan(found.low, found.high, color=ACCENT, alpha=0.18, linewidth=0)
        axes.axhline(found.mean, color=ACCENT, linewidth=1.6)
        axes.plot(range(1, len(returns) + 1), returns, "o", color=INK, markersize=4.5, clip_on=False)
        axes.set_xlim(0.4, len(returns) + 0.6)
        axes.set_ylim(min(0.0, *returns), max(1.0, *returns) * 1.08)
        axes.set_ylabel("points of the team")
        axes.set_xlabel("episode, in order of seed")
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.grid(False, axis="x")

    if not drawable(returns):
        return Picture("Return of each episode", f"{_gist(returns, found)} {TOO_LARGE}", ())
    return Picture("Return of each episode", _gist(returns, found), (drawing(name, draw),))


def _gist(returns: Sequence[float], found: Estimate) -> str:
    if len(returns) == 1:
        return f"One episode: {found}, so there is no interval."
    if found.low is None:
        return f"{len(returns)} episodes of {found}: all returns are equal, so there is no interval."
    line = "the line is their mean, the band its 95% bootstrap interval"
    return f"{len(returns)} episodes, {min(returns):g} to {max(returns):g}; {line}: {found}."
