"""Handing things over counters to rooms that need them, and stowing what is in the way.

A room without pots supplies the rooms that have them: what the pots lack, one
dish for each soup, then the next soup ahead, and never so much that no place is
left for a dish or for a soup on its way to the window.
"""

from collections.abc import Iterator

from hocket.agents.scripted.kitchen_map import FAR
from hocket.agents.scripted.situation import DISPENSERS, Situation

_SOON = 12
"""Ticks before a soup is done at which its dish goes before ingredients."""


def way_out(now: Situation, item: str) -> int | None:
    """Return the free counter over which an item is best handed on, None where there is none."""
    kitchen, me, hops = now.kitchen, now.me, now.hops(item)
    best, least = None, FAR
    for counter in _ways(now, item):
        if counter not in now.counters:
            ticks = now.ticks(me, counter)
            for room in kitchen.rooms_at[counter]:
                if hops.get(room, FAR) == 0:
                    sinks = kitchen.tiles("S" if item == "soup" else "P", room)
                    ticks += 2 * min(kitchen.between(room, counter, sink) for sink in sinks)
            if ticks < least:
                best, least = counter, ticks
    return best


def stowage(now: Situation) -> int | None:
    """Return the free counter that is nearest and, if possible, used by this room alone."""
    kitchen, me = now.kitchen, now.me
    best, least = None, FAR
    for counter in kitchen.tiles("X", me.room):
        if counter not in now.counters:
            ticks = now.ticks(me, counter)
            if ticks < FAR and _shared(now, counter):
                ticks += FAR // 2
            if ticks < least:
                best, least = counter, ticks
    return best


def supplied(now: Situation, item: str) -> bool:
    """Tell whether an item that this room cannot use should go on to the next."""
    return item == "soup" or item in _wanted(now)


def supply(now: Situation) -> Iterator[tuple[str, int]]:
    """Yield what other rooms want, most wanted first, and the tile from which to fetch it."""
    for item in _wanted(now):
        out = way_out(now, item)
        if out is not None:
            ways = _ways(now, item)
            ticks, source = min(
                (
                    (now.ticks(now.me, tile) + now.kitchen.between(now.me.room, tile, out), tile)
                    for tile in now.sources(item, now.me.room)
                    if tile not in ways
                ),
                default=(FAR, 0),
            )
            if ticks < FAR:
                yield item, source


def obstacle(now: Situation) -> int | None:
    """Return a shared counter whose item keeps away something that is needed now, None where none does."""
    kitchen, room = now.kitchen, now.me.room
    lacking = [item for _, item in now.needs] + ["dish"] * len(now.unplated)
    lacking += ["soup" for body in now.others if body.held == "soup" and 0 < now.hops("soup")[body.room] < FAR]
    shared = [counter for counter in kitchen.tiles("X", room) if _shared(now, counter)]
    lying = [now.counters.get(counter) for counter in shared]
    if not shared or None in lying or not lacking or any(item in lying for item in lacking):
        return None
    if now.hops("dish")[room] == 0 and any(now.sources(item, room) for item in lacking):
        return None
    place = stowage(now)
    if place is None or _shared(now, place):
        return None
    return min(shared, key=lambda counter: now.ticks(now.me, counter))


def _ways(now: Situation, item: str) -> list[int]:
    """Counters between this room and rooms that are nearer to where an item is wanted."""
    hops, room = now.hops(item), now.me.room
    return [
        counter
        for counter in now.kitchen.tiles("X", room)
        if any(hops.get(other, FAR) < hops[room] for other in now.kitchen.rooms_at[counter])
    ]


def _shared(now: Situation, counter: int) -> bool:
    return any(room != now.me.room and room in now.occupied for room in now.kitchen.rooms_at[counter])


def _wanted(now: Situation) -> list[str]:
    """Kinds of item to be handed on, most wanted first, as far as the counters have room."""
    room, hops = now.me.room, now.hops("dish")
    if not 0 < hops[room] < FAR:
        return []
    below = [other for other in now.occupied if hops[other] < hops[room]]
    ways = _ways(now, "dish")
    coming = [now.counters[counter] for counter in ways if counter in now.counters]
    coming += [body.held for body in now.team[1:] if body.room == room and body.held in DISPENSERS]
    dishes = _dishes(now, [room, *below])
    soon = sum(not pot.idle and pot.left <= _SOON for pot in now.pots)
    order = ["dish"] * (soon > dishes) + _less([item for _, item in now.needs], coming)
    if len(ways) > 1:
        order += ["dish"] * (not dishes) + _less([*now.next_soup] * len(now.pots), coming)
    own = [item for item in order if not any(now.kitchen.tiles(DISPENSERS[item], other) for other in below)]
    for_soup = any(now.hops("soup")[other] > now.hops("soup")[room] for other in below)
    for_dish = not dishes and "dish" in own
    free = len(ways) - len(coming)
    return [item for item in own if free > min(for_soup + (for_dish and item != "dish"), len(ways) - 1)]


def _dishes(now: Situation, rooms: list[int]) -> int:
    """How many dishes are in others' hands in some rooms, or lie on the counters that lead to the pots."""
    below = rooms[1:]
    lying = [at for at, item in now.counters.items() if item == "dish"]
    return sum(body.held == "dish" and body.room in rooms for body in now.others) + sum(
        any(room in below for room in now.kitchen.rooms_at[at]) for at in lying
    )


def _less(items: list[str], taken: list[str]) -> list[str]:
    rest = list(taken)
    kept: list[str] = []
    for item in items:
        if item in rest:
            rest.remove(item)
        else:
            kept.append(item)
    return kept
