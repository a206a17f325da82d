"""Short episodes, and agents whose numbers can be told in advance."""

from collections.abc import Sequence
from math import log
from typing import Any

from hocket.agents.random import Random
from hocket.replays.episodes import Episodes
from hocket.replays.trace import Trace
from hocket.runtime.events import Receipt
from hocket.runtime.policy import Choice, Offer

play = Episodes()


class Letter:
    """Chooses the entry with one letter, whatever it says; the last where there is none."""

    def __init__(self, place: int) -> None:
        self._place = place

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        """Choose for each seat by itself."""
        return [Choice(min(self._place, len(offer.menu) - 1)) for offer in offers]


class Fires:
    """Fires the cleaning beam, always; with primitive actions."""

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        """Choose for each seat by itself."""
        return [Choice(next(n for n, key in enumerate(offer.menu.keys) if "clean" in key)) for offer in offers]


class Told(Random):
    """Chooses at random, with the receipt of a model that was sure, or that was not."""

    def __init__(self, certain: bool) -> None:
        self._certain = certain

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        """Choose for each seat by itself."""
        return [self._told(offer) for offer in offers]

    def _told(self, offer: Offer) -> Choice:
        count = len(offer.menu)
        sure = (log(0.97), *([log(0.03 / (count - 1))] * (count - 1))) if count > 1 else (0.0,)
        menu = sure if self._certain else (-log(count),) * count
        return Choice(0, Receipt(log_prob=menu[0], backend="local", menu=menu))


def pair(one: Any, other: Any, game: str = "overcooked:cramped_room", **setup: Any) -> Trace:
    """One short episode."""
    whole: dict[str, Any] = {"seed": 3, "steps": 120, **setup}
    return play(game, [one, other], **whole)
