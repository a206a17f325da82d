"""An evaluation in the shape of the paper's tables, with what is published beside it.

Table 1 has the rows of each backbone, frozen and trained, over training seeds; it is there where
some cell has several. Table 2 has the cells of one backbone, over episodes. Columns are games.
"""

from collections.abc import Mapping, Sequence

import msgspec

from hocket.learners.cells.cell import Cell
from hocket.learners.cells.place import ROWS, Place
from hocket.learners.cells.published import OVER_EPISODES, OVER_SEEDS, Published, published
from hocket.learners.cells.report import Report
from hocket.replays.statistics import Estimate

_FIRST = {
    ("native", "frozen"): "Frozen + native",
    ("menu", "frozen"): "Frozen + option menu",
    ("menu", "private"): "Full method",
}
"""Rows of each backbone in Table 1."""


class Box(msgspec.Struct, frozen=True):
    """One cell in one table."""

    cell: Cell
    shown: Estimate | None
    """None where nobody played."""
    over: str
    """What its mean and standard deviation are over: `seeds` or `episodes`."""
    paper: Published | None
    best: bool = False
    """Whether its mean is the highest of its column and backbone, and above 0."""

    @property
    def collapsed(self) -> bool:
        """Whether there is no checkpoint to evaluate, since training never had a positive return."""
        return self.shown is None and self.cell.collapsed > 0

    @property
    def interval(self) -> tuple[float, float] | None:
        """Of the mean; None where values have no spread, and over training seeds, of which there are too few."""
        if self.shown is None or self.shown.low is None or self.shown.high is None or self.over == "seeds":
            return None
        return self.shown.low, self.shown.high

    def lines(self) -> list[str]:
        """Write it: mean and spread, the interval and how many values, and what is published."""
        paper = [] if self.paper is None else [f"paper: {self.paper.text} ({self.paper.where})"]
        if self.shown is None:
            return ["0.00†" if self.collapsed else "-", *paper]
        std = "" if self.shown.std is None else f" ± {self.shown.std:.2f}"
        between = "no spread" if self.interval is None else "[{:.2f}, {:.2f}]".format(*self.interval)
        count = f"{self.shown.count} {self.over}"
        return [f"{self.shown.mean:.2f}{std}", count if self.over == "seeds" else f"{between}, {count}", *paper]


class Row(msgspec.Struct, frozen=True):
    """One row: a backbone in a place of the grid."""

    backbone: str
    name: str
    interface: str
    capacity: str
    boxes: tuple[Box | None, ...]
    """One a column; None where the file has nothing of this backbone and game."""


class Table(msgspec.Struct, frozen=True):
    """One table."""

    number: int
    """Of the paper's table whose shape it has."""
    title: str
    columns: tuple[str, ...]
    """Games, with what is counted."""
    rows: tuple[Row, ...]

    @property
    def names(self) -> list[str]:
        """Of the rows, with the backbone where the table is of several."""
        return [f"{row.backbone}: {row.name}" if self.number == OVER_SEEDS else row.name for row in self.rows]


def tables(report: Report) -> list[Table]:
    """Lay the cells of an evaluation out."""
    backbones = list(dict.fromkeys(each.place.backbone for each in report.cells))
    found = []
    if any(each.over_seeds is not None for each in report.cells):
        rows = [(backbone, *row) for backbone in backbones for row in _FIRST.items()]
        found.append(_table(report, OVER_SEEDS, "Backbones, over training seeds", report.cells, rows))
    for backbone in backbones:
        cells = [each for each in report.cells if each.place.backbone == backbone]
        rows = [(backbone, *row) for row in ROWS.items()]
        found.append(_table(report, OVER_EPISODES, f"Cells of {backbone}, over episodes", cells, rows))
    return found


def remarks(report: Report) -> list[str]:
    """Return what a reader must know, and what the published numbers leave open."""
    boxes = [box for table in tables(report) for row in table.rows for box in row.boxes if box is not None]
    collapsed = ["†: training collapsed at zero return; no positive checkpoint exists to evaluate"]
    papers = [f"{box.paper.where}: {box.paper.about}" for box in boxes if box.paper is not None and box.paper.about]
    lines = [*report.notes, *papers, *(f"without a place: {each}" for each in report.unplaced)]
    return list(dict.fromkeys((collapsed if any(box.collapsed for box in boxes) else []) + lines))


def _table(
    report: Report,
    number: int,
    title: str,
    cells: Sequence[Cell],
    rows: Sequence[tuple[str, tuple[str, str], str]],
) -> Table:
    games = {each.place.game: each.measure for each in cells}
    boxes = {each.place: _box(report, number, each) for each in cells}
    marked = _marked({place: box for place, box in boxes.items() if number == OVER_EPISODES or _in_first(place)})
    return Table(
        number,
        title,
        tuple(f"{game} ({measure})" for game, measure in games.items()),
        tuple(
            Row(backbone, name, *where, tuple(marked.get(Place(backbone, game, *where)) for game in games))
            for backbone, where, name in rows
        ),
    )


def _in_first(place: Place) -> bool:
    return (place.interface, place.capacity) in _FIRST


def _box(report: Report, number: int, cell: Cell) -> Box:
    protocol = report.protocol
    others = (each.steps for each in report.cells if each.place.game == cell.place.game and each.steps)
    steps = cell.steps or next(others, protocol.steps)
    paper = published(number, cell.place, steps, protocol.starts)
    if number == OVER_SEEDS and cell.over_seeds is not None:
        return Box(cell, cell.over_seeds, "seeds", paper)
    return Box(cell, cell.estimate, "episodes", paper)


def _marked(boxes: Mapping[Place, Box]) -> dict[Place, Box]:
    """Mark the highest mean of each backbone and game; one of 0 is nothing to be proud of."""
    highest: dict[tuple[str, str], float] = {}
    for place, box in boxes.items():
        if box.shown is not None:
            key = (place.backbone, place.game)
            highest[key] = max(box.shown.mean, highest.get(key, 0.0))
    return {
        place: msgspec.structs.replace(
            box, best=box.shown is not None and 0 < box.shown.mean == highest[place.backbone, place.game]
        )
        for place, box in boxes.items()
    }
