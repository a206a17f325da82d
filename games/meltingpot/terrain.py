"""The map of a substrate, which never changes.

Walls, water, and where apples and dirt can be. Read from the substrate's own
configuration, as text: none of it is run. A cell is y * width + x.
"""

import ast
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from hocket.runtime.events import Cell

REACH = 2
"""How far an apple's neighbours are, in the L2 norm; sites that are neighbours of neighbours make up a patch."""
_WALL, _WATER, _GRASS = ("wall",), ("river",), ("grass",)
_APPLES, _DIRT = ("potential_apple", "apple"), ("potential_dirt", "actual_dirt")


class Terrain:
    """One map."""

    def __init__(self, rows: Sequence[str], prefabs: dict[str, tuple[str, ...]]) -> None:
        """Lay out a map.

        Args:
            rows: from north to south, one character a cell.
            prefabs: what stands on a cell, by character.
        """
        self.rows = tuple(rows)
        self.prefabs = prefabs
        self.width, self.height = len(rows[0]), len(rows)
        self._marks = "".join(rows)
        self.walls = frozenset(self._cells(_WALL))
        self.floor = tuple(cell for cell in range(len(self._marks)) if cell not in self.walls)
        """Cells that can be stood on: water too, and dirt."""
        self.water = frozenset(self._cells(_WATER))
        self.apple_sites = self._cells(_APPLES)
        self.dirt_sites = self._cells(_DIRT)
        self.grass = frozenset(self._cells(_GRASS)) | frozenset(self.apple_sites)

    def place(self, cell: int) -> Cell:
        """Return the x and y of a cell."""
        return cell % self.width, cell // self.width

    def cell(self, place: Cell) -> int:
        """Return the cell at x and y."""
        return place[1] * self.width + place[0]

    @cached_property
    def patches(self) -> tuple[tuple[int, ...], ...]:
        """Apple sites that hang together, in reading order of their first cells."""
        left, found = dict.fromkeys(self.apple_sites), []
        while left:
            patch = [next(iter(left))]
            del left[patch[0]]
            for cell in patch:  # grows as it is walked
                near = [other for other in left if self._near(cell, other)]
                patch += near
                for other in near:
                    del left[other]
            found.append(tuple(sorted(patch)))
        return tuple(found)

    @cached_property
    def patch_of(self) -> dict[int, int]:
        """Number of the patch of each apple site."""
        return {cell: number for number, patch in enumerate(self.patches) for cell in patch}

    @cached_property
    def centres(self) -> tuple[int, ...]:
        """The site of each patch that is nearest to its middle."""
        return tuple(self._middle(patch) for patch in self.patches)

    def edge(self, sites: Iterable[int]) -> tuple[int, ...]:
        """Return the floor cells that border some sites and are none of them."""
        wanted = frozenset(sites)
        steps = (-self.width, 1, self.width, -1)
        around = {cell + step for cell in wanted for step in steps}
        return tuple(sorted(around - wanted - self.walls))

    def _cells(self, wanted: tuple[str, ...]) -> tuple[int, ...]:
        return tuple(
            cell for cell, mark in enumerate(self._marks) if any(prefab in wanted for prefab in self.prefabs[mark])
        )

    def _near(self, one: int, other: int) -> bool:
        (x, y), (there_x, there_y) = self.place(one), self.place(other)
        return (x - there_x) ** 2 + (y - there_y) ** 2 <= REACH**2

    def _middle(self, patch: tuple[int, ...]) -> int:
        places = [self.place(cell) for cell in patch]
        x, y = (sum(numbers) / len(places) for numbers in zip(*places, strict=True))
        return min(patch, key=lambda cell: (cell % self.width - x) ** 2 + (cell // self.width - y) ** 2)


def read_terrain(configuration: Path) -> Terrain:
    """Read the map of a substrate out of its configuration, a file of Python."""
    named: dict[str, Any] = {}
    for line in ast.parse(configuration.read_text(encoding="utf-8")).body:
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
            name = line.targets[0].id
            if name in ("ASCII_MAP", "CHAR_PREFAB_MAP"):
                named[name] = ast.literal_eval(line.value)
    prefabs = {
        mark: (what,) if isinstance(what, str) else tuple(what["list"])
        for mark, what in named["CHAR_PREFAB_MAP"].items()
    }
    rows = named["ASCII_MAP"].strip("\n").split("\n")
    return Terrain(rows, {" ": ()} | prefabs)
