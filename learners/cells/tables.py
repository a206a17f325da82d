"""An evaluation in the shape of the paper's tables, with what is published beside it.

Table 1 has the rows of each backbone, frozen and trained, over training seeds; it is there where
some cell has several. Table 2 has the cells of one backbone, over episodes. Columns are games.
"""

from collections.abc import Mapping, Sequence

import msgspec

from hocket.learners.cells.cell import Cell
from hocket.learners.cells.evaluate import Report
from hocket.learners.cells.place import ROWS, Place
from hocket.learners.cells.published import OVER_EPISODES, OVER_SEEDS, Published, published
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
    game = next((each.steps for each in report.cells if each.place.game == cell.place.game and each.steps), None)
    paper = published(number, cell.place, cell.steps or game or protocol.steps, protocol.starts)
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
