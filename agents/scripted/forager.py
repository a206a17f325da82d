"""Eats apples of Commons Harvest, and never the last ones of a patch."""

from collections.abc import Sequence

from hocket.agents.scripted.wishes import first, nearest, patches
from hocket.games.meltingpot.view import AvatarView
from hocket.runtime.policy import Choice, Offer

LEFT = 3
"""Apples that stay on a patch, besides one for each other avatar in view, which may be after them too."""


class Forager:
    """Eats the nearest apple of a patch that can spare it, and goes from patch to patch."""

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        """Choose for each seat by itself."""
        return [self._choose(offer) for offer in offers]

    def _choose(self, offer: Offer) -> Choice:
        view: AvatarView = offer.observation
        rich = [patch.number for patch in view.patches if patch.apples > LEFT + len(view.others)]
        spared = [apple for apple in view.apples if apple.patch in rich]
        return first(offer, *nearest("eat_apple", spared), *patches(offer))
