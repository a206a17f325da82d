"""The agent that waits: an empty seat, and the fallback of a failed one."""

from collections.abc import Sequence

from hocket.runtime.policy import Choice, Offer


class Idle:
    """Picks `wait`, which every menu has."""

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        """Wait, in every seat."""
        return [Choice(offer.menu.keys.index("wait")) for offer in offers]
