"""Making way: when a cook stands between another and its goal, and where it steps to."""

from collections.abc import Iterator, Mapping

from hocket.agents.scripted.kitchen_map import FAR
from hocket.agents.scripted.situation import DISPENSERS, Body, Situation

_REAL_CHANGE = 6
"""Ticks by which an option that changes something is a worse way to step aside."""
FORESIGHT = 4
"""Steps between two cooks from which on each considers the other's way."""


def aside(now: Situation, firsts: Mapping[int, int], *, waiting: bool) -> Iterator[tuple[str, int]]:
    """Yield options and tiles that take this cook out of another's way, the nearest first; none if it is in nobody's.

    Args:
        now: the moment.
        firsts: tile to which each seat with empty hands goes next, where known.
        waiting: whether this cook has nothing to do itself; else rank decides.
    """
    for other in now.others:
        goal = _goal(now, other, firsts)
        if goal is None or not _in_the_way(now, other, goal, now.me.cell):
            continue
        if waiting or now.waits > 1 or now.yields_to(other):
            ways = [
                (now.ticks(now.me, tile) + cost, option, tile)
                for option, tile, cost in _strolls(now)
                if not now.cut_off(tile)
                and not _in_the_way(now, other, goal, now.kitchen.stand(tile, now.me.pose, now.blocked))
            ]
            for _, option, tile in sorted(ways):
                yield option, tile
            return


def rival(now: Situation, tile: int, firsts: Mapping[int, int]) -> Body | None:
    """Return a cook with which this one would come to a standstill on its way to `tile`."""
    for other in now.others:
        if now.kitchen.near(now.me.cell, other.cell, FORESIGHT):
            goal = _goal(now, other, firsts)
            if goal is not None and _would_stall(now, tile, other, goal):
                return other
    return None


def _would_stall(now: Situation, tile: int, other: Body, goal: int) -> bool:
    """Walk both ahead, each around the other, until one arrives or neither gets on."""
    moved = now.kitchen.moved
    third = [body.cell for body in now.others if body is not other]
    mine, theirs = now.me.pose, other.pose
    for _ in range(2 * FORESIGHT):
        my_next = moved(tile, mine, tuple(sorted([*third, theirs // 4])))
        their_next = moved(goal, theirs, tuple(sorted([*third, mine // 4])))
        if my_next is None or their_next is None:
            return False
        if my_next // 4 == their_next // 4:
            my_next, their_next = mine // 4 * 4 + my_next % 4, theirs // 4 * 4 + their_next % 4
        if (mine, theirs) == (my_next, their_next):
            return True
        mine, theirs = my_next, their_next
    return True


def _goal(now: Situation, other: Body, firsts: Mapping[int, int]) -> int | None:
    """Where another cook is likely to be going."""
    pot = now.claims.get(other.seat)
    if pot is not None:
        return pot.cell
    if other.held == "soup":
        return min(now.kitchen.tiles("S", other.room), key=lambda tile: now.ticks(other, tile), default=None)
    return firsts.get(other.seat)


def _in_the_way(now: Situation, other: Body, goal: int, cell: int) -> bool:
    """Whether standing on `cell` cuts another cook off from its goal."""
    third = sorted([body.cell for body in now.others if body is not other])
    return (
        now.kitchen.ticks(goal, other.pose, tuple(sorted([*third, cell]))) >= FAR
        and now.kitchen.ticks(goal, other.pose, tuple(third)) < FAR
    )


def _strolls(now: Situation) -> Iterator[tuple[str, int, int]]:
    """Options and tiles that change nothing, or little, with their cost."""
    kitchen, room, held = now.kitchen, now.me.room, now.me.held
    if held != "soup":
        for tile in kitchen.tiles("S", room):
            yield "deliver", tile, 0
    for item, letter in DISPENSERS.items():
        for tile in kitchen.tiles(letter, room):
            yield f"pick_{item}", tile, _REAL_CHANGE * (held == "nothing")
    if held == "nothing":
        for pot in now.pots:
            if room in pot.rooms and not pot.idle:
                yield "start_cooking", pot.cell, 0
    else:
        for tile in kitchen.tiles("X", room):
            yield "drop_held", tile, _REAL_CHANGE * (tile not in now.counters)
