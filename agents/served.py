"""Seats held by a language model behind a server: one base, an adapter each.

All seats that are due on a tick are asked in one request. An adapter that does not answer as
itself is the fault of its own seats: they raise, and the others go on. A server that is gone
is waited for, and given its adapters again when it comes back without them.
"""

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import anyio

from hocket.agents.adapter import Adapter
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.gathering import Gathering
from hocket.agents.interpreter import Interpreter, checked
from hocket.agents.query import Query, Writing, Written
from hocket.agents.scoring import Replies, Scored, Steps, rounds, score
from hocket.agents.sglang import SglangServer, UnknownAdapterError
from hocket.agents.style import Style
from hocket.agents.tenants import Faults, Tenants, check_servable
from hocket.agents.tokens import load_tokens
from hocket.replays.timing import Timing
from hocket.replays.trace import AgentMark
from hocket.runtime.errors import ServerError
from hocket.runtime.policy import Choice, NoChoice, Offer
from hocket.runtime.words import Words


class ServedModel:
    """The seats of one base on one server, in one game."""

    def __init__(self, base: FrozenBase, words: Words[Any], style: Style, connect: Callable[[], SglangServer]) -> None:
        """Seat a model.

        Args:
            base: that the server was started with, here for its tokenizer.
            words: of the game.
            style: of prompts and answers.
            connect: makes a client; one belongs to one event loop.
        """
        self.base = base
        self._interpreter = Interpreter(base, load_tokens(base), words, style, "sglang")
        self._connect = connect
        self._tenants: Tenants | None = None
        self._adapters: dict[int, Adapter | None] = {}
        self._door = anyio.Lock()
        """Lets one call reach the server at a time."""
        self._dtype = "unknown"
        self._gathering: Gathering[Offer, Choice | NoChoice] = Gathering(self._answer)
        self.told: Callable[[Timing], object] = lambda timing: None
        """Called with how long each decision took."""

    def seat(self, seat: int, adapter: Adapter | None) -> None:
        """Let a seat answer with an adapter, or with the base itself, from the start.

        Raises:
            AdapterError: SGLang would not compute it as it should.
        """
        if adapter is not None:
            check_servable(adapter)
        self._adapters[seat] = adapter

    def mark(self, seat: int) -> AgentMark:
        """Describe the agent of a seat for the header of a trace."""
        return self._interpreter.mark(self._adapters[seat], self._dtype)

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
        """Close the connection; the next question opens another."""
        tenants, self._tenants = self._tenants, None
        if tenants is not None:
            await tenants.server.close()

    async def switch(self, seat: int, adapter: Adapter) -> None:
        """Let a seat go on with another adapter: load it, switch, and let the old one go after its last answer."""
        tenants = await self._there()
        await tenants.bring(adapter)
        old, self._adapters[seat] = self._adapters[seat], adapter
        if old is not None and old.name not in {each.name for each in self._adapters.values() if each}:
            await tenants.let_go(old.name)

    async def choose(self, offer: Offer) -> Choice | NoChoice:
        """Answer one offer, in one request with all that are due on its tick.

        Raises:
            ServerError: the server does not answer, or not sensibly, for as long as it was waited for.
            AdapterMismatchError: the answer is not of the adapter that was asked.
            PromptError: a prompt or menu that the model cannot take.
        """
        return await self._gathering.ask(offer)

    async def _there(self) -> Tenants:
        """Return the adapters on the server, reaching it first where that has not been done."""
        async with self._door:
            if self._tenants is None:
                tenants = Tenants(self._connect(), self.base)
                try:
                    facts = await tenants.start([each for each in self._adapters.values() if each is not None])
                except BaseException:
                    with anyio.CancelScope(shield=True):
                        await tenants.server.close()
                    raise
                self._dtype, self._tenants = facts.dtype, tenants
            return self._tenants

    async def _answer(self, offers: Sequence[Offer]) -> list[Choice | NoChoice | Exception]:
        began = perf_counter()
        tenants = await self._there()
        adapters = [self._adapters[offer.seat] for offer in offers]
        cases = [
            self._interpreter.case(offer, adapter, every=False) for offer, adapter in zip(offers, adapters, strict=True)
        ]
        scored, faults = await self._scored([score(case) for case in cases])
        seconds = (perf_counter() - began) / len(offers)
        call = tenants.server.last
        for place, offer in enumerate(offers):
            cached = call.cached_tokens[place] if call is not None and place < len(call.cached_tokens) else 0
            request = call.requests[place] if call is not None and place < len(call.requests) else ""
            tries = 1 if call is None else call.tries
            self.told(Timing(offer.seat, offer.decision, offer.tick, seconds, cached, request, tries))
        return [
            faults.get(case.adapter)
            or self._interpreter.choice(offer, case, each, adapter, checked(adapter, tenants.tolerance))
            for offer, case, each, adapter in zip(offers, cases, scored, adapters, strict=True)
        ]

    async def _scored(self, steps: Sequence[Steps]) -> tuple[list[Scored], Faults]:
        asking = rounds(steps)
        faults: Faults = {}
        try:
            queries, writings = next(asking)
            while True:
                queries, writings = asking.send(await self._asked(queries, writings, faults))
        except StopIteration as end:
            return end.value, faults

    async def _asked(self, queries: Sequence[Query], writings: Sequence[Writing], faults: Faults) -> Replies:
        """Ask; where the server is gone, wait for it as long as its client does, and ask once more."""
        try:
            return await self._once(queries, writings, faults)
        except UnknownAdapterError:
            raise
        except ServerError:
            await self.close()
            await self._there()
            return await self._once(queries, writings, faults)

    async def _once(self, queries: Sequence[Query], writings: Sequence[Writing], faults: Faults) -> Replies:
        tenants = await self._there()
        answers: list[tuple[float, ...]] = []
        written: list[Written] = []
        if queries:
            answers, wrong = await tenants.score(queries)
            faults |= wrong
        if writings:
            written, wrong = await tenants.write(writings)
            faults |= wrong
        return answers, written
