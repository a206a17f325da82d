"""Shortest plans on a grid to stand before a target and act on it, as tables.

A pose is cell * 4 + heading, a cell y * width + x, headings are north, south,
east, west as 0 to 3, and so are the moves; a move into what cannot be entered
turns without moving. A table holds the plan from every pose to one target while
some cells are blocked; it is made by one breadth-first search when it is first
asked for, after which a replan is a look-up.
"""

from collections import deque
from collections.abc import Collection

from hocket.runtime.option import Plan

_KEPT = 2048
"""Sets of blocked cells whose tables are kept; the oldest go first."""

STEP_X, STEP_Y = (0, 0, 1, -1), (-1, 1, 0, 0)


class Paths:
    """All plans of one grid."""

    def __init__(self, *, width: int, floor: Collection[int], act: int) -> None:
        """Set a grid up.

        Args:
            width: of the grid, in cells.
            floor: cells that can be stood on.
            act: the primitive action that ends each plan, facing the target.
        """
        self._offsets = tuple(y * width + x for x, y in zip(STEP_X, STEP_Y, strict=True))
        self._floor = tuple(sorted(floor))
        self._free = frozenset(floor)
        self._act = act
        self._tables: dict[tuple[int, ...], dict[int, list[Plan | None]]] = {}

    def plan(self, target: int, pose: int, blocked: tuple[int, ...]) -> Plan | None:
        """Return the shortest plan from `pose`, or None where there is no path.

        Ties are broken by heading, north first, the same in every process.

        Args:
            target: cell to face and act on.
            pose: where the plan starts.
            blocked: cells that others stand on, sorted.
        """
        tables = self._tables.get(blocked)
        if tables is None:
            if len(self._tables) >= _KEPT:
                del self._tables[next(iter(self._tables))]
            tables = self._tables[blocked] = {}
        table = tables.get(target)
        if table is None:
            table = tables[target] = self._search(target, blocked)
        return table[pose]

    def reachable(self, target: int) -> bool:
        """Tell whether `target` has a cell beside it to act from, blocked or not."""
        return any(target - offset in self._free for offset in self._offsets)

    def room(self, cell: int) -> tuple[int, ...]:
        """Return the cells that can be walked to from `cell`, itself included, in order."""
        seen, waiting = {cell}, [cell]
        while waiting:
            here = waiting.pop()
            for offset in self._offsets:
                there = here + offset
                if there in self._free and there not in seen:
                    seen.add(there)
                    waiting.append(there)
        return tuple(sorted(seen))

    def _search(self, target: int, blocked: tuple[int, ...]) -> list[Plan | None]:
        enterable = self._free.difference(blocked)
        stands = [cell for cell in self._floor if cell in enterable]
        before: dict[int, list[tuple[int, int]]] = {}
        for cell in stands:
            for move, offset in enumerate(self._offsets):
                there = cell + offset if cell + offset in enterable else cell
                before.setdefault(there * 4 + move, []).extend((cell * 4 + heading, move) for heading in range(4))
        table: list[Plan | None] = [None] * (4 * (max(self._floor) + 1))
        queue: deque[int] = deque()
        for cell in stands:
            for heading, offset in enumerate(self._offsets):
                if cell + offset == target:
                    table[cell * 4 + heading] = (self._act,)
                    queue.append(cell * 4 + heading)
        while queue:
            pose = queue.popleft()
            rest = table[pose]
            for earlier, move in before.get(pose, ()):
                if table[earlier] is None and rest is not None:
                    table[earlier] = (move, *rest)
                    queue.append(earlier)
        return table
