"""Seats held by a language model behind a server: one base, an adapter each.

All seats that are due on a tick are asked in one request. An adapter that does not answer as
itself is the fault of its own seats: they raise, and the others go on. A server that is gone
is waited for, and given its adapters again when it comes back without them.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import anyio
import structlog

from hocket.agents.adapter import Adapter
from hocket.agents.canary import standing
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.gathering import Gathering
from hocket.agents.interpreter import Interpreter, installed
from hocket.agents.query import Written
from hocket.agents.scoring import rounds
from hocket.agents.sglang.client import SglangClient
from hocket.agents.sglang.tenants import Problems, Tenants, check_servable
from hocket.agents.style import Style
from hocket.agents.tokens import load_tokens
from hocket.replays.timing import Call, Timing
from hocket.replays.trace import AgentMark
from hocket.runtime.errors import RefusedError, ServerError
from hocket.runtime.policy import Choice, NoChoice, Offer
from hocket.runtime.words import Words

_log = structlog.get_logger(__name__)

_FAREWELL = 10.0
"""Seconds for a server to let a team's adapters go."""

Answers = list[Choice | NoChoice | Exception]


class ServedModel:
    """The seats of one base on one server, in one game."""

    def __init__(
        self,
        base: FrozenBase,
        words: Words[Any],
        style: Style,
        connect: Callable[[], SglangClient],
        told: Callable[[Timing], object] = lambda timing: None,
    ) -> None:
        """Seat a model.

        Args:
            base: that the server was started with, here for its tokenizer.
            words: of the game.
            style: of prompts and answers.
            connect: makes a client; one belongs to one event loop.
            told: called with how long each batch of decisions took.

        Raises:
            ModelError: its tokenizer cannot be loaded.
            MissingExtraError: transformers is not installed.
        """
        self._base, self._connect, self._told = base, connect, told
        self._interpreter = Interpreter(base, load_tokens(base), words, style, "sglang")
        self._adapters: dict[int, Adapter | None] = {}
        self._tenants: Tenants | None = None
        self._door = anyio.Lock()
        """Held while a connection is made, so that there is one."""
        self._dtype, self._version = "", ""
        self._asking: Counter[str] = Counter()
        """Decisions under way, by adapter."""
        self._leaving: set[str] = set()
        self._brought: set[str] = set()
        """Adapters that were loaded for this team, and not let go yet."""
        self._gathering: Gathering[Offer, Choice | NoChoice] = Gathering(self._answer)

    def seat(self, seat: int, adapter: Adapter | None) -> None:
        """Let a seat answer with an adapter, or with the base itself, from the start.

        Raises:
            AdapterError: SGLang would not compute it as it should.
        """
        if adapter is not None:
            check_servable(adapter)
        self._adapters[seat] = adapter

    def mark(self, seat: int) -> AgentMark:
        """Describe the agent of a seat for the header of a trace, once the server has been reached."""
        versions = installed("transformers") | {"sglang": self._version}
        return self._interpreter.mark(self._adapters[seat], self._dtype, versions)

    async def prepare(self) -> None:
        """Reach the server, bring the adapters and hear their canaries; the connection is then closed.

        Raises:
            ServerError: it does not answer, or is not fit for this team.
            AdapterMismatchError: it answers as somebody else.
        """
        try:
            await self._there()
        finally:
            await self.close()

    async def close(self) -> None:
        """Give up what is being asked, and close the connection; the next question opens another."""
        with anyio.CancelScope(shield=True):
            await self._gathering.close()
            tenants, self._tenants = self._tenants, None
            if tenants is not None:
                await tenants.server.close()

    async def switch(self, seat: int, adapter: Adapter) -> None:
        """Let a seat go on with another adapter: load it, switch, and let the old one go after its last decision.

        Raises:
            AdapterError: the server cannot serve it; the seat keeps the old one.
            AdapterMismatchError: the server answers as somebody else; the same.
            ServerError: no answer that makes sense.
        """
        tenants = await self._there()
        try:
            await tenants.bring(adapter)
        finally:
            self._brought.update(tenants.adapters)
        old, self._adapters[seat] = self._adapters[seat], adapter
        self._leaving.discard(adapter.name)
        if old is not None and old.name not in {each.name for each in self._adapters.values() if each}:
            self._leaving.add(old.name)
            await self._let_go(tenants)

    async def leave(self) -> None:
        """Let every adapter go that was loaded for the team, so that the next one finds its names free."""
        await self.close()
        if not self._brought:
            return
        tenants = Tenants(self._connect(), self._base)
        self._leaving.update(self._brought)
        with anyio.move_on_after(_FAREWELL):
            await self._let_go(tenants)
        with anyio.CancelScope(shield=True):
            await tenants.server.close()

    async def choose(self, offer: Offer) -> Choice | NoChoice:
        """Answer one offer, in one request with all that are due on its tick.

        Raises:
            ServerError: the server does not answer, or not sensibly, for as long as it was waited for.
            AdapterMismatchError: the answer is not of the adapter that was asked.
            PromptError: a prompt or menu that the model cannot take.
        """
        return await self._gathering.ask(offer)

    async def _answer(self, offers: Sequence[Offer]) -> Answers:
        adapters = [self._adapters[offer.seat] for offer in offers]
        names = ["" if adapter is None else adapter.name for adapter in adapters]
        self._asking.update(names)
        try:
            return await self._decided(offers, adapters)
        finally:
            self._asking.subtract(names)
            if self._tenants is not None:
                await self._let_go(self._tenants)

    async def _decided(self, offers: Sequence[Offer], adapters: Sequence[Adapter | None]) -> Answers:
        """Decide; where the server is gone, wait for it as long as its client does, and decide once more."""
        began, costs = perf_counter(), list[Call]()
        tenants = await self._there()
        try:
            answers = await self._on(tenants, offers, adapters, costs)
        except RefusedError:
            raise
        except ServerError:
            tenants = await self._there(lost=tenants)
            answers = await self._on(tenants, offers, adapters, costs)
        numbers = tuple((offer.seat, offer.decision) for offer in offers)
        self._told(Timing(offers[0].tick, numbers, perf_counter() - began, tuple(costs)))
        return answers

    async def _on(
        self, tenants: Tenants, offers: Sequence[Offer], adapters: Sequence[Adapter | None], costs: list[Call]
    ) -> Answers:
        """Decide on one connection, which is closed behind the last who uses it once there is another."""
        names = ["" if adapter is None else adapter.name for adapter in adapters]
        checks = [standing(tenants.canary(name), tenants.dtype, base=not name) for name in names]
        steps = [
            self._interpreter.decide(offer, adapter, check, every=False)
            for offer, adapter, check in zip(offers, adapters, checks, strict=True)
        ]
        problems: Problems = {}
        asking = rounds(steps)
        tenants.users += 1
        try:
            queries, writings = next(asking)
            while True:
                scored, wrong = await tenants.score(queries, costs) if queries else ([], {})
                texts, other = await tenants.write(writings, costs) if writings else (list[Written](), {})
                problems |= wrong | other
                queries, writings = asking.send((scored, texts))
        except StopIteration as end:
            return [problems.get(name) or answer for name, answer in zip(names, end.value, strict=True)]
        finally:
            tenants.users -= 1
            if tenants is not self._tenants:
                await _close_unused(tenants)

    async def _there(self, lost: Tenants | None = None) -> Tenants:
        """Return the adapters on the server, reaching it first where that has not been done or `lost` its connection.

        Raises:
            ServerError: it does not answer, is not fit for this team, or is another than before.
        """
        async with self._door:
            if lost is not None and self._tenants is lost:
                self._tenants = None
                await _close_unused(lost)
            if self._tenants is None:
                tenants = Tenants(self._connect(), self._base)
                try:
                    facts = await tenants.start([each for each in self._adapters.values() if each is not None])
                    known = (facts.dtype, facts.version)
                    if self._version and known != (self._dtype, self._version):
                        problem = (
                            f"it was SGLang {self._version} in {self._dtype}, and is {facts.version} in {facts.dtype}"
                        )
                        raise RefusedError(server=tenants.server.url, problem=problem)
                except BaseException:
                    with anyio.CancelScope(shield=True):
                        await tenants.server.close()
                    raise
                finally:
                    self._brought.update(tenants.adapters)
                self._dtype, self._version = known
                self._tenants = tenants
            return self._tenants

    async def _let_go(self, tenants: Tenants) -> None:
        """Unload what no seat and no decision uses any more; what cannot be unloaded is only a slot lost."""
        for name in [name for name in sorted(self._leaving) if not self._asking[name]]:
            self._leaving.discard(name)
            self._brought.discard(name)
            try:
                await tenants.let_go(name)
            except ServerError as error:
                _log.warning("an adapter stays on the server", adapter=name, error=str(error))


async def _close_unused(tenants: Tenants) -> None:
    """Close a connection that is given up, unless a decision is still under way on it."""
    if not tenants.users:
        with anyio.CancelScope(shield=True):
            await tenants.server.close()
