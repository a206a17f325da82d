"""Eats apples, and does nothing else: greedy, in Cleanup and in Commons Harvest."""

from collections.abc import Sequence

from hocket.agents.scripted.wishes import first, nearest, patches
from hocket.runtime.policy import Choice, Offer


class Eater:
    """Eats the nearest apple that it sees, and looks for more where it sees none."""

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        """Choose for each seat by itself."""
        return [
            first(offer, *nearest("eat_apple", offer.observation.apples), "go_to_orchard", *patches(offer))
            for offer in offers
        ]
