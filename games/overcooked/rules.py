"""What one step of a kitchen does, as functions over a flat list of numbers.

The order within a step is that of overcooked-ai 1.1.0: interacts, first seat
first; then moves, which all fail if any two collide or swap; then pots. The
functions are closures whose tables are local names: this is the hot path of
burn-in, so they are long, and the one for two seats repeats the general one.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Protocol, TypeAlias

from hocket.games.overcooked.event_table import EventTable, StepResult, merged
from hocket.games.overcooked.grid import COUNTER, DISHES, FLOOR, ONIONS, POT, TOMATOES
from hocket.games.overcooked.items import DISH, NOTHING, ONION, SOUP, TOMATO
from hocket.games.overcooked.tables import SEAT0, Tables

Interact: TypeAlias = Callable[[], StepResult | None]

ACTIONS = ("north", "south", "east", "west", "stay", "interact")
STAY, INTERACT = 4, 5

_DISPENSED = {ONIONS: ONION, TOMATOES: TOMATO, DISHES: DISH}


class Step(Protocol):
    """The step of one kitchen."""

    def __call__(self, joint: Sequence[int]) -> StepResult:
        """Carry out one action a seat, in place."""
        ...


def make_step(tables: Tables, state: list[int], *, old_dynamics: bool) -> Step:
    """The step of one kitchen, which changes its state in place."""
    interacts = [_make_interact(tables, state, seat, old_dynamics) for seat in range(tables.seats)]
    tick_pots = _make_pots(tables, state, old_dynamics)
    if tables.seats == 2 and not old_dynamics:
        return _make_step_of_two(tables, state, interacts[0], interacts[1])
    return _make_step_of_any(tables, state, interacts, tick_pots)


def _make_interact(tables: Tables, state: list[int], seat: int, old_dynamics: bool) -> Interact:
    """One seat's interact; long, since it is the hot path."""
    at, facing, hand = SEAT0 + 3 * seat, SEAT0 + 3 * seat + 1, SEAT0 + 3 * seat + 2
    grid, cook_time, full = tables.grid, tables.cook_time, tables.full
    target = [grid.terrain[cell] for cell in grid.ahead]
    slots = [tables.slots.get(cell, 0) for cell in grid.ahead]
    keys = [cell * tables.items for cell in grid.ahead]
    dispensed = [_DISPENSED.get(terrain, NOTHING) for terrain in target]

    def table(kind: str, points: tuple[float, ...] = ()) -> EventTable:
        return EventTable(kind, seat=seat, seats=tables.seats, items=tables.items, place=grid.place, points=points)

    picked_up, took, put_down, potted = map(table, ("picked_up", "took", "put_down", "potted"))
    started, plated = table("started_cooking"), table("plated")
    delivered = table("delivered", tuple(tables.points))

    def interact() -> StepResult | None:
        pose = 4 * state[at] + state[facing]
        terrain = target[pose]
        held = state[hand]
        if terrain == FLOOR:
            return None
        if terrain == COUNTER:
            slot = slots[pose]
            item = state[slot]
            if held:
                if item:
                    return None
                state[slot] = held
                state[hand] = 0
                return put_down[keys[pose] + held]
            if not item:
                return None
            state[slot] = 0
            state[hand] = item
            return took[keys[pose] + item]
        if dispensed[pose]:
            if held:
                return None
            state[hand] = item = dispensed[pose]
            return picked_up[keys[pose] + item]
        if terrain == POT:
            slot = slots[pose]
            contents, cooked = state[slot], state[slot + 1]
            if held == NOTHING:
                if old_dynamics or cooked >= 0 or not contents:
                    return None
                state[slot + 1] = 0
                return started[keys[pose] + SOUP + contents]
            if held < DISH:
                if cooked >= 0 or contents >= full:
                    return None
                state[slot] = 3 * contents + held
                state[hand] = 0
                return potted[keys[pose] + held]
            if held > DISH or cooked < 0 or cooked < cook_time[contents]:
                return None
            state[slot], state[slot + 1], state[hand] = 0, -1, SOUP + contents
            return plated[keys[pose] + SOUP + contents]
        if held < SOUP:
            return None
        state[hand] = 0
        return delivered[keys[pose] + held]

    return interact


def _make_pots(tables: Tables, state: list[int], old_dynamics: bool) -> Callable[[], StepResult | None]:
    """One tick of every pot; the result holds the pots that started by themselves."""
    cook_time, full = tables.cook_time, tables.full
    started = EventTable("started_cooking", seat=-1, seats=tables.seats, items=tables.items, place=tables.grid.place)
    pots = [(tables.slots[cell], cell * tables.items + SOUP) for cell in tables.grid.pots]

    def tick_pots() -> StepResult | None:
        result = None
        for slot, key in pots:
            contents, cooked = state[slot], state[slot + 1]
            if old_dynamics and cooked < 0 and contents >= full:
                cooked = state[slot + 1] = 0
                event = started[key + contents]
                result = event if result is None else merged(result, event)
            if 0 <= cooked < cook_time[contents]:
                state[slot + 1] = cooked + 1
        return result

    return tick_pots


def _make_step_of_two(tables: Tables, state: list[int], interact0: Interact, interact1: Interact) -> Step:
    """The step for two seats; long, since it is the hot path."""
    moved, cook_time = tables.grid.moved, tables.cook_time
    quiet: StepResult = ((0.0, 0.0), ())
    pots = tuple((tables.slots[cell] + 1, tables.slots[cell]) for cell in tables.grid.pots)

    def step(joint: Sequence[int]) -> StepResult:
        try:
            first, second = joint
        except ValueError:
            raise bad_joint(joint, 2) from None
        if not 0 <= first <= INTERACT >= second >= 0:
            raise bad_joint(joint, 2)
        result = quiet
        if first == 5:
            result = interact0() or quiet
        if second == 5:
            other = interact1()
            if other is not None:
                result = other if result is quiet else merged(result, other)
        cell0, cell1 = state[1], state[4]
        if first < 4:
            state[2] = first
            went0 = moved[4 * cell0 + first]
        else:
            went0 = cell0
        if second < 4:
            state[5] = second
            went1 = moved[4 * cell1 + second]
        else:
            went1 = cell1
        if went0 != went1 and (went0 != cell1 or went1 != cell0):
            state[1] = went0
            state[4] = went1
        state[0] += 1
        for tick, slot in pots:
            cooked = state[tick]
            if cooked >= 0 and cooked < cook_time[state[slot]]:
                state[tick] = cooked + 1
        return result

    return step


def _make_step_of_any(
    tables: Tables, state: list[int], interacts: list[Interact], tick_pots: Callable[[], StepResult | None]
) -> Step:
    """The step for any number of seats and either dynamics."""
    moved, seats = tables.grid.moved, tables.seats
    quiet: StepResult = ((0.0,) * seats, ())
    offsets = [SEAT0 + 3 * seat for seat in range(seats)]

    def step(joint: Sequence[int]) -> StepResult:
        if len(joint) != seats or not all(0 <= action <= INTERACT for action in joint):
            raise bad_joint(joint, seats)
        result = quiet
        for action, interact in zip(joint, interacts, strict=True):
            event = interact() if action == INTERACT else None
            if event is not None:
                result = event if result is quiet else merged(result, event)
        cells = [state[offset] for offset in offsets]
        went = cells.copy()
        for seat, action in enumerate(joint):
            if action < STAY:
                state[offsets[seat] + 1] = action
                went[seat] = moved[4 * cells[seat] + action]
        swapped = any(
            went[one] == cells[other] and went[other] == cells[one] for one, other in combinations(range(seats), 2)
        )
        if not swapped and len(set(went)) == seats:
            for offset, cell in zip(offsets, went, strict=True):
                state[offset] = cell
        state[0] += 1
        event = tick_pots()
        if event is not None:
            result = event if result is quiet else merged(result, event)
        return result

    return step


def bad_joint(joint: Sequence[int], seats: int) -> ValueError:
    """The error for a joint action that no kitchen with so many seats takes."""
    return ValueError(f"joint action {tuple(joint)!r}, but {seats} seats take one of 0 to {INTERACT} each")
