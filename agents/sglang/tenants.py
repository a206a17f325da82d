"""The adapters of a team on a model server, known by their canaries.

After a load all of an adapter's canary is heard, and with every request goes one prompt of
it, of those that tell the adapter from its base. So a server that has another adapter under
a name, or answers with its base, is found out with the answer, and that answer goes nowhere.
The base's own answers are known from any adapter's canary.
"""

from collections.abc import Sequence

from hocket.agents.adapter import Adapter
from hocket.agents.canary import Canary
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.query import Query, Writing, Written
from hocket.agents.sglang.answer import ServerFacts
from hocket.agents.sglang.client import SglangClient
from hocket.replays.timing import Call
from hocket.runtime.errors import AdapterError, AdapterMismatchError, RefusedError, UnknownAdapterError

_RELOADS = 2
"""How often in one question the adapters may have to be loaded anew."""

Problems = dict[str, Exception]
"""What is wrong with an adapter, by its name; empty for the base itself."""


class Tenants:
    """The adapters of one team on one server."""

    def __init__(self, server: SglangClient, base: FrozenBase) -> None:
        """Take note of server and base; nothing is sent before `start`."""
        self.server, self._base = server, base
        self.adapters: dict[str, Adapter] = {}
        """Those that should be on the server, by name."""
        self.dtype = ""
        """Number format of the server."""
        self.users = 0
        """Decisions that are under way on this connection."""
        self._base_canary = base.canary
        self._turn = 0

    async def start(self, adapters: Sequence[Adapter]) -> ServerFacts:
        """Wait for the server, hold it against the team, and bring the team's adapters.

        Raises:
            ServerError: it is not ready in time, or not fit for this team.
            AdapterError: an adapter that it cannot serve.
            AdapterMismatchError: it answers as somebody else.
        """
        facts = await self.server.start()
        self.dtype = facts.dtype
        problem = _unfit(facts, {adapter.name: adapter for adapter in adapters})
        if problem is not None:
            raise RefusedError(server=self.server.url, problem=problem)
        for adapter in adapters:
            await self.bring(adapter)
        if self._base_canary is None:
            measured = [adapter.canary for adapter in adapters if adapter.canary is not None]
            self._base_canary = measured[0].of_base() if measured else None
        await self._hear("")
        return facts

    def canary(self, name: str) -> Canary | None:
        """Return what an adapter, or the base for an empty name, is known by; None where nobody has measured it."""
        return self.adapters[name].canary if name else self._base_canary

    async def bring(self, adapter: Adapter) -> None:
        """Load an adapter and hear its whole canary.

        Raises:
            AdapterError: the server cannot serve it.
            AdapterMismatchError: the server answers as somebody else.
            ServerError: no answer that makes sense.
        """
        check_servable(adapter)
        await self.server.load(adapter.name, adapter.folder)
        self.adapters[adapter.name] = adapter
        await self._hear(adapter.name)

    async def let_go(self, name: str) -> None:
        """Unload an adapter that nothing will be asked of any more.

        Raises:
            ServerError: no answer that makes sense.
        """
        self.adapters.pop(name, None)
        await self.server.unload(name)

    async def score(self, queries: Sequence[Query], costs: list[Call]) -> tuple[list[tuple[float, ...]], Problems]:
        """Ask, with canaries.

        Returns:
            The answers, uniform for an adapter that has a problem; and what is wrong with which adapter.

        Raises:
            ServerError: no answer that makes sense.
        """
        problems: Problems = {}
        names = list(dict.fromkeys(query.adapter for query in queries))
        for _ in range(_RELOADS + 1):
            asked = [query.adapter not in problems for query in queries]
            sound = [query for query, sent in zip(queries, asked, strict=True) if sent]
            probes = self._probes([name for name in names if name not in problems])
            questions = [canary.query(name, place) for name, canary, place in probes]
            try:
                answers = await self.server.score([*sound, *questions], costs)
            except UnknownAdapterError as error:
                await self._bring_again(error, problems)
                continue
            for (name, canary, place), heard in zip(probes, answers[len(sound) :], strict=True):
                try:
                    canary.check(name, place, heard, self.dtype)
                except AdapterMismatchError as error:
                    problems[name] = error
            told = iter(answers)
            return [next(told) if sent else _uniform(each) for each, sent in zip(queries, asked, strict=True)], problems
        lost = RefusedError(server=self.server.url, problem="it loses adapters as soon as they are loaded")
        return [_uniform(query) for query in queries], problems | dict.fromkeys(names, lost)

    async def write(self, writings: Sequence[Writing], costs: list[Call]) -> tuple[list[Written], Problems]:
        """Have texts written out; canaries are heard before, so that lost adapters are brought, and after.

        Returns:
            The texts, empty for an adapter that has a problem; and what is wrong with which adapter.

        Raises:
            ServerError: no answer that makes sense.
        """
        names = list(dict.fromkeys(writing.adapter for writing in writings))
        problems = await self._hear_one(names, costs)
        sound = [writing for writing in writings if writing.adapter not in problems]
        told = iter(await self.server.write(sound, costs))
        found = [Written((), 0.0) if writing.adapter in problems else next(told) for writing in writings]
        return found, problems | await self._hear_one([name for name in names if name not in problems], costs)

    async def _hear_one(self, names: Sequence[str], costs: list[Call]) -> Problems:
        """Hear one prompt of the canary of each, and nothing else."""
        queries = [canary.query(name, place) for name, canary, place in self._probes(names)]
        return (await self.score(queries, costs))[1] if queries else {}

    def _probes(self, names: Sequence[str]) -> list[tuple[str, Canary, int]]:
        """Return whose canary goes along, and which of its prompts."""
        self._turn += 1
        known = [(name, self.canary(name)) for name in names]
        return [(name, canary, canary.turn(self._turn, self.dtype)) for name, canary in known if canary is not None]

    async def _bring_again(self, error: UnknownAdapterError, problems: Problems) -> None:
        """Bring every adapter again to a server that has lost one."""
        there = await self.server.loaded()
        for name in dict.fromkeys([error.adapter, *(name for name in self.adapters if name not in there)]):
            adapter = self.adapters.get(name)
            try:
                if adapter is None:
                    raise error
                await self.bring(adapter)
            except (AdapterError, AdapterMismatchError, UnknownAdapterError) as wrong:
                problems[name] = wrong

    async def _hear(self, name: str) -> None:
        canary = self.canary(name)
        if canary is not None:
            canary.check_all(name, await self.server.score(canary.queries(name)), self.dtype)


def check_servable(adapter: Adapter) -> None:
    """Refuse what SGLang takes and computes wrongly, or does not take.

    Raises:
        AdapterError: rank-stabilised LoRA (mis-scaled), DoRA, or ranks that differ by layer.
    """
    for kind, found in (("DoRA", adapter.dora), ("rsLoRA", adapter.rslora), ("mixed ranks", adapter.mixed_ranks)):
        if found:
            raise AdapterError(adapter=adapter.name, problem=f"has {kind}, which SGLang does not compute as it should")


def _unfit(facts: ServerFacts, adapters: dict[str, Adapter]) -> str | None:
    """Say why a server cannot take a team; None where it can."""
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


def _uniform(query: Query) -> tuple[float, ...]:
    return (0.0,) * len(query.among)
