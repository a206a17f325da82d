"""One HTTP connection pool to a model server: a try, and a few tries.

What may pass is tried again after pauses that double: no connection, an answer broken
off, a 5xx, silence, nonsense. What the server refuses is not.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeVar

import anyio
import httpx

from hocket.agents.sglang.answer import FaultError, words
from hocket.runtime.errors import RefusedError, ServerError, SettingError

T = TypeVar("T")

_ABORT_SECONDS = 2.0
"""How long a call that was cancelled may take to tell the server so."""
_IDLE_SECONDS = 4.0
"""How long a connection is kept that nobody uses; the server keeps it for 5."""


class SilenceError(FaultError):
    """No answer in time; the server may still be at it."""


class Wire:
    """The way to one server."""

    def __init__(self, url: str, *, timeout: float, tries: int, pause: float) -> None:
        """Take note of a server; nothing is sent.

        Raises:
            SettingError: not an address, or a number that makes no sense.
        """
        self.url = checked_url(url)
        if not timeout > 0 or tries < 1 or not pause >= 0:
            setting, value = "timeout, tries and pause with a model server", (timeout, tries, pause)
            raise SettingError(setting=setting, value=value, right="more than 0, 1 or more, and 0 or more")
        self._timeout, self._tries, self._pause = timeout, tries, pause
        limits = httpx.Limits(keepalive_expiry=_IDLE_SECONDS)
        self._client = httpx.AsyncClient(base_url=self.url, timeout=None, limits=limits, trust_env=False)

    async def tried(self, once: Callable[[], Awaitable[T]]) -> T:
        """Try something a few times.

        Raises:
            ServerError: every try failed.
        """
        pause = self._pause
        for _ in range(self._tries - 1):
            with suppress(FaultError):
                return await once()
            await anyio.sleep(pause)
            pause *= 2
        try:
            return await once()
        except FaultError as fault:
            times = f" ({self._tries} tries)" if self._tries > 1 else ""
            raise ServerError(server=self.url, problem=f"{fault}{times}") from fault

    async def once(self, method: str, path: str, body: object = None, taken: Sequence[int] = ()) -> bytes:
        """Ask once.

        Args:
            method: GET or POST.
            path: from the server's root, without the first slash.
            body: sent as JSON; None for nothing.
            taken: refusals of which the content is wanted all the same.

        Raises:
            FaultError: no answer that is worth anything; another try may give one.
            RefusedError: the server will not.
        """
        try:
            with anyio.fail_after(self._timeout):
                reply = await self._client.request(method, path, json=body)
        except TimeoutError as error:
            raise SilenceError(f"it gave no answer in {self._timeout:g} s") from error
        except httpx.ConnectError as error:
            raise FaultError("nothing listens there") from error
        except httpx.RequestError as error:
            raise FaultError("it broke off in the middle of an answer") from error
        problem = f"it answered {reply.status_code} to /{path}{words(reply.content)}"
        if reply.status_code >= 500:
            raise FaultError(problem)
        if reply.status_code >= 300 and reply.status_code not in taken:
            raise RefusedError(server=self.url, problem=problem)
        return reply.content

    async def abandon(self, rids: Sequence[str]) -> None:
        """Take requests off the server that nobody waits for any more; a server that is gone needs no telling."""
        with anyio.move_on_after(_ABORT_SECONDS, shield=True), suppress(httpx.RequestError):
            for rid in rids:
                await self._client.post("abort_request", json={"rid": rid})

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()


def checked_url(url: str) -> str:
    """Return the address of a server without a slash at its end.

    Raises:
        SettingError: it is none.
    """
    try:
        parsed = httpx.URL(url)
        good = parsed.scheme in ("http", "https") and parsed.host and not parsed.query and parsed.path in ("", "/")
        good = good and 0 < (parsed.port or 80) < 65536 and not parsed.userinfo
    except (httpx.InvalidURL, ValueError, TypeError):
        good = False
    if not good:
        shown = f"...@{url.rpartition('@')[2]}" if "@" in url else url  # what stands before may be a secret
        raise SettingError(setting="address of a model server", value=shown, right="http://HOST:PORT")
    return url.rstrip("/")
