"""Calls that are made in one cycle of the event loop, answered together.

A driver posts all offers of a tick before anything else can happen, and so their agents
are asked in one cycle; what they ask of a server is gathered here and becomes one request.
No timer is involved. A call that is given up is left out; when all of a batch are, its
answering is cancelled.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

_GRACE = 3.0
"""Seconds of wall time that a batch which was given up has to end."""


class Gathering(Generic[T, R]):
    """Puts calls into batches."""

    def __init__(self, answer: Callable[[Sequence[T]], Awaitable[Sequence[R | Exception]]]) -> None:
        """Say how a batch is answered: one result a call, in their order, or what the call is to raise."""
        self._answer = answer
        self._waiting: list[tuple[T, asyncio.Future[R]]] = []
        self._running: set[asyncio.Task[None]] = set()

    async def ask(self, item: T) -> R:
        """Have one item answered, together with whatever else is asked in this cycle.

        Raises:
            Exception: what its answering raised.
        """
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._send)
        future: asyncio.Future[R] = loop.create_future()
        self._waiting.append((item, future))
        return await future

    async def close(self) -> None:
        """Give up what is being answered, and wait a moment for it to end."""
        running = list(self._running)
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running, timeout=_GRACE)

    def _send(self) -> None:
        batch, self._waiting = self._waiting, []
        batch = [(item, future) for item, future in batch if not future.done()]
        if not batch:
            return
        task = asyncio.ensure_future(self._run(batch))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

        def given_up(_: asyncio.Future[R]) -> None:
            if all(future.done() for _, future in batch):
                task.cancel()

        for _, future in batch:
            future.add_done_callback(given_up)

    async def _run(self, batch: Sequence[tuple[T, asyncio.Future[R]]]) -> None:
        results: Sequence[R | Exception]
        try:
            results = await self._answer([item for item, _ in batch])
            if len(results) != len(batch):
                raise ValueError(f"{len(results)} answers to {len(batch)} calls")
        except Exception as error:
            results = [error] * len(batch)
        for (_, future), result in zip(batch, results, strict=True):
            if future.done():
                continue
            if isinstance(result, Exception):
                future.set_exception(result)
            else:
                future.set_result(result)
