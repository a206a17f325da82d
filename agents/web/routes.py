"""The way that an option would take, for a page to draw."""

from typing import Any

from hocket.games.meltingpot.actions import STEPS
from hocket.games.meltingpot.facts import OUT
from hocket.games.meltingpot.world import MeltingPot
from hocket.games.overcooked.kitchen import STAY
from hocket.games.overcooked.world import Overcooked
from hocket.runtime.events import Cell
from hocket.runtime.game import Game
from hocket.runtime.option import Failure, Instance, Library


def path_of(game: Game[Any], library: Library[Any], facts: Any, seat: int, entry: Instance) -> tuple[Cell, ...]:
    """Return the cells that would be walked over now; empty where that is none, or not known of this game.

    Args:
        game: that is played.
        library: of its options.
        facts: of this moment.
        seat: who would go.
        entry: of its menu.
    """
    plan = library.by_name[entry.option].expand(entry, facts, seat)
    if isinstance(plan, Failure):
        return ()
    if isinstance(game, Overcooked):
        return _through_kitchen(game, facts, seat, plan)
    return _through_world(game, facts, seat, plan) if isinstance(game, MeltingPot) else ()


def _through_kitchen(game: Overcooked, facts: Any, seat: int, plan: tuple[int, ...]) -> tuple[Cell, ...]:
    grid = game.kitchen.tables.grid
    cell, cells = facts[game.kitchen.seat0 + 3 * seat], []
    for action in plan:
        if action < STAY:
            there = grid.moved[cell * 4 + action]
            if there != cell:
                cells.append(grid.place(there))
            cell = there
    return tuple(cells)


def _through_world(game: MeltingPot, facts: Any, seat: int, plan: tuple[int, ...]) -> tuple[Cell, ...]:
    cell, heading, steps = facts.places[seat], facts.headings[seat], game.ground.walks.steps
    cells = []
    for action in plan if cell != OUT else ():
        if action in STEPS:
            cell += steps[(heading + STEPS.index(action)) % 4]
            cells.append(game.terrain.place(cell))
    return tuple(cells)
