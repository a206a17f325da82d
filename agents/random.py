"""The agent that picks uniformly from its menu."""

from collections.abc import Sequence
from functools import cache
from math import log

from hocket.runtime.events import Receipt
from hocket.runtime.policy import Choice, Offer


class Random:
    """Uniform over the menu, from the seat's own stream."""

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        """Draw once for each offer."""
        sizes = [len(offer.menu.keys) for offer in offers]
        return [_choice(int(offer.draw * size), size) for offer, size in zip(offers, sizes, strict=True)]


@cache
def _choice(index: int, size: int) -> Choice:
    return Choice(index, Receipt(-log(size)))
