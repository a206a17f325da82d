"""What a cook may see: the whole kitchen, from its own place."""

from typing import Literal, TypeAlias

import msgspec

from hocket.games.overcooked.items import item_name, unpack
from hocket.games.overcooked.kitchen import Kitchen
from hocket.runtime.events import Cell

HEADINGS = ("north", "south", "east", "west")
PotState: TypeAlias = Literal["empty", "filling", "full", "cooking", "ready"]
"""`full` is a pot that takes no more and does not cook yet."""


class CookView(msgspec.Struct, frozen=True):
    """One cook."""

    place: Cell
    facing: str
    """`north`, `south`, `east` or `west`."""
    held: str
    """Name of an item, `nothing` for empty hands."""


class PotView(msgspec.Struct, frozen=True):
    """One pot."""

    at: Cell
    contents: tuple[str, ...]
    """Ingredients, first potted first."""
    state: PotState
    left: int
    """Ticks until the soup is done; 0 where it does not cook."""


class KitchenView(msgspec.Struct, frozen=True):
    """The kitchen as one cook sees it."""

    tick: int
    grid: tuple[str, ...]
    """Rows from north to south, in the letters of a layout; start places are floor."""
    me: CookView
    others: tuple[CookView, ...]
    """The other cooks, in seat order."""
    pots: tuple[PotView, ...]
    counters: tuple[tuple[Cell, str], ...]
    """Place and name of every item that lies on a counter."""
    orders: tuple[tuple[str, ...], ...]
    """Soups that are paid for, each with sorted ingredients."""
    bonuses: tuple[tuple[str, ...], ...]
    """Those of them that are paid with a bonus."""


class Viewer:
    """Makes the views of one kitchen; what never changes is worked out once."""

    def __init__(self, kitchen: Kitchen) -> None:
        self._kitchen = kitchen
        self.grid = tuple("".join(" " if mark.isdigit() else mark for mark in row) for row in kitchen.layout.grid)
        """Rows from north to south, in the letters of a layout; start places are floor."""
        self._orders, self._bonuses = kitchen.layout.orders(), kitchen.layout.bonuses()

    def view(self, facts: tuple[int, ...], seat: int) -> KitchenView:
        """See `facts` from `seat`."""
        kitchen = self._kitchen
        cooks = [self.cook(facts, each) for each in range(kitchen.players)]
        return KitchenView(
            tick=facts[0],
            grid=self.grid,
            me=cooks[seat],
            others=(*cooks[:seat], *cooks[seat + 1 :]),
            pots=tuple(self.pot(facts, place) for place in range(len(kitchen.pots))),
            counters=tuple(
                (self._place(cell), item_name(facts[slot]))
                for slot, cell in enumerate(kitchen.counters, kitchen.counter0)
                if facts[slot]
            ),
            orders=self._orders,
            bonuses=self._bonuses,
        )

    def cook(self, facts: tuple[int, ...], seat: int) -> CookView:
        """Return one cook."""
        cell, heading, held = facts[self._kitchen.seat0 + 3 * seat :][:3]
        return CookView(self._place(cell), HEADINGS[heading], item_name(held))

    def pot(self, facts: tuple[int, ...], place: int) -> PotView:
        """Return one pot, by its place among the pots."""
        kitchen = self._kitchen
        contents, cooked = facts[kitchen.pot0 + 2 * place :][:2]
        ingredients = unpack(contents)
        state: PotState = "empty"
        left = 0
        if cooked >= 0:
            left = max(0, kitchen.tables.cook_time[contents] - cooked)
            state = "cooking" if left else "ready"
        elif contents:
            state = "full" if len(ingredients) == kitchen.layout.max_num_ingredients else "filling"
        return PotView(self._place(kitchen.pots[place]), ingredients, state, left)

    def _place(self, cell: int) -> Cell:
        return cell % self._kitchen.width, cell // self._kitchen.width
