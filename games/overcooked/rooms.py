"""The rooms in which cooks work, and which of them the tiles of a kitchen border."""

from collections.abc import Iterable

from hocket.games.overcooked.kitchen import Kitchen
from hocket.games.paths import Paths


class Rooms:
    """Floor that is walked from one end to the other, wherever a cook starts."""

    def __init__(self, kitchen: Kitchen, paths: Paths) -> None:
        grid = kitchen.tables.grid
        self.rooms = tuple(sorted({paths.room(cell) for cell in grid.starts}))
        """The cells of each."""
        width = kitchen.width
        beside = (1, -1, width, -width)
        self._borders = [{cell + step for cell in room for step in beside} for room in self.rooms]
        self._pots = [grid.place(pot) for pot in kitchen.pots]
        self._place = grid.place

    def of(self, tile: int) -> list[int]:
        """Return the numbers of the rooms that `tile` borders."""
        return [number for number, border in enumerate(self._borders) if tile in border]

    def shared(self, tiles: Iterable[int]) -> list[int]:
        """Return the tiles that two rooms or more border: things are handed over there."""
        return [tile for tile in tiles if len(self.of(tile)) > 1]

    def near_pots(self, tiles: Iterable[int], most: int) -> list[int]:
        """Return up to `most` tiles of each room that no other room borders, those nearest to a pot."""
        own = [tile for tile in tiles if len(self.of(tile)) == 1]
        own.sort(key=self._from_pot)
        return sorted(
            tile for room in range(len(self.rooms)) for tile in [t for t in own if self.of(t) == [room]][:most]
        )

    def _from_pot(self, tile: int) -> int:
        x, y = self._place(tile)
        return min(abs(x - pot_x) + abs(y - pot_y) for pot_x, pot_y in self._pots)
