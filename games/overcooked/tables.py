"""Everything about a layout that its rules look up.

A state is one flat list of numbers: the tick; three a seat (cell, heading, held
item); two a pot (contents, cooking tick, -1 before it cooks); one a counter (the
item on it). Pots and counters stand in reading order.
"""

from itertools import product

from hocket.games.overcooked.grid import HEADINGS, Grid
from hocket.games.overcooked.items import INGREDIENTS, SOUP, item_code, pack
from hocket.games.overcooked.layout import Layout
from hocket.games.overcooked.start_state import StartState

SEAT0 = 1


class Tables:
    """Look-up tables of one layout; never change."""

    def __init__(self, layout: Layout) -> None:
        grid = self.grid = Grid(layout.grid)
        self.seats = len(grid.starts)
        self.seat0 = SEAT0
        self.pot0 = SEAT0 + 3 * self.seats
        self.counter0 = self.pot0 + 2 * len(grid.pots)
        self.size = self.counter0 + len(grid.counters)
        self.slots = {cell: self.pot0 + 2 * index for index, cell in enumerate(grid.pots)}
        self.slots |= {cell: self.counter0 + index for index, cell in enumerate(grid.counters)}
        """Where in the state a pot or counter stands."""
        self.items = SOUP + 3**layout.max_num_ingredients
        """Item numbers are below this."""
        self.full = 3 ** (layout.max_num_ingredients - 1)
        """Contents from here on fill a pot."""
        self.cook_time = [0] * (self.items - SOUP)
        """Ticks that contents cook."""
        self.points = [0.0] * self.items
        """Game points for delivering an item."""
        for size in range(1, layout.max_num_ingredients + 1):
            for soup in product(INGREDIENTS, repeat=size):
                self.cook_time[pack(soup)] = layout.time(soup)
                self.points[SOUP + pack(soup)] = layout.points(soup)
        start = layout.start_state
        self.start = self.blank() if start is None else self.facts_of(start)
        """The state in which an episode starts."""

    def blank(self) -> tuple[int, ...]:
        """An empty kitchen with every player at its starting place."""
        state = [0] * self.size
        for seat, cell in enumerate(self.grid.starts):
            state[SEAT0 + 3 * seat] = cell
        state[self.pot0 + 1 : self.counter0 : 2] = [-1] * len(self.grid.pots)
        return tuple(state)

    def facts_of(self, start: StartState) -> tuple[int, ...]:
        """The flat form of a start state that has been checked."""
        state = list(self.blank())
        state[0] = start.tick
        for seat, player in enumerate(start.players):
            cell, heading = self.grid.cell(player.at), HEADINGS.index(player.facing)
            state[SEAT0 + 3 * seat : SEAT0 + 3 * seat + 3] = [cell or 0, heading, item_code(player.holds)]
        for thing in start.objects:
            slot, item = self.slots[self.grid.cell(thing.at) or 0], item_code(thing.item)
            if slot < self.counter0:
                cooked = -1 if thing.cooking_tick is None else thing.cooking_tick
                state[slot : slot + 2] = [item - SOUP, cooked]
            else:
                state[slot] = item
        return tuple(state)
