"""Cleans the river of Cleanup and does nothing else."""

from collections.abc import Sequence

from hocket.agents.scripted.wishes import first, nearest
from hocket.runtime.policy import Choice, Offer


class Cleaner:
    """Cleans the nearest dirt that it sees, and goes to the river where it sees none."""

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        """Choose for each seat by itself."""
        return [first(offer, *nearest("clean_dirt", offer.observation.dirt), "go_to_river") for offer in offers]
