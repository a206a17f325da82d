"""One kitchen's fixed facts: rooms, tiles, and how far it is between them.

A cell is y * width + x and a pose cell * 4 + heading, as in `Paths`. A room is a
connected piece of floor; a tile touches the rooms that it can be used from.
"""

from collections.abc import Sequence

from hocket.games.overcooked.kitchen import INTERACT
from hocket.games.paths import STEP_X, STEP_Y, Paths

FAR = 10**6
"""Ticks to what cannot be reached."""

_MOST_TABLES = 2000
"""Sets of blocked cells for which tables are kept; two cooks never need as many in a kitchen of any usual size."""


class KitchenMap:
    """All that a cook can know of a kitchen before it is in use."""

    def __init__(self, grid: Sequence[str]) -> None:
        """Read the rows of a grid, in the letters of a layout."""
        self.width = len(grid[0])
        marks = "".join(grid)
        floor = tuple(cell for cell, mark in enumerate(marks) if mark == " ")
        self._offsets = tuple(y * self.width + x for x, y in zip(STEP_X, STEP_Y, strict=True))
        self._floor = frozenset(floor)
        self._paths = Paths(width=self.width, floor=floor, act=INTERACT)
        self.room_of: dict[int, int] = {}
        """Number of the room of each floor cell."""
        rooms = 0
        for cell in floor:
            if cell not in self.room_of:
                self.room_of |= dict.fromkeys(self._paths.room(cell), rooms)
                rooms += 1
        self.rooms_at: dict[int, tuple[int, ...]] = {
            cell: self._rooms_beside(cell) for cell, mark in enumerate(marks) if mark != " "
        }
        """Rooms that touch each tile."""
        self.names = tuple(f"{cell % self.width},{cell // self.width}" for cell in range(len(marks)))
        """How menus name each cell."""
        self._tiles: dict[tuple[str, int], tuple[int, ...]] = {}
        for room in range(rooms):
            for letter in "XOTDPS":
                cells = (cell for cell, mark in enumerate(marks) if mark == letter)
                self._tiles[letter, room] = tuple(cell for cell in cells if room in self.rooms_at[cell])
        self.ingredients = tuple(item for item, letter in (("onion", "O"), ("tomato", "T")) if letter in marks)
        """Kinds that the kitchen has."""
        self._ways: dict[tuple[int, int], tuple[int, frozenset[int]]] = {}
        self._seen: dict[tuple[int, ...], None] = {}
        self._between: dict[tuple[int, int, int], int] = {}
        self._hops: dict[tuple[str, tuple[int, ...]], dict[int, int]] = {}

    def cell(self, place: tuple[int, int]) -> int:
        """Return the cell at (x, y)."""
        return place[1] * self.width + place[0]

    def tiles(self, letter: str, room: int) -> tuple[int, ...]:
        """Return the tiles of one kind that touch a room, in reading order."""
        return self._tiles[letter, room]

    def ticks(self, tile: int, pose: int, blocked: tuple[int, ...] = ()) -> int:
        """Return how long it takes to walk up to `tile` and act on it, FAR where there is no way."""
        ticks, way = self._ways.get((tile, pose)) or self._way(tile, pose)
        if not blocked or way.isdisjoint(blocked):
            return ticks
        plan = self._around(blocked).plan(tile, pose, blocked)
        return FAR if plan is None else len(plan)

    def between(self, room: int, start: int, goal: int) -> int:
        """Return how long it takes to act on `goal` after having acted on `start`, within a room."""
        key = (room, start, goal)
        ticks = self._between.get(key)
        if ticks is None:
            poses = self._facing(start, room)
            ticks = self._between[key] = min((self.ticks(goal, pose) for pose in poses), default=FAR)
        return ticks

    def hops(self, letter: str, occupied: tuple[int, ...]) -> dict[int, int]:
        """Return over how many counters an item travels from each room to a tile of one kind.

        Args:
            letter: kind of the tile.
            occupied: rooms with a cook, which alone pass things on.
        """
        key = (letter, occupied)
        hops = self._hops.get(key)
        if hops is None:
            hops = self._hops[key] = self._count_hops(letter, occupied)
        return hops

    def stand(self, tile: int, pose: int, blocked: tuple[int, ...]) -> int:
        """Return the cell in which the plan of `ticks` ends."""
        cell = pose // 4
        for move in (self._around(blocked).plan(tile, pose, blocked) or ())[:-1]:
            ahead = cell + self._offsets[move]
            cell = ahead if ahead in self._floor and ahead not in blocked else cell
        return cell

    def moved(self, tile: int, pose: int, blocked: tuple[int, ...]) -> int | None:
        """Return the pose after the first action of the plan of `ticks`, None where that acts on `tile`."""
        plan = self._around(blocked).plan(tile, pose, blocked)
        if plan is None:
            return pose
        move = plan[0]
        if move == INTERACT:
            return None
        ahead = pose // 4 + self._offsets[move]
        return 4 * (ahead if ahead in self._floor and ahead not in blocked else pose // 4) + move

    def near(self, cell: int, other: int, reach: int) -> bool:
        """Tell whether two cells are at most `reach` steps apart as the crow walks."""
        (y, x), (v, u) = divmod(cell, self.width), divmod(other, self.width)
        return abs(y - v) + abs(x - u) <= reach

    def _around(self, blocked: tuple[int, ...]) -> Paths:
        """Return paths whose tables do not grow without bound as several cooks stand here and there."""
        self._seen[blocked] = None
        if len(self._seen) > _MOST_TABLES:
            self._seen = {}
            self._paths = Paths(width=self.width, floor=self._floor, act=INTERACT)
        return self._paths

    def _way(self, tile: int, pose: int) -> tuple[int, frozenset[int]]:
        """Work out how long the way is with nobody in it, and the cells that it leads through."""
        plan = self._paths.plan(tile, pose, ())
        cell = pose // 4
        cells: list[int] = []
        for move in (plan or ())[:-1]:
            ahead = cell + self._offsets[move]
            if ahead in self._floor:
                cell = ahead
                cells.append(cell)
        way = self._ways[tile, pose] = FAR if plan is None else len(plan), frozenset(cells)
        return way

    def _rooms_beside(self, tile: int) -> tuple[int, ...]:
        beside = (self.room_of[tile - offset] for offset in self._offsets if tile - offset in self._floor)
        return tuple(dict.fromkeys(beside))

    def _facing(self, tile: int, room: int) -> list[int]:
        stands = ((tile - offset, heading) for heading, offset in enumerate(self._offsets))
        return [cell * 4 + heading for cell, heading in stands if self.room_of.get(cell) == room]

    def _count_hops(self, letter: str, occupied: tuple[int, ...]) -> dict[int, int]:
        hops = {room: 0 for room in occupied if self.tiles(letter, room)}
        for _ in occupied:
            for room in occupied:
                for counter in self.tiles("X", room):
                    for other in self.rooms_at[counter]:
                        if other in hops and hops[other] + 1 < hops.get(room, FAR):
                            hops[room] = hops[other] + 1
        return {room: hops.get(room, FAR) for room in occupied}
