"""Team returns as dots, an episode each, with their mean and its interval."""

from collections.abc import Sequence

from hocket.learners.report.canvas import ACCENT, INK, drawing, matplotlib_figure, style
from hocket.learners.report.parts import Picture
from hocket.replays.statistics import estimate


def dots(returns: Sequence[float], name: str) -> Picture:
    """Draw the returns of a team.

    Args:
        returns: at least one, in order of seed, shape [episodes].
        name: no other drawing of the page has it.
    """
    found = estimate(returns)
    with style(name):
        figure = matplotlib_figure()(figsize=(4.8, 2.5))
        axes = figure.add_subplot()
        places = range(1, len(returns) + 1)
        if found.low is not None and found.high is not None:
            axes.axhspan(found.low, found.high, color=ACCENT, alpha=0.18, linewidth=0)
        axes.axhline(found.mean, color=ACCENT, linewidth=1.6)
        axes.plot(places, returns, "o", color=INK, markersize=4.5, clip_on=False)
        axes.set_xlim(0.4, len(returns) + 0.6)
        axes.set_ylim(min(0.0, *returns), max(1.0, *returns) * 1.08)
        axes.set_ylabel("points of the team")
        axes.set_xlabel("episode, in order of seed")
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.grid(False, axis="x")
        drawn = drawing(figure, name)
    return Picture("Return of each episode", _gist(returns), (drawn,))


def _gist(returns: Sequence[float]) -> str:
    found = estimate(returns)
    if len(returns) == 1:
        return f"One episode: {found}, so there is no interval."
    if found.low is None:
        return f"{len(returns)} episodes of {found}: all returns are equal, so there is no interval."
    line = "the line is their mean, the band its 95% bootstrap interval"
    return f"{len(returns)} episodes, {min(returns):g} to {max(returns):g}; {line}: {found}."
