"""A chooser that computes for long, in a thread of its own.

For a pace that waits for nobody: the others play on meanwhile. One thread answers one
batch at a time, so a chooser need not be able to do two things at once.
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from hocket.agents.gathering import Gathering
from hocket.runtime.policy import Choice, Chooser, NoChoice, Offer


class Threaded:
    """A policy made of a chooser."""

    def __init__(self, chooser: Chooser) -> None:
        self._chooser = chooser
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="chooser")
        self._gathering: Gathering[Offer, Choice | NoChoice] = Gathering(self._answer)

    async def choose(self, offer: Offer) -> Choice | NoChoice:
        """Answer one offer, in one batch with all that are due on its tick.

        Raises:
            Exception: what the chooser raised, or had in the place of a choice.
        """
        return await self._gathering.ask(offer)

    async def close(self) -> None:
        """Let the batch that is being answered end, and the thread with it."""
        await self._gathering.close()
        self._thread.shutdown(cancel_futures=True)

    async def _answer(self, offers: Sequence[Offer]) -> Sequence[Choice | NoChoice | Exception]:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._chooser.choose_many, offers)
