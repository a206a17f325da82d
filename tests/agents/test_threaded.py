"""Choosers that compute for long, beside those who cannot wait."""

import threading
import time
from collections.abc import Callable, Sequence

import anyio
import pytest

from hocket.agents.threaded import Threaded
from hocket.runtime.policy import Choice, Offer

pytestmark = pytest.mark.asyncio


class Slow:
    """Takes its time, in whatever thread it is asked, and keeps its batches."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.batches: list[int] = []
        self.threads: set[int] = set()
        self._seconds = seconds

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice | Exception]:
        """Choose the first of each menu; the third offer of a batch fails."""
        self.batches.append(len(offers))
        self.threads.add(threading.get_ident())
        time.sleep(self._seconds)
        return [ValueError("no third") if place == 2 else Choice(0) for place in range(len(offers))]


async def test_seats_of_one_tick_are_one_batch_and_each_gets_its_own_answer(
    offered: Callable[..., list[Offer]],
) -> None:
    """Also where one of them fails."""
    slow = Slow()
    policy = Threaded(slow)
    found: dict[int, object] = {}

    async def ask(place: int) -> None:
        try:
            found[place] = await policy.choose(offered()[place])
        except ValueError as error:
            found[place] = str(error)

    async with anyio.create_task_group() as group:
        for place in range(4):
            group.start_soon(ask, place)
    await policy.close()

    assert found == {0: Choice(0), 1: Choice(0), 2: "no third", 3: Choice(0)}
    assert slow.batches == [4]
    assert threading.get_ident() not in slow.threads


async def test_the_loop_goes_on_meanwhile(offered: Callable[..., list[Offer]]) -> None:
    """A person's key press does not wait for a forward pass; batches come one after the other in one thread."""
    slow = Slow(0.2)
    policy = Threaded(slow)
    beats = 0

    async with anyio.create_task_group() as group:
        group.start_soon(policy.choose, offered()[0])
        await anyio.sleep(0.01)
        group.start_soon(policy.choose, offered()[1])
        while len(slow.batches) < 2:
            await anyio.sleep(0.005)
            beats += 1
    await policy.close()

    assert beats > 10
    assert slow.batches == [1, 1]
    assert len(slow.threads) == 1
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("chooser")]
