"""What changes with time as curves: the commons by tick, a training by round."""

from collections.abc import Mapping, Sequence
from math import nan
from typing import Any

from hocket.learners.report.canvas import ACCENT, FAINT, INK, TOO_LARGE, drawable, drawing, label, seat_colour
from hocket.learners.report.parts import Picture
from hocket.replays.audits.sustainability import Sustainability
from hocket.replays.audits.text import number

_DASHES = ("-", "--", ":", "-.")
"""So that curves differ without their colours."""


def survival(found: Sustainability, name: str) -> Picture:
    """Draw what becomes of the commons.

    Args:
        found: of a team.
        name: no other drawing of the page has it.

    Source: the PA-MAGRPO paper, figure 2.
    """
    curve, patches = found.curve, found.kind == "patches"

    def draw(axes: Any) -> None:
        axes.plot(range(len(curve)), curve, color=ACCENT, linewidth=1.8, clip_on=False)
        axes.set_xlim(0, max(1, len(curve) - 1))
        axes.set_ylim(0, max(1, found.whole) if patches else 1)
        axes.set_ylabel(f"patches alive, of {found.whole}" if patches else "share of the river that is dirty")
        axes.set_xlabel("tick")

    title = "Patches alive, by tick" if patches else "Dirt in the river, by tick"
    places = list(dict.fromkeys(round(part * (len(curve) - 1)) for part in (0, 0.25, 0.5, 0.75, 1)))
    told = ", ".join(f"{number(curve[place], 'number' if patches else 'share')} at tick {place}" for place in places)
    return Picture(title, f"Mean over {found.episodes[0]:g} episodes: {told}.", (drawing(name, draw),))


def returns_by_round(means: Sequence[float], spans: Sequence[tuple[float, float]], best: int, name: str) -> Picture:
    """Draw the team return of each round of a training.

    Args:
        means: over its rollouts, shape [rounds].
        spans: lowest and highest rollout, shape [rounds].
        best: the round whose adapters are the best.
        name: no other drawing of the page has it.
    """

    def draw(axes: Any) -> None:
        places = range(len(means))
        axes.fill_between(places, *zip(*spans, strict=True), color=ACCENT, alpha=0.16, linewidth=0)
        axes.plot(places, means, color=ACCENT, linewidth=1.8)
        axes.plot([best], [means[best]], "D", color=INK, markersize=6)
        axes.set_ylim(bottom=min(0.0, *(low for low, _ in spans)))
        _by_round(axes, "points of the team")

    said = f"{means[0]:.4g} in round 0, {means[-1]:.4g} in round {len(means) - 1}"
    told = f"The line is the mean of a round's rollouts, the band goes from the lowest to the highest: {said}."
    gist = f"{told} The best round, marked, is {best}, with {means[best]:.4g}."
    if not drawable([*means, *(end for span in spans for end in span)]):
        return Picture("Return by round", f"{gist} {TOO_LARGE}", ())
    return Picture("Return by round", gist, (drawing(name, draw),))


def lines(title: str, counted: str, found: Mapping[str, Sequence[float | None]], name: str) -> Picture:
    """Draw several numbers of each round of a training.

    Args:
        title: of the picture.
        counted: in a round, in words.
        found: by what they are of, at least one; None where a round has none, shape [rounds] each.
        name: no other drawing of the page has it.
    """

    def draw(axes: Any) -> None:
        for place, (of, values) in enumerate(found.items()):
            dash = _DASHES[place % len(_DASHES)]
            heights = [nan if value is None else value for value in values]
            style: dict[str, Any] = {"color": seat_colour(place), "linewidth": 1.6, "clip_on": False}
            axes.plot(range(len(values)), heights, dash, label=label(of), **style)
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
        _by_round(axes, counted)
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize=8.5, labelcolor=FAINT, handlelength=2.6)

    known = {of: [value for value in values if value is not None] for of, values in found.items()}
    told = "; ".join(f"{label(of)} from {values[0]:.3g} to {values[-1]:.3g}" for of, values in known.items() if values)
    gist = f"First round to last: {told}."
    if not drawable(value for values in found.values() for value in values):
        return Picture(title, f"{gist} {TOO_LARGE}", ())
    return Picture(title, gist, (drawing(name, draw),))


def _by_round(axes: Any, counted: str) -> None:
    axes.set_ylabel(counted)
    axes.set_xlabel("round")
    axes.xaxis.get_major_locator().set_params(integer=True)
