"""A competent cook that works with whoever is there.

It remembers nothing but the last options that an offer carries. It sees who
holds what, hands the open jobs out to the whole team by the time at which they
would be done, and does its own; what its room has no use for it hands over a
counter, as much as is wanted on the other side. It makes way, loses trust in a
cook that does nothing the longer it has waited itself, and breaks standstills
by a draw from its seat's own stream.
"""

from collections.abc import Iterator, Sequence

from hocket.agents.scripted.jobs import hand_out
from hocket.agents.scripted.kitchen_map import FAR, KitchenMap
from hocket.agents.scripted.manners import aside
from hocket.agents.scripted.passing import obstacle, stowage, supplied, supply, way_out
from hocket.agents.scripted.situation import DISPENSERS, Situation
from hocket.games.overcooked.view import KitchenView
from hocket.games.overcooked.options import WAIT_TICKS
from hocket.runtime.policy import Choice, Offer

_GIVE_UP = 0.4
"""How likely it is to hesitate before it tries again what did not work."""


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
        now = Situation(kitchen, view, offer.seat, offer.memory.options)
        for option, tile in _wishes(now):
            key = f"{option}@{kitchen.names[tile]}"
            if key in keys:
                if _stuck(now, key) and offer.draw < _GIVE_UP:
                    break
                return keys.index(key)
        return keys.index("wait")


def _stuck(now: Situation, key: str) -> bool:
    """Whether the same was tried just before, and others stand close enough to have been in its way."""
    if not now.recent or now.recent[-1] != key or key.startswith("plate"):
        return False
    width = now.kitchen.width
    here = divmod(now.me.cell, width)
    return any(sum(abs(a - b) for a, b in zip(here, divmod(cell, width), strict=True)) < 3 for cell in now.blocked)


def _wishes(now: Situation) -> Iterator[tuple[str, int]]:
    """What to do, best first; nothing for waiting."""
    held = now.me.held
    firsts: dict[int, int] = {}
    blocked = False
    if held == "soup" and now.kitchen.tiles("S", now.me.room):
        windows = [(now.ticks(now.me, tile), tile) for tile in now.kitchen.tiles("S", now.me.room)]
        ticks, tile = min(windows)
        blocked = ticks >= FAR
        if not blocked:
            yield "deliver", tile
    elif now.me.seat in now.claims:
        tile = now.claims[now.me.seat].cell
        early = now.claims[now.me.seat].left - now.ticks(now.me, tile) + 1 if held == "dish" else 0
        if early < WAIT_TICKS:
            yield "plate_soup" if held == "dish" else "place_in_pot", tile
    elif now.hops("dish")[now.me.room] == 0:
        jobs = hand_out(now)
        mine = jobs.pop(now.me.seat, None)
        firsts = {seat: first for seat, (_, first) in jobs.items()}
        if mine is not None:
            yield from _do(now, *mine[0:1], mine[1])
        yield from _clear(now)
    else:
        yield from _hand_over(now)
        yield from _clear(now)
    step = aside(now, firsts, waiting=not blocked)
    if step is not None:
        yield step
