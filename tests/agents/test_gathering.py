"""Calls of one cycle, answered together."""

import asyncio
from collections.abc import Sequence

import pytest

from hocket.agents.gathering import Gathering

pytestmark = pytest.mark.asyncio


class Kitchen:
    """Answers orders, and keeps which of them came together."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.cancelled = 0
        self.open = asyncio.Event()
        self.open.set()

    async def answer(self, orders: Sequence[str]) -> list[str | Exception]:
        self.batches.append(list(orders))
        try:
            await self.open.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if "fire" in orders:
            raise OSError("the kitchen burns")
        return [ValueError("burnt") if order == "toast" else order.upper() for order in orders]


async def cycles(count: int = 3) -> None:
    """Let the loop go round."""
    for _ in range(count):
        await asyncio.sleep(0)


async def test_what_is_asked_in_one_cycle_is_one_batch() -> None:
    """In the order in which it was asked, and each gets its own answer."""
    kitchen = Kitchen()
    gathering: Gathering[str, str] = Gathering(kitchen.answer)

    answers = await asyncio.gather(*map(gathering.ask, ("soup", "jam", "soup")))

    assert answers == ["SOUP", "JAM", "SOUP"]
    assert kitchen.batches == [["soup", "jam", "soup"]]


async def test_two_cycles_are_two_batches() -> None:
    """Nobody waits for what may come later, even while an earlier batch is still being answered."""
    kitchen = Kitchen()
    kitchen.open.clear()
    gathering: Gathering[str, str] = Gathering(kitchen.answer)

    first = asyncio.ensure_future(gathering.ask("soup"))
    await cycles()
    second = asyncio.ensure_future(gathering.ask("jam"))
    await cycles()
    batches = list(kitchen.batches)
    kitchen.open.set()

    assert batches == [["soup"], ["jam"]]
    assert [await first, await second] == ["SOUP", "JAM"]


async def test_who_has_given_up_before_is_left_out() -> None:
    """An offer that lapsed at once costs the server nothing."""
    kitchen = Kitchen()
    gathering: Gathering[str, str] = Gathering(kitchen.answer)
    ada, bo = (asyncio.ensure_future(gathering.ask(order)) for order in ("soup", "jam"))

    # The first cycle starts both tasks; their batch is sent in the second.
    asyncio.get_running_loop().call_soon(ada.cancel)
    answers = await asyncio.gather(ada, bo, return_exceptions=True)

    assert isinstance(answers[0], asyncio.CancelledError)
    assert answers[1] == "JAM"
    assert kitchen.batches == [["jam"]]


async def test_one_who_gives_up_later_does_not_stop_the_others() -> None:
    """Their answers are on the way."""
    kitchen = Kitchen()
    kitchen.open.clear()
    gathering: Gathering[str, str] = Gathering(kitchen.answer)
    ada, bo = (asyncio.ensure_future(gathering.ask(order)) for order in ("soup", "jam"))
    await cycles()

    ada.cancel()
    await cycles()
    kitchen.open.set()

    assert await bo == "JAM"
    assert kitchen.cancelled == 0
    assert ada.cancelled()


async def test_when_all_give_up_the_answering_is_cancelled() -> None:
    """Nobody is there to hear it."""
    kitchen = Kitchen()
    kitchen.open.clear()
    gathering: Gathering[str, str] = Gathering(kitchen.answer)
    asked = [asyncio.ensure_future(gathering.ask(order)) for order in ("soup", "jam")]
    await cycles()

    for task in asked:
        task.cancel()
    await cycles(5)

    assert kitchen.cancelled == 1
    kitchen.open.set()
    assert await gathering.ask("tea") == "TEA"


async def test_when_all_give_up_before_nothing_is_asked() -> None:
    """Not even with an empty batch."""
    kitchen = Kitchen()
    gathering: Gathering[str, str] = Gathering(kitchen.answer)
    ada = asyncio.ensure_future(gathering.ask("soup"))

    asyncio.get_running_loop().call_soon(ada.cancel)
    await cycles(5)

    assert ada.cancelled()
    assert kitchen.batches == []


async def test_an_error_of_the_answering_reaches_everybody() -> None:
    """The server is gone for all of them."""
    gathering: Gathering[str, str] = Gathering(Kitchen().answer)

    answers = await asyncio.gather(*map(gathering.ask, ("soup", "fire")), return_exceptions=True)

    assert [str(each) for each in answers] == ["the kitchen burns"] * 2
    assert all(isinstance(each, OSError) for each in answers)
    assert await gathering.ask("soup") == "SOUP"


async def test_an_error_of_one_call_is_its_own() -> None:
    """One adapter has not answered as itself; the others have."""
    gathering: Gathering[str, str] = Gathering(Kitchen().answer)

    answers = await asyncio.gather(*map(gathering.ask, ("soup", "toast", "jam")), return_exceptions=True)

    assert answers[0::2] == ["SOUP", "JAM"]
    assert isinstance(answers[1], ValueError)


async def test_an_answer_too_few_is_an_error_and_not_a_silence() -> None:
    """A caller that nobody answers would wait for ever."""

    async def forgetful(orders: Sequence[str]) -> list[str | Exception]:
        return [order.upper() for order in orders[1:]]

    gathering: Gathering[str, str] = Gathering(forgetful)

    async with asyncio.timeout(5):
        answers = await asyncio.gather(*map(gathering.ask, ("soup", "jam")), return_exceptions=True)

    assert [str(each) for each in answers] == ["1 answers to 2 calls"] * 2
