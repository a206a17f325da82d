"""What came of an evaluation: the grid, its pairs, what a reader must know."""

import msgspec

from hocket.learners.cells.cell import Cell
from hocket.learners.cells.pairs import Pair
from hocket.learners.cells.plan import Protocol

RESULTS = "results.json"
"""Its name in the folder of an evaluation."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What came of an evaluation."""

    about: str
    protocol: Protocol
    deviations: tuple[str, ...]
    """In what it is not the paper's protocol; none where it is."""
    cells: tuple[Cell, ...]
    """The whole grid of every backbone and game that the file names."""
    pairs: tuple[Pair, ...]
    """Of all cells of one game, in order of the cells."""
    notes: tuple[str, ...]
    """What a reader of the numbers must know."""
    unplaced: tuple[str, ...]
    """Entries whose cell cannot be told, and why."""
    versions: dict[str, str]
