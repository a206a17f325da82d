"""The floor plan of a kitchen, checked and as look-up tables.

A cell is the number y * width + x, a pose the number cell * 4 + heading.
"""

from hocket.runtime.events import Cell

HEADINGS = ("north", "south", "east", "west")
OFFSETS = ((0, -1), (0, 1), (1, 0), (-1, 0))
FLOOR, COUNTER, ONIONS, TOMATOES, DISHES, POT, SERVING = " XOTDPS"
PLAYERS = "123456789"
LARGEST = 128
"""Longest side of a grid, in cells."""


def grid_problem(rows: tuple[str, ...]) -> str | None:
    """What is wrong with a grid, as half a sentence; None if nothing is."""
    if not rows or not rows[0]:
        return "its grid is empty"
    if len(rows) > LARGEST or max(map(len, rows)) > LARGEST:
        return f"its grid is longer than {LARGEST} cells"
    for y, row in enumerate(rows):
        if len(row) != len(rows[0]):
            return f"its grid is ragged: row {y} has {len(row)} cells and row 0 has {len(rows[0])}"
    return _character_problem(rows) or _border_problem(rows) or _player_problem("".join(rows)) or _missing(rows)


def _character_problem(rows: tuple[str, ...]) -> str | None:
    for y, row in enumerate(rows):
        for x, character in enumerate(row):
            if character not in " XOTDPS" + PLAYERS:
                return f"{character!r} at ({x}, {y}) is none of X O T D P S, a blank and the players 1 to 9"
    return None


def _border_problem(rows: tuple[str, ...]) -> str | None:
    for y, row in enumerate(rows):
        for x, character in enumerate(row):
            on_border = y in (0, len(rows) - 1) or x in (0, len(row) - 1)
            if on_border and character in " " + PLAYERS:
                return f"its border is open at ({x}, {y})"
    return None


def _player_problem(cells: str) -> str | None:
    players = sorted(character for character in cells if character in PLAYERS)
    if not players:
        return "it has no player"
    for number, player in enumerate(players, start=1):
        if players.count(player) > 1:
            return f"player {player} stands in two places"
        if int(player) != number:
            return f"it has a player {players[-1]} but no player {number}"
    return None


def _missing(rows: tuple[str, ...]) -> str | None:
    cells = "".join(rows)
    needed = (("P", "pot (P)"), ("D", "dishes (D)"), ("S", "serving counter (S)"))
    for character, name in needed:
        if character not in cells:
            return f"it has no {name}"
    if "O" not in cells and "T" not in cells:
        return "it has no ingredient (O or T)"
    return None


class Grid:
    """Where everything is in one kitchen; never changes."""

    def __init__(self, rows: tuple[str, ...]) -> None:
        self.width, self.height = len(rows[0]), len(rows)
        marks = "".join(rows)
        self.terrain = "".join(FLOOR if mark in PLAYERS else mark for mark in marks)
        """One character a cell; where players start is floor."""
        self.starts = tuple(marks.index(player) for player in PLAYERS if player in marks)
        """The cell in which each player starts."""
        self.pots = self.cells_of(POT)
        self.counters = self.cells_of(COUNTER)
        ahead = [self._ahead(pose) for pose in range(4 * len(marks))]
        self.ahead = tuple(ahead)
        """The cell that a pose faces; the own cell in a wall."""
        self.moved = tuple(target if self.terrain[target] == FLOOR else pose // 4 for pose, target in enumerate(ahead))
        """The cell after a step in the heading of the pose, with nobody in the way."""

    def cells_of(self, character: str) -> tuple[int, ...]:
        """Every cell with one kind of terrain, in reading order."""
        return tuple(cell for cell, found in enumerate(self.terrain) if found == character)

    def place(self, cell: int) -> Cell:
        """(x, y) of a cell."""
        return cell % self.width, cell // self.width

    def cell(self, place: Cell) -> int | None:
        """The cell at (x, y); None outside the grid."""
        x, y = place
        return y * self.width + x if 0 <= x < self.width and 0 <= y < self.height else None

    def _ahead(self, pose: int) -> int:
        cell, heading = divmod(pose, 4)
        if self.terrain[cell] != FLOOR:
            return cell
        dx, dy = OFFSETS[heading]
        return cell + dy * self.width + dx
