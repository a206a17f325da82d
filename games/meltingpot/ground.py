"""What the options of one world share: its map, ways, windows and beams."""

from collections.abc import Sequence

from hocket.games.meltingpot.actions import STEPS, TURNS
from hocket.games.meltingpot.beam import Beams
from hocket.games.meltingpot.facts import OUT, Facts
from hocket.games.meltingpot.terrain import Terrain
from hocket.games.meltingpot.walks import Walks, Way
from hocket.games.meltingpot.window import Windows
from hocket.runtime.option import Plan

MOST = 8
"""Targets of one class that an option is aimed at."""


class Ground:
    """One map, and how far seats see."""

    def __init__(self, terrain: Terrain, *, whole_world: bool, careful: bool, most: int = MOST) -> None:
        """Look a map over.

        Args:
            terrain: the map.
            whole_world: options are aimed at whatever there is, in view or not.
            careful: ways lead around apples that are not their goal, where they can.
            most: targets of a class, the nearest.
        """
        self.terrain, self.whole_world, self.careful = terrain, whole_world, careful
        self._most = most
        self.walks, self.windows = Walks(terrain), Windows(terrain)
        self.beams = Beams(terrain, self.walks)

    def nearest(self, cells: Sequence[int], facts: Facts, seat: int) -> list[int]:
        """Return the targets among some cells: those in view, the nearest on foot first, ties by coordinates."""
        place = facts.places[seat]
        if place == OUT:
            return []
        seen = cells if self.whole_world else self.windows.seen(cells, facts, seat)
        far, width = self.walks.distances(place), self.terrain.width
        order = sorted([(far[cell], cell % width, cell) for cell in seen])
        return [cell for _, _, cell in order[: self._most]]

    def way(self, goals: tuple[int, ...], facts: Facts, seat: int) -> Way | None:
        """Return the way of a seat that is in the game to the nearest of some cells; lower seats go first."""
        places = facts.places
        lower, higher = frozenset(places[:seat]), frozenset(places[seat + 1 :])
        return self.walks.way(places[seat], goals, lower, higher, facts.apples if self.careful else ())

    def steps(self, way: Way, facts: Facts, seat: int) -> Plan:
        """Return a way as actions of a seat, which keeps its heading."""
        heading, cell, steps = facts.headings[seat], facts.places[seat], self.walks.steps
        plan = []
        for there in way:
            plan.append(STEPS[(steps.index(there - cell) - heading) % 4])
            cell = there
        return tuple(plan)

    def turns(self, heading: int, facts: Facts, seat: int) -> Plan:
        """Return the turns of a seat to a heading."""
        return TURNS[(heading - facts.headings[seat]) % 4]
