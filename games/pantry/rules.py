"""The pantry: cooks carry jars from a shelf to a hatch, past a table.

The floor is 5 by 3 cells, x 1 to 5 and y 1 to 3; cooks walk through one another.
Each fixture is used from the floor cell before it: the shelf gives a jar to empty
hands, the table takes a jar or gives one back, the hatch is opened by empty hands
and takes one jar while it is open, for one point, after which it is shut again.
"""

from collections.abc import Sequence

import msgspec

from hocket.runtime.events import Cell, GameEvent

ACTIONS = ("north", "south", "east", "west", "stay", "act")
STAY, ACT = 4, 5
STEPS: tuple[Cell, ...] = ((0, -1), (0, 1), (1, 0), (-1, 0))
SHELF, TABLE, HATCH = (0, 2), (3, 0), (6, 2)
BEFORE = {SHELF: (1, 2), TABLE: (3, 1), HATCH: (5, 2)}
"""The floor cell from which a fixture is used."""
FLOOR = tuple((x, y) for y in (1, 2, 3) for x in range(1, 6))
ROOM_ON_TABLE = 3


class Facts(msgspec.Struct, frozen=True):
    """The whole state of a pantry."""

    places: tuple[Cell, ...]
    """Where each seat stands."""
    held: tuple[bool, ...]
    """Whether each seat carries a jar."""
    jars: int = 0
    """Jars on the table, 0 to 3."""
    hatch_open: bool = False


def move(facts: Facts, joint: Sequence[int]) -> tuple[Facts, tuple[float, ...], tuple[GameEvent, ...]]:
    """Carry out one action a seat, in seat order.

    Returns:
        The next state, game points by seat, and what happened.
    """
    places, held = list(facts.places), list(facts.held)
    jars, hatch_open = facts.jars, facts.hatch_open
    rewards, events = [0.0] * len(places), []
    for seat, action in enumerate(joint):
        if action < STAY:
            dx, dy = STEPS[action]
            there = (places[seat][0] + dx, places[seat][1] + dy)
            places[seat] = there if there in FLOOR else places[seat]
        elif action == ACT and places[seat] == BEFORE[SHELF] and not held[seat]:
            held[seat] = True
            events.append(GameEvent("picked_up", seat, "jar", SHELF))
        elif action == ACT and places[seat] == BEFORE[TABLE]:
            if held[seat] and jars < ROOM_ON_TABLE:
                held[seat], jars = False, jars + 1
                events.append(GameEvent("put_down", seat, "jar", TABLE))
            elif not held[seat] and jars:
                held[seat], jars = True, jars - 1
                events.append(GameEvent("took", seat, "jar", TABLE))
        elif action == ACT and places[seat] == BEFORE[HATCH]:
            if held[seat] and hatch_open:
                held[seat], hatch_open = False, False
                rewards[seat] = 1.0
                events.append(GameEvent("delivered", seat, "jar", HATCH, 1.0))
            elif not held[seat] and not hatch_open:
                hatch_open = True
                events.append(GameEvent("opened", seat, "hatch", HATCH))
    after = Facts(tuple(places), tuple(held), jars, hatch_open)
    return after, tuple(rewards), tuple(events)
