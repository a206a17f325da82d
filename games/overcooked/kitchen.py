"""The rules of Overcooked-AI over a flat list of numbers, fast.

Verified step for step against overcooked-ai 1.1.0, and under old dynamics against
`overcooked` 0.2.1 and 46,729 recorded human transitions of 2019.

`state` is [tick; cell, heading, held item of each seat; contents, cooking tick of
each pot; item of each counter]. A cell is y * width + x. Headings and actions are
0 north, 1 south, 2 east, 3 west, and the actions 4 stay, 5 interact. Items are
numbered in `items.py`. A pot that does not cook has cooking tick -1.
"""

from collections.abc import Sequence

from hocket.games.overcooked.grid import FLOOR
from hocket.games.overcooked.layout import Layout
from hocket.games.overcooked.rules import ACTIONS, INTERACT, STAY, Step, make_step
from hocket.games.overcooked.tables import Tables

__all__ = ["ACTIONS", "INTERACT", "STAY", "Kitchen"]


class Kitchen:
    """One kitchen and its present state."""

    step: Step
    """One joint action, in place.

    Args:
        joint: one action a seat.

    Returns:
        Rewards of the seats in game points, and what happened: interacts in seat
        order, then pots that started by themselves.

    Raises:
        ValueError: an action that is not 0 to 5, or not one a seat. Nothing has changed.
    """

    def __init__(self, layout: Layout, old_dynamics: bool = False) -> None:
        """Set a kitchen up in its start state.

        Args:
            layout: the kitchen.
            old_dynamics: the last ingredient that fits starts the pot, and an
                interact with empty hands does not, as in recordings of 2019.
        """
        self.layout, self.old_dynamics = layout, old_dynamics
        self.tables = Tables(layout)
        grid = self.tables.grid
        self.width, self.height, self.players = grid.width, grid.height, self.tables.seats
        self.floor, self.pots, self.counters = self.tiles(FLOOR), grid.pots, grid.counters
        """Their cells, in reading order, which is also the order of pots and counters in the state."""
        self.seat0, self.pot0, self.counter0 = self.tables.seat0, self.tables.pot0, self.tables.counter0
        """Offsets in the state of the first seat, pot and counter."""
        self.state = list(self.tables.start)
        """The list that `step` changes: write into it, never replace it."""
        self.step = make_step(self.tables, self.state, old_dynamics=old_dynamics)

    def tiles(self, letter: str) -> tuple[int, ...]:
        """Every cell of one kind, by its letter in a layout, in reading order; start places are floor."""
        return self.tables.grid.cells_of(letter)

    def reset(self) -> None:
        """Go back to the start state of the layout."""
        self.state[:] = self.tables.start

    def load(self, state: Sequence[int]) -> None:
        """Go to a state of this kitchen, as `facts()` gives it; only its length is checked.

        Raises:
            ValueError: the state of a kitchen with other seats, pots or counters.
        """
        if len(state) != self.tables.size:
            raise ValueError(f"a state of {len(state)} numbers, but {self.layout.name} has {self.tables.size}")
        self.state[:] = state

    def facts(self) -> tuple[int, ...]:
        """The present state."""
        return tuple(self.state)

    def __reduce__(self) -> tuple[object, ...]:
        """Copy and pickle by value: `step` is bound to the list that it changes."""
        return _restored, (type(self), self.layout, self.old_dynamics, self.facts())


def _restored(kind: type[Kitchen], layout: Layout, old_dynamics: bool, state: tuple[int, ...]) -> Kitchen:
    kitchen = kind(layout, old_dynamics)
    kitchen.load(state)
    return kitchen
