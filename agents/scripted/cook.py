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
from hocket.agents.scripted.kitchen_map import KitchenMap
from hocket.agents.scripted.manners import FORESIGHT, aside, rival
from hocket.agents.scripted.passing import obstacle, stowage, supplied, supply, way_out
from hocket.agents.scripted.situation import Situation
from hocket.games.overcooked.options import WAIT_TICKS
from hocket.games.overcooked.view import KitchenView
from hocket.runtime.policy import Choice, Offer

_HESITATE = 0.4
"""How likely it is to wait before it tries again what did not work in a crowd."""
_GIVE_WAY = 0.7
"""How likely it is to step aside for a cook that should make way itself, but may be on its way already."""
_LET_GO, _LET_LOWER_GO, _LET_GO_AGAIN = 0.85, 0.25, 0.5
"""How likely it is to let a rival go first: one of higher rank, of lower rank, and after waits of its own."""


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
        now = Situation(kitchen, view, offer.seat, offer.recent.options, offer.draw)
        for option, tile in _wishes(now, offer.draw):
            key = f"{option}@{kitchen.names[tile]}"
            if key in keys:
                return keys.index(key)
        return keys.index("wait")


def _wishes(now: Situation, draw: float) -> Iterator[tuple[str, int]]:
    """What to do, best first; nothing for waiting."""
    wish, hindered, firsts = _wish(now)
    if wish is not None:
        if not _holds_back(now, *wish, draw):
            yield wish
        hindered = True
    yield from aside(now, firsts, waiting=not hindered or draw < _GIVE_WAY)


def _holds_back(now: Situation, option: str, tile: int, draw: float) -> bool:
    """Whether to let others go first, or to hesitate before trying again what did not work."""
    if not any(now.kitchen.near(now.me.cell, cell, FORESIGHT) for cell in now.blocked):
        return False
    again = now.recent[-1:] == (f"{option}@{now.kitchen.names[tile]}",)
    if again and option != "plate_soup" and draw < _HESITATE:
        return True
    other = rival(now, tile, {seat: first for seat, (_, first) in hand_out(now, everyone=True).items()})
    if other is None:
        return False
    return draw < (_LET_GO_AGAIN if now.waits > 2 else _LET_GO if now.yields_to(other) else _LET_LOWER_GO)


def _wish(now: Situation) -> tuple[tuple[str, int] | None, bool, dict[int, int]]:
    """What to do if nobody is in the way, whether somebody is, and where others with empty hands go."""
    target = _target(now)
    if target is not None:
        option, tile, early = target
        hindered = now.cut_off(tile)
        return None if hindered or early >= WAIT_TICKS else (option, tile), hindered, {}
    jobs = hand_out(now)
    mine = jobs.pop(now.me.seat, None)
    wish = _empty_handed(now, mine) if now.me.held == "nothing" else _encumbered(now, mine)
    return wish, False, {seat: first for seat, (_, first) in jobs.items()}


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
        if job.item == "dish" and _too_early(now, job, first):
            return None
        return ("start_cooking", first) if job.item == "nothing" else _fetch(now, job.item, first)
    for item, source in supply(now):
        return _fetch(now, item, source)
    clogged = obstacle(now)
    return None if clogged is None else ("pick_up_from_counter", clogged)


def _too_early(now: Situation, job: Job, first: int) -> bool:
    """Whether hands are better kept free for an ingredient that others are about to hand over."""
    room = now.me.room
    if all(now.sources(item, room) for _, item in now.needs):
        return False
    return job.ready - now.ticks(now.me, first) - now.kitchen.between(room, first, job.tile) >= WAIT_TICKS


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
