"""The adapters of a team on a model server, known by their canaries.

With every question goes one canary of each adapter that is asked, the next of the eight in
turn; after a load all of them. So a server that has lost an adapter, has another one under its
name, or answers with its base is found out with the answer, and that answer goes nowhere.
"""

from collections import Counter
from collections.abc import Sequence

from hocket.agents.adapter import Adapter
from hocket.agents.canary import TOLERANCES, Canary
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.query import Query, Writing, Written
from hocket.agents.sglang import SglangServer, UnknownAdapterError
from hocket.agents.sglang_answer import ServerFacts
from hocket.runtime.errors import AdapterError, AdapterMismatchError, ServerError

_WIDEST = max(TOLERANCES.values())
_RELOADS = 2
"""How often in one question the adapters may have to be loaded anew."""

Faults = dict[str, Exception]
"""What is wrong with an adapter, by its name; empty for the base itself."""


class Tenants:
    """The adapters of one team on one server."""

    def __init__(self, server: SglangServer, base: FrozenBase) -> None:
        """Take note of server and base; nothing is sent before `start`."""
        self.server, self._base = server, base
        self.adapters: dict[str, Adapter] = {}
        """Those that should be on the server, by name."""
        self.tolerance = _WIDEST
        self._turn = 0
        self._asking: Counter[str] = Counter()
        self._leaving: set[str] = set()

    async def start(self, adapters: Sequence[Adapter]) -> ServerFacts:
        """Wait for the server, hold it against the team, and bring the team's adapters.

        Raises:
            ServerError: it is not ready in time, or not fit for this team.
            AdapterError: an adapter that it cannot serve.
            AdapterMismatchError: it answers as somebody else.
        """
        facts = await self.server.start()
        self.tolerance = TOLERANCES.get(facts.dtype, _WIDEST)
        problem = self._unfit(facts, {adapter.name: adapter for adapter in adapters})
        if problem is not None:
            raise ServerError(server=self.server.url, problem=problem)
        if self._base.canary is not None:
            await self._hear("", self._base.canary)
        for adapter in adapters:
            await self.bring(adapter)
        return facts

    async def bring(self, adapter: Adapter) -> None:
        """Load an adapter and hear its whole canary.

        Raises:
            AdapterError: the server cannot serve it.
            AdapterMismatchError: the server answers as somebody else.
        """
        check_servable(adapter)
        await self.server.load(adapter.name, adapter.folder)
        self.adapters[adapter.name] = adapter
        self._leaving.discard(adapter.name)
        if adapter.canary is not None:
            await self._hear(adapter.name, adapter.canary)

    async def let_go(self, name: str) -> None:
        """Unload an adapter, after the last question to it was answered."""
        if self._asking[name]:
            self._leaving.add(name)
            return
        self.adapters.pop(name, None)
        await self.server.unload(name)

    async def score(self, queries: Sequence[Query]) -> tuple[list[tuple[float, ...]], Faults]:
        """Ask, with canaries.

        Returns:
            The answers, uniform for an adapter that is at fault; and what is wrong with which adapter.

        Raises:
            ServerError: no answer that makes sense.
        """
        names = list(dict.fromkeys(query.adapter for query in queries))
        faults: Faults = {}
        self._asking.update(names)
        try:
            answers = await self._asked(queries, names, faults)
        finally:
            self._asking.subtract(names)
            for name in [name for name in names if name in self._leaving and not self._asking[name]]:
                self._leaving.discard(name)
                await self.let_go(name)
        return answers, faults

    async def write(self, writings: Sequence[Writing]) -> tuple[list[Written], Faults]:
        """Have texts written out; the adapters' canaries are heard first."""
        if not writings:
            return [], {}
        names = list(dict.fromkeys(writing.adapter for writing in writings))
        faults: Faults = {}
        await self._asked([], names, faults)
        sound = [writing for writing in writings if writing.adapter not in faults]
        told = iter(await self.server.write(sound))
        return [Written((), 0.0) if writing.adapter in faults else next(told) for writing in writings], faults

    async def _asked(self, queries: Sequence[Query], names: Sequence[str], faults: Faults) -> list[tuple[float, ...]]:
        for reload in range(_RELOADS + 1):
            asked = [query.adapter not in faults for query in queries]
            sound = [query for query, sent in zip(queries, asked, strict=True) if sent]
            canaries = [(name, canary) for name in names if name not in faults and (canary := self._canary(name))]
            place = self._turn
            self._turn += 1
            probes = [canary.query(name, place) for name, canary in canaries]
            try:
                answers = await self.server.score([*sound, *probes])
            except UnknownAdapterError as error:
                if reload == _RELOADS:
                    raise
                await self._reload(error, faults)
                continue
            for (name, canary), heard in zip(canaries, answers[len(sound) :], strict=True):
                try:
                    canary.check(name, place, heard, self.tolerance)
                except AdapterMismatchError as error:
                    faults[name] = error
            told = iter(answers)
            return [next(told) if sent else _uniform(query) for query, sent in zip(queries, asked, strict=True)]
        raise AssertionError

    async def _reload(self, error: UnknownAdapterError, faults: Faults) -> None:
        """Bring every adapter again to a server that has lost one."""
        lost = [error.adapter, *sorted(set(self.adapters) - {error.adapter} - set(await self.server.loaded()))]
        for name in lost:
            adapter = self.adapters.get(name)
            if adapter is None:
                raise error
            try:
                await self.bring(adapter)
            except (AdapterError, AdapterMismatchError) as wrong:
                faults[name] = wrong

    def _canary(self, name: str) -> Canary | None:
        return self.adapters[name].canary if name else self._base.canary

    async def _hear(self, name: str, canary: Canary) -> None:
        for place, answer in enumerate(await self.server.score(canary.queries(name))):
            canary.check(name, place, answer, self.tolerance)

    def _unfit(self, facts: ServerFacts, adapters: dict[str, Adapter]) -> str | None:
        if not adapters:
            return None
        if not facts.lora:
            return "it was started without --enable-lora, and so serves no adapters"
        if facts.slots < len(adapters) + 1:
            needed = len(adapters) + 1
            return f"--max-loras-per-batch is {facts.slots}, but {len(adapters)} adapters and the base need {needed}"
        rank = max(adapter.rank for adapter in adapters.values())
        if rank > facts.rank:
            return f"--max-lora-rank is {facts.rank}, but an adapter has rank {rank}"
        return None


def check_servable(adapter: Adapter) -> None:
    """Refuse what SGLang takes and computes wrongly, or does not take.

    Raises:
        AdapterError: rank-stabilised LoRA (mis-scaled), DoRA, or ranks that differ by layer.
    """
    for kind, found in (("DoRA", adapter.dora), ("rsLoRA", adapter.rslora), ("mixed ranks", adapter.mixed_ranks)):
        if found:
            raise AdapterError(adapter=adapter.name, problem=f"has {kind}, which SGLang does not compute as it should")


def _uniform(query: Query) -> tuple[float, ...]:
    return (0.0,) * len(query.among)
