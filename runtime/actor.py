"""Actors: tasks that each handle one mailbox, in groups that fail together.

A group ends when its actors have: stop the bus (or close their mailboxes) before
leaving it. An actor that ignores its cancellation for good is beyond any help;
all others end within the grace of the stop.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from types import TracebackType
from typing import Any, Generic, TypeVar

import anyio
from anyio.lowlevel import checkpoint_if_cancelled

from hocket.runtime.mailbox import Mailbox

M = TypeVar("M")


class Actor(Generic[M]):
    """An inbox, and a handler that gets its messages one after the other."""

    def __init__(self, inbox: Mailbox[M], handler: Callable[[M], Awaitable[object]]) -> None:
        self.inbox, self.handler = inbox, handler

    @property
    def name(self) -> str:
        """The name of its inbox."""
        return self.inbox.name

    async def run(self) -> None:
        """Handle messages until the inbox ends; what the handler raises is accounted for, and raised."""
        await self.inbox.serve(self.handler)


class Group:
    """Actors that fail together.

    When one fails, or the body of the `async with` does, the others are cancelled, and
    the first error leaves the group as itself: never wrapped in an ExceptionGroup, and
    not hidden by what others raise on their way out. A cancellation from outside passes
    through, whatever else went wrong.
    """

    def __init__(self) -> None:
        self._tasks = anyio.create_task_group()

    def start(self, actor: Actor[M]) -> None:
        """Start an actor; it takes its first message once the present task waits."""
        self._tasks.start_soon(actor.run, name=actor.name)

    def run(self, call: Callable[..., Coroutine[Any, Any, object]], *given: object) -> None:
        """Run something beside the actors, that fails with them."""
        self._tasks.start_soon(call, *given)

    def cancel(self) -> None:
        """Cancel every actor, and the body, without an error."""
        self._tasks.cancel_scope.cancel()

    async def __aenter__(self) -> "Group":
        await self._tasks.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        try:
            return await self._tasks.__aexit__(kind, error, trace)
        except BaseExceptionGroup as group:
            first = _first(group)
        await _pass_cancellation(first)
        context = first.__context__
        try:
            raise first
        finally:
            first.__context__ = context


async def _pass_cancellation(error: BaseException) -> None:
    """Raise the cancellation that an error has taken the place of, if there was one."""
    await checkpoint_if_cancelled()
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError from error


def _first(error: BaseException) -> BaseException:
    """The error that came first; a group lists its errors in the order of failure."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
