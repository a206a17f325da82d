"""A competent cook that works with whoever is there.

It remembers nothing but the last options that an offer carries. It sees who
holds what, hands the open jobs out to the whole team by the time at which they
would be done, and does its own; what its room has no use for it hands over a
counter, as much as is wanted on the other side. It makes way, loses trust in a
cook that does nothing the longer it has waited itself, and breaks standstills
by a draw from its seat's own stream.
"""

from collections.abc import Iterator, Sequence

from hocket.agents.scripted.jobs import Job, hand_out
from hocket.agents.scripted.kitchen_map import FAR, KitchenMap
from hocket.agents.scripted.manners import aside, collides
from hocket.agents.scripted.passing import obstacle, stowage, supplied, supply, way_out
from hocket.agents.scripted.situation import Situation
from hocket.games.overcooked.options import WAIT_TICKS
from hocket.games.overcooked.view import KitchenView
from hocket.runtime.policy import Choice, Offer

_GIVE_UP = 0.4
"""How likely it is to hesitate before it tries again what did not work."""

_GIVE_WAY = 0.7
"""How likely it is to make way for a cook that should make way itself, but may be on its way already."""


class Cook:
    """Plays any kitchen; one serves any number of seats and episodes."""

    def __init__(self) -> None:
        self._maps: dict[tuple[str, ...], KitchenMap] = {}

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        """Choose for each seat by itself."""
        return [Choice(self._choose(offer)) for offer in offers]

    def _choose(self, offer: Offer) -> int:
        keys = offer.menu.keys
        view: KitchenView = offer.observation
        kitchen = self._maps.get(view.grid)
        if kitchen is None:
            kitchen = self._maps[view.grid] = KitchenMap(view.grid)
        now = Situation(kitchen, view, offer.seat, offer.memory.options, offer.draw)
        for option, tile in _wishes(now, offer.draw):
            key = f"{option}@{kitchen.names[tile]}"
            if key in keys:
                return keys.index("wait" if _holds_back(now, key, tile, offer.draw) else key)
        return keys.index("wait")


def _holds_back(now: Situation, key: str, tile: int, draw: float) -> bool:
    """Whether to wait, since others are or would be in the way."""
    if not any(now.kitchen.near(now.me.cell, cell, 2) for cell in now.blocked):
        return False
    if now.recent and now.recent[-1] == key and not key.startswith("plate") and draw < _GIVE_UP:
        return True
    firsts = {seat: first for seat, (_, first) in hand_out(now).items()}
    other = collides(now, tile, firsts)
    return other is not None and draw < (0.5 if now.waits > 2 else 0.85 if now.yields_to(other) else 0.25)


def _wishes(now: Situation, draw: float) -> Iterator[tuple[str, int]]:
    """What to do, best first; nothing for waiting."""
    firsts: dict[int, int] = {}
    hindered = False
    target = _target(now)
    if target is not None:
        option, tile, early = target
        hindered = now.ticks(now.me, tile) >= FAR
        if not hindered and early < WAIT_TICKS:
            yield option, tile
    else:
        jobs = hand_out(now)
        mine = jobs.pop(now.me.seat, None)
        firsts = {seat: first for seat, (_, first) in jobs.items()}
        wish = _empty_handed(now, mine) if now.me.held == "nothing" else _encumbered(now, mine)
        if wish is not None:
            yield wish
    step = aside(now, firsts, waiting=not hindered or draw < _GIVE_WAY)
    if step is not None:
        yield step


def _target(now: Situation) -> tuple[str, int, int] | None:
    """Where to use what is held, and how many ticks too early one would be there; None for no use."""
    me = now.me
    windows = now.kitchen.tiles("S", me.room)
    if me.held == "soup" and windows:
        return "deliver", min(windows, key=lambda tile: now.ticks(me, tile)), 0
    pot = now.claims.get(me.seat)
    if pot is None:
        return None
    if me.held == "dish":
        return "plate_soup", pot.cell, pot.left - now.ticks(me, pot.cell) + 1
    return "place_in_pot", pot.cell, 0


def _empty_handed(now: Situation, mine: tuple[Job, int] | None) -> tuple[str, int] | None:
    if mine is not None:
        job, first = mine
        return ("start_cooking", first) if job.item == "nothing" else _fetch(now, job.item, first)
    for item, source in supply(now):
        return _fetch(now, item, source)
    clogged = obstacle(now)
    return None if clogged is None else ("pick_up_from_counter", clogged)


def _fetch(now: Situation, item: str, tile: int) -> tuple[str, int]:
    return "pick_up_from_counter" if tile in now.counters else f"pick_{item}", tile


def _encumbered(now: Situation, mine: tuple[Job, int] | None) -> tuple[str, int] | None:
    """Hand on what is held; put it down if it keeps from work; else keep it."""
    held = now.me.held
    out = way_out(now, held) if supplied(now, held) else None
    if out is not None:
        return "drop_held", out
    place = stowage(now)
    urgent = (mine is not None and not mine[0].ahead and mine[0].item != held) or any(True for _ in supply(now))
    return ("drop_held", place) if urgent and place is not None else None
