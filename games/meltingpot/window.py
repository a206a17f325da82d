"""The cells that an avatar sees: 11 by 11, turned to its heading.

Nine ahead and one behind, five to each side. Nothing blocks the view. What is outside of the map is seen as nothing.
"""

from collections.abc import Sequence
from functools import lru_cache

from hocket.games.meltingpot.facts import OUT, Facts
from hocket.games.meltingpot.terrain import Terrain

SIDE, AHEAD, BEHIND = 5, 9, 1
SPAN = 2 * SIDE + 1
"""Cells of a row; there are as many rows."""
NOWHERE = -1
"""Stands for a cell outside of the map."""
_AHEAD = ((0, -1), (1, 0), (0, 1), (-1, 0))
"""A step ahead as x and y, by heading."""


class Windows:
    """The windows of one map, each worked out once."""

    def __init__(self, terrain: Terrain) -> None:
        self._width, self._height = terrain.width, terrain.height
        self.rows = lru_cache(maxsize=None)(self._rows)
        """Cells of a pose as rows from the farthest ahead, each from left to right; shape [121]."""
        self.cells = lru_cache(maxsize=None)(self._cells)
        """The same as a set, without those outside of the map."""

    def seen(self, cells: Sequence[int], facts: Facts, seat: int) -> list[int]:
        """Return those of some cells that a seat has in view, in their order; none while it is out of the game."""
        place = facts.places[seat]
        if place == OUT:
            return []
        window = self.cells(place, facts.headings[seat])
        return [cell for cell in cells if cell in window]

    def index(self, cell: int, heading: int, there: int) -> int:
        """Return the place of a cell among the rows of a pose, `NOWHERE` where it is not in view."""
        x, y = there % self._width - cell % self._width, there // self._width - cell // self._width
        ahead_x, ahead_y = _AHEAD[heading]
        ahead, right = x * ahead_x + y * ahead_y, y * ahead_x - x * ahead_y
        inside = -BEHIND <= ahead <= AHEAD and -SIDE <= right <= SIDE
        return (AHEAD - ahead) * SPAN + right + SIDE if inside else NOWHERE

    def _rows(self, cell: int, heading: int) -> tuple[int, ...]:
        x, y = cell % self._width, cell // self._width
        ahead_x, ahead_y = _AHEAD[heading]
        right_x, right_y = -ahead_y, ahead_x
        found = []
        for ahead in range(AHEAD, -BEHIND - 1, -1):
            for right in range(-SIDE, SIDE + 1):
                at_x, at_y = x + ahead * ahead_x + right * right_x, y + ahead * ahead_y + right * right_y
                inside = 0 <= at_x < self._width and 0 <= at_y < self._height
                found.append(at_y * self._width + at_x if inside else NOWHERE)
        return tuple(found)

    def _cells(self, cell: int, heading: int) -> frozenset[int]:
        return frozenset(self.rows(cell, heading)) - {NOWHERE}
