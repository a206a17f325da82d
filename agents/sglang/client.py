"""A SGLang server over HTTP: many seats' questions in one call, adapters by versioned name.

An answer says nothing of the adapter that gave it, and a request for a name that was
unloaded has SGLang load it again, by itself, from where it was. So a name stands for one
folder for as long as the server lives, `seat0@v17`, never `seat0`; and what was unloaded
here is asked nothing more.

A call that is cancelled or took too long is taken off the server. Token ids beyond the
base's vocabulary end the server (an index error in SGLang), so they must be the base's own.

Source: the wire contract of SGLang 0.5.23 (`POST generate` with `token_ids_logprob`; with
`max_new_tokens: 0` it scores the next token and writes nothing).
"""

import re
import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from pathlib import Path
from time import perf_counter
from typing import TypeVar

import anyio

from hocket.agents.query import Query, Writing, Written
from hocket.agents.sglang.answer import (
    Answer,
    Cards,
    Changed,
    FaultError,
    Model,
    Server,
    ServerFacts,
    decoded,
    log_probs,
    one_line,
    server_facts,
    written,
)
from hocket.agents.sglang.wire import SilenceError, Wire
from hocket.replays.timing import Call
from hocket.runtime.errors import AdapterError, RefusedError, ServerError, SettingError, UnknownAdapterError

T = TypeVar("T")

_READY_PAUSE = 0.25
"""Seconds between two looks at a server that is starting."""
_UNKNOWN = re.compile(
    r"(?:never been loaded: |adapters are not loaded: |implicitly load LoRA adapter )(?P<name>\S+?):?(?: |$)"
)


class SglangClient:
    """The client of one server."""

    def __init__(
        self, url: str, *, patience: float = 60.0, timeout: float = 30.0, tries: int = 4, pause: float = 0.2
    ) -> None:
        """Take note of a server; nothing is sent before `start`.

        Args:
            url: where it listens, e.g. http://127.0.0.1:30000.
            patience: seconds for it to become ready.
            timeout: seconds for one answer.
            tries: how often a call is made before it has failed.
            pause: seconds before the second try; each further pause is twice as long.

        Raises:
            SettingError: not an address, or a number that makes no sense.
        """
        if not 0 < patience < inf:
            raise SettingError(setting="patience with a model server", value=patience, right="seconds, more than 0")
        self._wire = Wire(url, timeout=timeout, tries=tries, pause=pause)
        self.url = self._wire.url
        self._patience, self._mark, self._calls = patience, secrets.token_hex(4), 0
        self._asked: Counter[str] = Counter()
        self._unloaded: set[str] = set()
        self._answered = anyio.Event()

    async def start(self) -> ServerFacts:
        """Wait until the server is ready and ask what it is; again after it was started anew.

        Raises:
            ServerError: not ready in time, or it is no server of this kind.
        """
        await self._ready()
        model, server = await self._read("model_info", Model), await self._read("server_info", Server)
        return server_facts(model, server, await self._read("v1/models", Cards))

    async def score(self, queries: Sequence[Query], costs: list[Call] | None = None) -> list[tuple[float, ...]]:
        """Ask which of a few tokens comes next, for all queries in one call.

        Args:
            queries: to be asked.
            costs: what the call cost is added to it.

        Returns:
            For each query the log-probabilities of its candidates, in their order, at temperature 1 and
            over these alone.

        Raises:
            UnknownAdapterError: an adapter is not loaded.
            ServerError: no answer, or none that makes sense.
        """
        if not queries:
            return []
        body: dict[str, object] = {
            "input_ids": [[*query.prompt, *query.then] for query in queries],
            "sampling_params": {"max_new_tokens": 0, "temperature": 1.0},
            "token_ids_logprob": [list(query.among) for query in queries],
        }

        def read(answers: list[Answer]) -> list[tuple[float, ...]]:
            return [log_probs(answer, query) for answer, query in zip(answers, queries, strict=True)]

        return await self._generate(body, [query.adapter for query in queries], read, costs)

    async def write(self, writings: Sequence[Writing], costs: list[Call] | None = None) -> list[Written]:
        """Have texts written out, all in one call; the server draws the tokens, not the seat's stream.

        Where the stop text begins within a token, that whole token is left out.

        Raises:
            UnknownAdapterError: an adapter is not loaded.
            ServerError: no answer, or none that makes sense.
        """
        if not writings:
            return []
        body: dict[str, object] = {
            "input_ids": [list(writing.prompt) for writing in writings],
            "sampling_params": [_sampling(writing) for writing in writings],
            "return_text_in_logprobs": True,
        }

        def read(answers: list[Answer]) -> list[Written]:
            return [written(answer, writing) for answer, writing in zip(answers, writings, strict=True)]

        return await self._generate(body, [writing.adapter for writing in writings], read, costs)

    async def load(self, name: str, folder: Path) -> None:
        """Load an adapter; the folder stays as it is for as long as the server lives, which may read it again.

        Loading again what is loaded, from the same folder, changes nothing.

        Raises:
            AdapterError: no adapter, not one for this server, or the name stands for another folder.
            ServerError: no answer, or none that makes sense.
        """
        path = _checked_folder(name, folder)
        self._unloaded.discard(name)
        done = await self._change("load_lora_adapter", {"lora_name": name, "lora_path": path})
        if not done.success and (done.loaded_adapters or {}).get(name) != path:
            raise AdapterError(adapter=name, problem=one_line(done.error_message))

    async def unload(self, name: str) -> None:
        """Unload an adapter, once what was asked of it here has been answered; nothing if it is not there.

        From now on this client asks nothing of it: a late request would have the server load it again.

        Raises:
            ServerError: it is still there, or there was no answer that makes sense.
        """
        self._unloaded.add(name)
        while self._asked[name]:
            await self._answered.wait()
        done = await self._change("unload_lora_adapter", {"lora_name": name})
        if not done.success and name in await self.loaded():
            raise ServerError(server=self.url, problem=f"it keeps adapter {name!r}: {one_line(done.error_message)}")

    async def loaded(self) -> tuple[str, ...]:
        """Return the names of the adapters that are loaded, in alphabetical order.

        Raises:
            ServerError: no answer, or none that makes sense.
        """
        cards = await self._read("v1/models", Cards)
        return tuple(sorted(card.id for card in cards.data if card.parent is not None))

    async def abort(self, rid: str) -> None:
        """Take one request off the server; nothing if it is not there.

        Raises:
            ServerError: no answer.
        """
        await self._wire.tried(partial(self._wire.once, "POST", "abort_request", {"rid": rid}))

    async def close(self) -> None:
        """Close the connections."""
        await self._wire.close()

    async def _generate(
        self,
        body: dict[str, object],
        adapters: Sequence[str],
        read: Callable[[list[Answer]], list[T]],
        costs: list[Call] | None,
    ) -> list[T]:
        started, tries = perf_counter(), 0
        body |= {"return_logprob": True, "logprob_start_len": -1}
        if any(adapters):
            body["lora_path"] = [adapter or None for adapter in adapters]

        async def once() -> list[T]:
            nonlocal tries
            tries += 1
            rids = self._rids(len(adapters))
            answers = await self._answers(body, rids)
            found = read(answers)
            cached = tuple(answer.meta_info.cached_tokens for answer in answers)
            if costs is not None:
                costs.append(Call(perf_counter() - started, tuple(rids), cached, tries))
            return found

        if gone := [adapter for adapter in adapters if adapter in self._unloaded]:
            raise UnknownAdapterError(server=self.url, adapter=gone[0])
        self._asked.update(adapters)
        try:
            return await self._wire.tried(once)
        finally:
            self._asked.subtract(adapters)
            self._answered.set()
            self._answered = anyio.Event()

    async def _answers(self, body: dict[str, object], rids: list[str]) -> list[Answer]:
        try:
            content = await self._wire.once("POST", "generate", body | {"rid": rids})
        except (SilenceError, anyio.get_cancelled_exc_class()):
            await self._wire.abandon(rids)
            raise
        except RefusedError as error:
            if unknown := _UNKNOWN.search(error.problem):
                raise UnknownAdapterError(server=self.url, adapter=unknown["name"]) from error
            raise
        answers = decoded(content, list[Answer])
        if [answer.meta_info.id for answer in answers] != rids:
            raise FaultError(f"it was asked {len(rids)} things and answered {len(answers)}, or others")
        return answers

    def _rids(self, count: int) -> list[str]:
        """Make ids that no other client uses, and of which none begins another: aborting goes by the beginning."""
        self._calls += 1
        return [f"{self._mark}-{self._calls}-{place}." for place in range(count)]

    async def _ready(self) -> None:
        problem = "it gave no answer"
        with anyio.move_on_after(self._patience):
            while True:
                try:
                    await self._wire.once("GET", "ready")
                    return
                except FaultError as fault:
                    problem = str(fault)
                await anyio.sleep(_READY_PAUSE)
        raise ServerError(server=self.url, problem=f"not ready after {self._patience:g} s: {problem}")

    async def _read(self, path: str, kind: type[T]) -> T:
        async def once() -> T:
            return decoded(await self._wire.once("GET", path), kind)

        return await self._wire.tried(once)

    async def _change(self, path: str, body: dict[str, str]) -> Changed:
        async def once() -> Changed:
            return decoded(await self._wire.once("POST", path, body, taken=(400,)), Changed)

        return await self._wire.tried(once)


def _checked_folder(name: str, folder: Path) -> str:
    """Return the path that the server is told; where there is no folder, it would ask the hub for one."""
    if not (folder / "adapter_config.json").is_file():
        raise AdapterError(adapter=name, problem=f"{folder} is no adapter: it has no adapter_config.json")
    return str(folder.resolve())


def _sampling(writing: Writing) -> dict[str, object]:
    """Return how a text is to be written; nothing is left to what the server was started with."""
    asked: dict[str, object] = {"max_new_tokens": writing.most, "temperature": writing.temperature}
    asked |= {"top_p": 1.0, "top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0}
    asked |= {"stop": [writing.stop]} if writing.stop else {}
    return asked | ({"regex": writing.pattern} if writing.pattern else {})
