"""The shortest ways over a map's floor, for avatars that step in any direction without turning.

A way is the cells that are entered, the last of them the goal. Ties are broken north
first, then east, south, west, and around others to the right, so that two who meet pass
each other. Ways are the same in every process.
"""

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import TypeAlias

from hocket.games.meltingpot.terrain import Terrain

Way: TypeAlias = tuple[int, ...]
NEAR = 3
"""Steps from which on somebody is in the way of whoever goes first."""
FAR = 10_000
"""Stands for the length of a way that does not exist."""


class Walks:
    """All ways of one map; what does not depend on who stands where is worked out once."""

    def __init__(self, terrain: Terrain) -> None:
        self.steps = (-terrain.width, 1, terrain.width, -1)
        """What a step north, east, south, west adds to a cell."""
        floor = frozenset(terrain.floor)
        orders = [(ahead, (ahead + 1) % 4, (ahead + 3) % 4, (ahead + 2) % 4) for ahead in range(4)]
        around = [[self.steps[each] for each in order] for order in orders]
        self._next = [
            {cell: [cell + step for step in steps if cell + step in floor] for cell in terrain.floor}
            for steps in around
        ]
        """Floor around each cell, by what is ahead: that first, then right, left and back."""
        self._cells = terrain.width * terrain.height
        self.distances = lru_cache(maxsize=None)(self._distances)
        """Steps from one cell to each, `FAR` where there is no way; shape [cells]."""
        self._static = lru_cache(maxsize=None)(self._free_way)

    def way(
        self,
        start: int,
        goals: tuple[int, ...],
        first: frozenset[int],
        later: frozenset[int] = frozenset(),
        avoided: Collection[int] = (),
    ) -> Way | None:
        """Return the shortest way around walls and those who stand in it; empty where there is none to go.

        Of two who are in each other's way, only one goes around from afar, since both would dance. Where the others
        leave no way at all, the one that there would be without them is taken as long as its next cell is free.

        Args:
            start: cell to start from.
            goals: any of which will do.
            first: cells of those who are gone around wherever they stand in the way.
            later: cells of those who are gone around once they are near.
            avoided: cells that are gone around where that is possible, though not where they are goals.

        Returns:
            The cells to enter, None where there is no way for now.
        """
        free = self._static(start, goals)
        if not free:
            return free
        clear = first.isdisjoint(free) and later.isdisjoint(free[:NEAR])
        if clear and (not avoided or frozenset(avoided).isdisjoint(free[:-1])):
            return free
        blocked, ahead = frozenset((*first, *later)), self.steps.index(free[0] - start)
        around = self._search(start, goals, blocked | frozenset(avoided).difference(goals), ahead) if avoided else None
        if around is None:
            around = self._search(start, goals, blocked, ahead)
        if around is not None:
            return around
        return None if free[0] in blocked else free

    def _free_way(self, start: int, goals: tuple[int, ...]) -> Way | None:
        return self._search(start, goals, frozenset())

    def _search(self, start: int, goals: tuple[int, ...], blocked: Collection[int], ahead: int = 0) -> Way | None:
        """Search breadth first; goals that are blocked count for nothing, but the start does."""
        wanted = frozenset(goals)
        if start in wanted:
            return ()
        came, border, following = {start: start}, [start], self._next[ahead]
        for cell in border:  # grows as it is walked
            for there in following[cell]:
                if there not in came and there not in blocked:
                    came[there] = cell
                    if there in wanted:
                        return _traced(came, there)
                    border.append(there)
        return None

    def _distances(self, start: int) -> Sequence[int]:
        far = [FAR] * self._cells
        far[start] = 0
        border = [start]
        for cell in border:  # grows as it is walked
            for there in self._next[0][cell]:
                if far[there] == FAR:
                    far[there] = far[cell] + 1
                    border.append(there)
        return far


def _traced(came: dict[int, int], cell: int) -> Way:
    way = [cell]
    while came[cell] != came[came[cell]]:
        cell = came[cell]
        way.append(cell)
    return tuple(reversed(way))
