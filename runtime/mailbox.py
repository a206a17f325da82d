"""The bounded queue between the bus and one receiver.

Messages stand in the order in which they were published. Those beyond the
capacity belong to publishers that are suspended, one each, in the same order; so
nothing overtakes, and a publisher goes on when its message has moved up. Not
thread-safe: everything happens on one event loop, and between two awaits.
"""

import asyncio
import math
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Generic, Literal, TypeAlias, TypeVar

import anyio
from anyio.lowlevel import checkpoint

from hocket.runtime.errors import BusError, SettingError
from hocket.runtime.ledger import Ledger, Reason

M = TypeVar("M")

Overflow: TypeAlias = Literal["wait", "drop_oldest", "fail"]

_BURST = 64
"""Messages that may be received in a row before other tasks get a chance."""


class Mailbox(Generic[M]):
    """What waits for one receiver; made by `Bus.subscribe`."""

    def __init__(
        self, *, name: str, capacity: int, overflow: Overflow, ledger: Ledger, left: Callable[["Mailbox[M]"], None]
    ) -> None:
        if capacity < 1:
            raise SettingError(setting=f"capacity of mailbox {name!r}", value=capacity, right="1 or more")
        if overflow not in ("wait", "drop_oldest", "fail"):
            right = "'wait', 'drop_oldest' or 'fail'"
            raise SettingError(setting=f"overflow of mailbox {name!r}", value=overflow, right=right)
        self.name, self.capacity, self.overflow = name, capacity, overflow
        self.received = 0
        """Messages taken out so far, those that a handler failed at included."""
        self._ledger, self._left = ledger, left
        self._queue: deque[M] = deque()
        self._suspended: deque[asyncio.Future[None]] = deque()
        self._receivers: deque[asyncio.Future[None]] = deque()
        self._burst = 0
        self._ended = self._closed = False
        self._moved: Callable[[], None] | None = None
        self._in_hand: list[M] = []
        self._scope: anyio.CancelScope | None = None
        self.server: asyncio.Task[object] | None = None
        """The task that serves this mailbox."""

    @property
    def waiting(self) -> int:
        """How many messages wait, those of suspended publishers included."""
        return len(self._queue)

    @property
    def overfull(self) -> bool:
        """Whether more waits than there is room for, beside one message of each suspended publisher."""
        return len(self._queue) > self.capacity + len(self._suspended)

    @property
    def quiet(self) -> bool:
        """Whether nothing waits and no handler has a message in hand."""
        return not self._queue and not self._in_hand

    async def receive(self) -> M:
        """Take the next message, after waiting for one where there is none.

        A receiver that is cancelled has taken nothing.

        Raises:
            anyio.EndOfStream: the mailbox was closed, or the bus has stopped and the mailbox is empty.
        """
        if self._burst >= _BURST:
            self._burst = 0
            await checkpoint()
        while not self._queue:
            if self._ended:
                raise anyio.EndOfStream
            await self._arrival()
        self._burst += 1
        return self._take()

    def receive_nowait(self) -> M:
        """Take the next message.

        Raises:
            anyio.WouldBlock: there is none yet.
            anyio.EndOfStream: there will be none.
        """
        if not self._queue:
            raise anyio.EndOfStream if self._ended else anyio.WouldBlock
        return self._take()

    def take_all(self) -> list[M]:
        """Take everything that waits, in order; never waits, and is empty where nothing does."""
        return [self._take() for _ in range(len(self._queue))]

    def __aiter__(self) -> "Mailbox[M]":
        return self

    async def __anext__(self) -> M:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def serve(self, handler: Callable[[M], Awaitable[object]]) -> None:
        """Give each message to the handler, one after the other, until the mailbox ends.

        However this ends, the mailbox is closed then: nobody waits for a receiver
        that is gone. A handler still busy when the grace of a stop is over is
        cancelled, which is no error of its actor.

        Raises:
            BusError: the mailbox has its server, or the handler let a cancellation
                out that was not its actor's (which would otherwise end a whole
                group without a word).
            BaseException: what the handler raised, once its message is accounted for.
        """
        if self.server is not None:
            raise BusError(message="a second server", mailbox=self.name, problem="the mailbox has one already")
        self.server = asyncio.current_task()
        try:
            with anyio.CancelScope() as self._scope:
                async for message in self:
                    self._in_hand.append(message)
                    await handler(message)
                    self._in_hand.clear()
        except asyncio.CancelledError as error:
            cancelled = _is_cancelled()
            self._let_go("handler cancelled" if cancelled else "handler raised", type(error).__name__)
            if cancelled:
                raise
            problem = "the handler raised a cancellation that nobody had asked for"
            raise BusError(message="a message", mailbox=self.name, problem=problem) from error
        except BaseException as error:
            self._let_go("handler raised", type(error).__name__)
            raise
        finally:
            self.server = None
            self.close()

    def close(self) -> None:
        """Leave the bus; what still waits becomes dead letters, and whoever waits goes on."""
        self._shut("mailbox closed")

    def offer(self, message: M) -> bool:
        """Take a message where there is room."""
        if len(self._queue) >= self.capacity:
            return False
        self._queue.append(message)
        if self._receivers:
            self._wake()
        return True

    def displace(self, message: M) -> M:
        """Take a message in place of the oldest, which is returned."""
        oldest = self._queue.popleft()
        self._queue.append(message)
        return oldest

    def suspend(self, message: M) -> "asyncio.Future[None]":
        """Take a message beyond the capacity; the future is done when it has moved up, or died."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append(message)
        self._suspended.append(future)
        return future

    def withdraw(self, future: "asyncio.Future[None]") -> None:
        """Take the message of a cancelled publisher back, unless it has moved up."""
        if future in self._suspended:
            place = self._suspended.index(future)
            del self._suspended[place]
            message = self._queue[self.capacity + place]
            del self._queue[self.capacity + place]
            self._ledger.bury(message, self.name, "publisher cancelled")

    def end(self, moved: Callable[[], None]) -> None:
        """Expect no further message; `moved` is called whenever the mailbox may have become quiet."""
        self._ended, self._moved = True, moved
        self._release()

    def cut_off(self) -> None:
        """Give up on the receiver: what it has in hand and what waits become dead letters."""
        self._let_go("handler cut off")
        if self._scope is not None:
            self._scope.cancel()
        self._shut("left at the stop")

    def _take(self) -> M:
        message = self._queue.popleft()
        self.received += 1
        self._ledger.received += 1
        if self._suspended:
            _finish(self._suspended.popleft())
        if self._moved is not None:
            self._moved()
        return message

    async def _arrival(self) -> None:
        self._burst = 0
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._receivers.append(future)
        try:
            await future
        except BaseException:
            if future in self._receivers:
                self._receivers.remove(future)
            elif self._queue and self._receivers:
                self._wake()
            raise

    def _wake(self) -> None:
        """Wake the first receiver; one that was cancelled in the meantime wakes the next itself."""
        _finish(self._receivers.popleft())

    def _release(self) -> None:
        """Wake all publishers and, where nothing is left, all receivers."""
        while self._suspended:
            _finish(self._suspended.popleft())
        while self._receivers:
            self._wake()

    def _let_go(self, reason: Reason, detail: str = "") -> None:
        while self._in_hand:
            self._ledger.received -= 1
            self._ledger.bury(self._in_hand.pop(), self.name, reason, detail)
        self._tell()

    def _shut(self, reason: Reason) -> None:
        if self._closed:
            return
        self._ended = self._closed = True
        self._left(self)
        left = list(self._queue)
        self._queue.clear()
        self._release()
        for message in left:
            self._ledger.bury(message, self.name, reason)
        self._tell()

    def _tell(self) -> None:
        if self._moved is not None:
            self._moved()


def _finish(future: "asyncio.Future[None]") -> None:
    """Let whoever waits for the future go on, unless that was cancelled."""
    if not future.done():
        future.set_result(None)


def _is_cancelled() -> bool:
    """Whether somebody has cancelled the present task, by a scope or by asyncio's own means."""
    task = asyncio.current_task()
    return anyio.current_effective_deadline() == -math.inf or (task is not None and task.cancelling() > 0)
