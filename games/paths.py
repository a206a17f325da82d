"""Shortest plans on a grid to stand before a target and act on it, as tables.

A pose is cell * 4 + heading, a cell y * width + x, headings are north, south,
east, west as 0 to 3, and so are the moves; a move into what cannot be entered
turns without moving. A table holds the plan from every pose to one target while
some cells are blocked; it is made by one breadth-first search when it is first
asked for, after which a replan is a look-up.
"""

from array import array
from collections.abc import Collection
from typing import Protocol

from hocket.runtime.option import Plan

_LARGE = 300
"""Floor cells beyond which plans are not written out: there they would fill the memory."""
_MOST_BYTES = 128 * 2**20
"""What the tables of one grid may take, roughly; the oldest go first."""

STEP_X, STEP_Y = (0, 0, 1, -1), (-1, 1, 0, 0)


class Table(Protocol):
    """Plans to one target, looked up by pose."""

    def __getitem__(self, pose: int, /) -> Plan | None:
        """Return the shortest plan from a pose, None where there is no path."""
        ...


class _Steps:
    """A table of a large grid: the next move of each pose alone, walked along when a plan is asked for."""

    def __init__(self, moves: "array[int]", then: "array[int]") -> None:
        self._moves, self._then = moves, then

    def __getitem__(self, pose: int) -> Plan | None:
        if self._moves[pose] < 0:
            return None
        plan: list[int] = []
        while pose >= 0:
            plan.append(self._moves[pose])
            pose = self._then[pose]
        return tuple(plan)


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
        self._tables: dict[tuple[int, ...], dict[int, Table]] = {}
        self._poses = 4 * (max(self._floor) + 1)
        self._large = len(self._floor) > _LARGE
        self._most = max(1, _MOST_BYTES // (self._poses * (8 if self._large else 120)))
        """Tables that are kept."""
        self._count = 0

    def table(self, target: int, blocked: tuple[int, ...]) -> Table:
        """Return the shortest plan from each pose, None where there is no path.

        Ties are broken by heading, north first, the same in every process.

        Args:
            target: cell to face and act on.
            blocked: cells that others stand on, sorted.
        """
        table = self._tables.setdefault(blocked, {}).get(target)
        if table is None:
            while self._count >= self._most:
                self._count -= len(self._tables.pop(next(iter(self._tables))))
            table = self._search(target, blocked)
            self._tables.setdefault(blocked, {})[target] = table
            self._count += 1
        return table

    def plan(self, target: int, pose: int, blocked: tuple[int, ...]) -> Plan | None:
        """Return the shortest plan from one pose."""
        return self.table(target, blocked)[pose]

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

    def _search(self, target: int, blocked: tuple[int, ...]) -> Table:
        enterable = self._free.difference(blocked)
        stands = [cell for cell in self._floor if cell in enterable]
        before: dict[int, list[tuple[int, int]]] = {}
        for cell in stands:
            for move, offset in enumerate(self._offsets):
                there = cell + offset if cell + offset in enterable else cell
                before.setdefault(there * 4 + move, []).extend((cell * 4 + heading, move) for heading in range(4))
        moves, then = array("b", [-1]) * self._poses, array("i", [-1]) * self._poses
        order: list[int] = []
        for cell in stands:
            for heading, offset in enumerate(self._offsets):
                if cell + offset == target:
                    moves[cell * 4 + heading] = self._act
                    order.append(cell * 4 + heading)
        for pose in order:  # grows as it is walked: breadth first
            for earlier, move in before.get(pose, ()):
                if moves[earlier] < 0:
                    moves[earlier], then[earlier] = move, pose
                    order.append(earlier)
        return _Steps(moves, then) if self._large else self._written_out(order, moves, then)

    def _written_out(self, order: list[int], moves: "array[int]", then: "array[int]") -> list[Plan | None]:
        table: list[Plan | None] = [None] * self._poses
        for pose in order:
            rest = table[then[pose]] if then[pose] >= 0 else ()
            table[pose] = (moves[pose], *(rest or ()))
        return table
