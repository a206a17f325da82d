"""Making way: when a cook stands between another and its goal, and where it steps to."""

from collections.abc import Iterator, Mapping

from hocket.agents.scripted.kitchen_map import FAR
from hocket.agents.scripted.situation import DISPENSERS, Body, Situation

_REAL_CHANGE = 6
"""Ticks by which an option that changes something is a worse way to step aside."""


def aside(now: Situation, firsts: Mapping[int, int], *, waiting: bool) -> tuple[str, int] | None:
    """Return an option and tile that take this cook out of another's way, None where it is in nobody's.

    Args:
        now: the moment.
        firsts: tile to which each seat with empty hands goes next, where known.
        waiting: whether this cook has nothing to do itself; else rank decides.
    """
    for other in now.others:
        goal = _goal(now, other, firsts)
        if goal is None or not _in_the_way(now, other, goal, now.me.cell) or not (waiting or now.waits > 1 or now.yields_to(other)):
            continue
        ways = [
            (now.ticks(now.me, tile) + cost, option, tile)
            for option, tile, cost in _strolls(now)
            if now.ticks(now.me, tile) < FAR
            and not _in_the_way(now, other, goal, now.kitchen.stand(tile, now.me.pose, now.blocked))
        ]
        if ways:
            _, option, tile = min(ways)
            return option, tile
    return None


def collides(now: Situation, tile: int, firsts: Mapping[int, int]) -> Body | None:
    """Return a cook that is likely to step on the same cell as this one on its way to `tile`."""
    cell = now.kitchen.step(tile, now.me.pose, now.blocked)
    if cell == now.me.cell:
        return None
    for other in now.others:
        if now.kitchen.near(cell, other.cell, 1):
            goal = _goal(now, other, firsts)
            rest = tuple(sorted([now.me.cell, *[body.cell for body in now.others if body is not other]]))
            if goal is not None and now.kitchen.step(goal, other.pose, rest) == cell:
                return other
    return None


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
    third = [body.cell for body in now.others if body is not other]
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
            if room in pot.rooms and not pot.startable and not pot.missing:
                yield "start_cooking", pot.cell, 0
    else:
        for tile in kitchen.tiles("X", room):
            yield "drop_held", tile, _REAL_CHANGE * (tile not in now.counters)
