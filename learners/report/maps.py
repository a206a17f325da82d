"""Where each seat spent its time, a map a seat.

Source: the PA-MAGRPO paper, figure 3.
"""

from collections.abc import Iterator, Sequence
from math import nan
from typing import Any

from hocket.games import registry
from hocket.learners.report.canvas import FAINT, HEATS, INCH, INK, LINE, drawing, heat_colour
from hocket.learners.report.parts import Picture, sentence
from hocket.replays.audits.territory import Territory
from hocket.replays.audits.text import line
from hocket.runtime.events import Cell
from hocket.runtime.game import GameSpec

BOUNDS = (0.005, 0.01, 0.02, 0.05, 0.1)
"""Shares of a seat's ticks at which the next colour begins."""
_WIDTH = 230
"""Of a map, in pixels; no cell is wider than `_CELL`."""
_CELL = 26
_MARGIN, _TITLE = 0.04, 0.26
"""Of a drawing beside its map and above it, in inches."""
_DOT = 1.5
"""Width of a dot, in points."""
_FEW = 10
"""Landmarks of a kind that have a letter each; where there are more, they are dots."""


def maps(territory: Territory, spec: GameSpec, name: str) -> Picture:
    """Draw the map of each seat.

    Args:
        territory: of a team.
        spec: of its game, which can be built here.
        name: no other drawing of the page has it.
    """
    marks = registry.rebuild(spec).landmarks()
    seats = range(len(territory.visits))
    drawn = tuple(_map(territory, marks, seat, f"{name}-{seat}") for seat in seats)
    steps = ", ".join(f"{bound:.3g}" for bound in (100 * each for each in BOUNDS))
    said = "; ".join(map(line, territory.rows()))
    told = f"The darker (by night: the brighter) a cell, the longer the seat was there; steps at {steps}% of its ticks."
    return Picture("Where each seat was", " ".join([told, *_legend(marks), sentence(said)]), drawn)


def _legend(marks: dict[str, tuple[Cell, ...]]) -> Iterator[str]:
    """Say what letters and dots are."""
    letters = [f"{kind[0].upper()} {kind}" for kind, cells in marks.items() if 0 < len(cells) <= _FEW]
    dots = [kind for kind, cells in marks.items() if len(cells) > _FEW]
    if letters:
        yield f"{', '.join(letters)}."
    if dots:
        yield f"Dots are places of {' and '.join(dots)}."


def _map(territory: Territory, marks: dict[str, tuple[Cell, ...]], seat: int, name: str) -> str:
    cell = min(_CELL, _WIDTH / territory.size[0]) / INCH
    columns, rows = territory.size
    width, height = columns * cell + _MARGIN, rows * cell + _TITLE

    def draw(axes: Any) -> None:
        axes.set_xlim(0, columns)
        axes.set_ylim(rows, 0)
        axes.set_title(f"seat {seat}", fontsize=9.5, pad=4)
        axes.set_xticks([])
        axes.set_yticks([])
        for side in ("top", "right", "bottom", "left"):
            axes.spines[side].set_visible(True)
            axes.spines[side].set_color(LINE)
        _heat(axes, territory, seat)
        _landmarks(axes, marks, cell)

    at = (_MARGIN / 2 / width, 0.01, columns * cell / width, rows * cell / height - 0.01)
    return drawing(name, draw, (width, height), at)


def _heat(axes: Any, territory: Territory, seat: int) -> None:
    """Fill the cells of each step as one shape."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    visits, width = territory.visits[seat], territory.size[0]
    total = sum(visits) or 1.0
    for step in range(HEATS):
        cells = [place for place, count in enumerate(visits) if count and _step(count / total) == step]
        if cells:
            runs = _runs([(place % width, place // width) for place in cells])
            path = Path.make_compound_path(*(Path(_bar(*run), closed=True) for run in runs))
            axes.add_patch(PathPatch(path, facecolor=heat_colour(step), linewidth=0))


def _landmarks(axes: Any, marks: dict[str, tuple[Cell, ...]], cell: float) -> None:
    for kind, cells in marks.items():
        if len(cells) <= _FEW:
            for x, y in cells:
                size = min(8.0, cell * 55)
                where = {"ha": "center", "va": "center_baseline", "fontsize": size, "color": INK}
                axes.text(x + 0.5, y + 0.5, kind[0].upper(), **where)
        else:
            _dots(axes, cells, cell)


def _dots(axes: Any, cells: Sequence[Cell], cell: float) -> None:
    """Put a dot into each cell: one line with gaps for each run of them, which is much shorter to write down."""
    runs = _runs(cells)
    xs = [x for start, stop, _ in runs for x in (start + 0.5, stop - 0.49, nan)]
    ys = [y for _, _, row in runs for y in (row + 0.5, row + 0.5, nan)]
    gaps = (0, (0, cell * 72 / _DOT))
    axes.plot(xs, ys, color=FAINT, linewidth=_DOT, linestyle=gaps, dash_capstyle="round", alpha=0.7)


def _runs(cells: Sequence[Cell]) -> list[tuple[int, int, int]]:
    """Return neighbours in a row together: first column, the one behind the last, row."""
    found: list[tuple[int, int, int]] = []
    for x, y in sorted(cells, key=lambda cell: (cell[1], cell[0])):
        if found and found[-1][1:] == (x, y):
            found[-1] = (found[-1][0], x + 1, y)
        else:
            found.append((x, x + 1, y))
    return found


def _step(share: float) -> int:
    return sum(share >= bound for bound in BOUNDS)


def _bar(start: int, stop: int, row: int) -> Sequence[tuple[float, float]]:
    return [(start, row), (stop, row), (stop, row + 1), (start, row + 1), (start, row)]
