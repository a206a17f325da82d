"""Where a beam goes: three rays of three cells, side by side.

The middle one starts in front of the avatar, the others beside it. A ray ends at a wall,
and at the first thing that it hits. Cleaning takes the first dirt of each ray.
"""

from functools import lru_cache
from typing import TypeAlias

from hocket.games.meltingpot.terrain import Terrain
from hocket.games.meltingpot.walks import Walks

Ray: TypeAlias = tuple[int, ...]


class Beams:
    """The beams of one map, of one length, each worked out once."""

    def __init__(self, terrain: Terrain, walks: Walks, length: int = 3) -> None:
        self._walls, self._floor, self._steps = terrain.walls, frozenset(terrain.floor), walks.steps
        self._length = length
        reach = range(-length, length + 1)
        self._around = tuple(y * terrain.width + x for y in reach for x in reach)
        self.rays = lru_cache(maxsize=None)(self._rays)
        """The three rays from a pose: left, middle, right."""
        self.poses = lru_cache(maxsize=None)(self._poses)
        """Poses (cell, heading) from which a ray covers a cell, each with the cells before it on that ray."""

    def _rays(self, cell: int, heading: int) -> tuple[Ray, ...]:
        ahead, right = self._steps[heading], self._steps[(heading + 1) % 4]
        return tuple(self._ray(first, ahead) for first in (cell - right, cell + ahead, cell + right))

    def _ray(self, cell: int, ahead: int) -> Ray:
        ray: list[int] = []
        while len(ray) < self._length and cell not in self._walls:
            ray.append(cell)
            cell += ahead
        return tuple(ray)

    def _poses(self, target: int) -> tuple[tuple[int, int, Ray], ...]:
        found = []
        for cell in (target + offset for offset in self._around if target + offset in self._floor):
            for heading in range(4):
                for ray in self.rays(cell, heading):
                    if target in ray:
                        found.append((cell, heading, ray[: ray.index(target)]))
        return tuple(found)
