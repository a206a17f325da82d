"""Whose hands things went through: onions, dishes, soups, jars; from the game's own events.

A thing is picked up, put down, taken, used. To use it is to put it into a pot, to plate a soup
with it, or to deliver it. What lay about at the start of an episode came from nobody.
"""

from collections.abc import Iterable

from hocket.runtime.events import Cell, GameEvent

PREPARES = ("started_cooking", "opened")
"""What is done to a place, so that something can be had or delivered there."""


class Thing:
    """Something that is carried about, with all that went into it."""

    def __init__(self) -> None:
        self.hands: set[int] = set()
        """Seats that have had it, or a part of it."""
        self.deeds: list[int] = []
        """Seats that have done something with it, once for each deed; to put it down for oneself is none."""
        self.putter: int | None = None
        """Seat that put it down last."""
        self.giver: int | None = None
        """Seat from which it last went to another, by way of a counter."""

    def absorb(self, parts: "Iterable[Thing]") -> None:
        """Other things become a part of it."""
        for part in parts:
            self.hands |= part.hands
            self.deeds += part.deeds


class Custody:
    """Follows one episode."""

    def __init__(self) -> None:
        self.deliveries: list[Thing] = []
        self.handed: list[tuple[int, int]] = []
        """Giver and user of each thing that one seat put down and another took up and used, in order of use."""
        self._held: dict[int, Thing] = {}
        self._lying: dict[Cell | None, list[Thing]] = {}
        self._gathered: dict[Cell | None, list[Thing]] = {}
        """What is in each pot, and what was done to each place."""

    def follow(self, event: GameEvent) -> None:
        """Take the next event of the game; what nobody did goes through nobody's hands."""
        seat, at = event.seat, event.at
        if seat < 0:
            return
        match event.kind:
            case "picked_up":
                thing = Thing()
                thing.deeds.append(seat)
                self._hold(seat, thing)
            case "took":
                thing = _last(self._lying, at)
                if thing.putter not in (None, seat):
                    thing.giver = thing.putter
                    thing.deeds += (thing.putter, seat)
                self._hold(seat, thing)
            case "put_down":
                thing = self._let_go(seat)
                thing.putter = seat
                self._lying.setdefault(at, []).append(thing)
            case "potted":
                self._gathered.setdefault(at, []).append(self._used(seat))
            case "plated":
                soup = Thing()
                soup.absorb([*self._gathered.pop(at, []), self._used(seat)])
                self._held[seat] = soup
            case "delivered":
                thing = self._used(seat)
                thing.absorb(self._gathered.pop(at, []))
                self.deliveries.append(thing)
            case kind if kind in PREPARES:
                done = Thing()
                done.deeds.append(seat)
                self._gathered.setdefault(at, []).append(done)

    def _hold(self, seat: int, thing: Thing) -> None:
        thing.hands.add(seat)
        self._held[seat] = thing

    def _let_go(self, seat: int) -> Thing:
        thing = self._held.pop(seat, None) or Thing()
        thing.hands.add(seat)
        return thing

    def _used(self, seat: int) -> Thing:
        thing = self._let_go(seat)
        thing.deeds.append(seat)
        if thing.giver is not None:
            self.handed.append((thing.giver, seat))
        return thing


def follow(events: Iterable[GameEvent]) -> Custody:
    """Follow an episode from start to end."""
    found = Custody()
    for event in events:
        found.follow(event)
    return found


def _last(places: dict[Cell | None, list[Thing]], at: Cell | None) -> Thing:
    there = places.get(at)
    return there.pop() if there else Thing()
