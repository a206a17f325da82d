"""What a step that did one thing returns, made once and then looked up.

A step of the rules is a few hundred nanoseconds long; making its event and its
rewards would take as long again.
"""

from collections.abc import Callable
from typing import TypeAlias

from hocket.games.overcooked.items import item_name
from hocket.runtime.events import Cell, GameEvent

StepResult: TypeAlias = tuple[tuple[float, ...], tuple[GameEvent, ...]]
"""Rewards of the seats in game points, and what happened."""


class EventTable(dict[int, StepResult]):
    """Results of one kind of event by one seat, by `cell * items + item`; made when first asked for."""

    def __init__(
        self,
        kind: str,
        *,
        seat: int,
        seats: int,
        items: int,
        place: Callable[[int], Cell],
        points: tuple[float, ...] = (),
    ) -> None:
        super().__init__()
        self.kind, self.seat, self.seats = kind, seat, seats
        self.codes, self.place, self.points = items, place, points

    def __missing__(self, key: int) -> StepResult:
        """Make the result and keep it."""
        cell, item = divmod(key, self.codes)
        amount = self.points[item] if self.points else 0.0
        event = GameEvent(kind=self.kind, seat=self.seat, what=item_name(item), at=self.place(cell), amount=amount)
        rewards = tuple(amount if seat == self.seat else 0.0 for seat in range(self.seats))
        self[key] = (rewards, (event,))
        return self[key]


def merged(one: StepResult, other: StepResult) -> StepResult:
    """One step in which two things happened, in this order."""
    return tuple(a + b for a, b in zip(one[0], other[0], strict=True)), one[1] + other[1]
