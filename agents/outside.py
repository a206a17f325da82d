"""A seat whose holder is elsewhere: a person before a page, or another process."""

import asyncio
from collections.abc import Callable

from hocket.runtime.policy import Choice, Offer


class Outside:
    """Passes its offers on, and waits for whoever answers."""

    def __init__(self, told: Callable[[Offer | None], object] = lambda offer: None) -> None:
        """Say who is told of an open offer, and of None once there is none."""
        self.told = told
        self.offer: Offer | None = None
        """That is open now."""
        self._answer: asyncio.Future[int] | None = None

    async def choose(self, offer: Offer) -> Choice:
        """Wait for an answer, however long it takes."""
        self._answer = asyncio.get_running_loop().create_future()
        self.offer = offer
        self.told(offer)
        try:
            index = await self._answer
        finally:
            if self.offer is offer:
                self.offer = None
                self.told(None)
        return Choice(index, offer=(offer.seat, offer.decision))

    def answer(self, decision: int, index: int) -> str | None:
        """Answer the open offer; return what is wrong, where nothing has come of it.

        Args:
            decision: number of the offer that is meant.
            index: place on its menu, from 0.
        """
        offer, answer = self.offer, self._answer
        if offer is None or answer is None or answer.done():
            return "no offer is open for this seat"
        if decision != offer.decision:
            return f"decision {decision} is not the one that is open, which is {offer.decision}"
        if not 0 <= index < len(offer.menu):
            return f"index {index} is not on a menu of {len(offer.menu)}"
        answer.set_result(index)
        return None
