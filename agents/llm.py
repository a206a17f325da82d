"""Seats held by a language model in this process: one base, an adapter each.

A chooser: all seats that are due on a tick, of all rollouts that advance together, are
answered in one call, and what they ask of the model reaches it as one batch.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from hocket.agents.adapter import Adapter
from hocket.agents.canary import FILE, standing
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.interpreter import Interpreter, installed
from hocket.agents.query import Query, Writing, Written
from hocket.agents.scoring import decided
from hocket.agents.style import Style
from hocket.agents.tokens import Tokens
from hocket.agents.tree import Ids
from hocket.replays.timing import Timing
from hocket.replays.trace import AgentMark
from hocket.runtime.errors import AdapterMismatchError
from hocket.runtime.policy import Choice, NoChoice, Offer
from hocket.runtime.words import Words


class Backend(Protocol):
    """What computes a base in this process."""

    @property
    def name(self) -> str:
        """What receipts call it."""
        ...

    @property
    def base(self) -> FrozenBase:
        """The base."""
        ...

    @property
    def tokens(self) -> Tokens:
        """Its tokenizer."""
        ...

    @property
    def prefixes(self) -> list[Ids]:
        """Beginnings of prompts that are worth keeping."""
        ...

    @property
    def dtype(self) -> str:
        """Name of the number format."""
        ...

    @property
    def packages(self) -> tuple[str, ...]:
        """What computes it, as packages whose versions a trace names."""
        ...

    def load(self, adapter: Adapter) -> None:
        """Take an adapter in beside the others."""
        ...

    def score(self, queries: Sequence[Query]) -> list[tuple[float, ...]]:
        """Answer questions: natural log-probabilities of the candidates of each."""
        ...

    def write(self, writings: Sequence[Writing]) -> list[Written]:
        """Write texts out."""
        ...


class LocalModel:
    """The seats of one base in one game."""

    def __init__(
        self, backend: Backend, words: Words[Any], style: Style, told: Callable[[Timing], object] = lambda timing: None
    ) -> None:
        """Seat a model.

        Args:
            backend: the base in this process; may serve other games as well.
            words: of the game.
            style: of prompts and answers.
            told: called with how long each batch of decisions took.
        """
        self._backend, self._told = backend, told
        self._interpreter = Interpreter(backend.base, backend.tokens, words, style, backend.name)
        backend.prefixes.append(self._interpreter.prefix)
        self._adapters: dict[int, Adapter | None] = {}
        self._checks: dict[int, str] = {}
        """By seat: what its receipts say of its adapter's canary."""

    def seat(self, seat: int, adapter: Adapter | None) -> None:
        """Let a seat answer with an adapter, or with the base itself.

        Raises:
            AdapterError: it cannot be loaded.
            AdapterMismatchError: what was loaded does not answer as the adapter should.
        """
        if adapter is not None:
            self._backend.load(adapter)
            if adapter.canary is not None:
                answers = self._backend.score(adapter.canary.queries(adapter.name))
                try:
                    adapter.canary.check_all(adapter.name, answers, self._dtype)
                except AdapterMismatchError as error:
                    problem = f"its weights do not answer as its {FILE} says; `hocket adapter seal` measures it anew"
                    raise AdapterMismatchError(adapter=adapter.name, problem=problem) from error
        self._adapters[seat] = adapter
        self._checks[seat] = "" if adapter is None else standing(adapter.canary, self._dtype, base=False)

    def mark(self, seat: int) -> AgentMark:
        """Describe the agent of a seat for the header of a trace."""
        return self._interpreter.mark(self._adapters[seat], self._dtype, installed(*self._backend.packages))

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice | NoChoice | Exception]:
        """Answer all offers of a tick; one that the model cannot be asked comes to its PromptError.

        Raises:
            AdapterError: an adapter was unloaded.
        """
        began = time.perf_counter()
        adapters = [self._adapters[offer.seat] for offer in offers]
        steps = [
            self._interpreter.decide(offer, adapter, self._checks[offer.seat], every=True)
            for offer, adapter in zip(offers, adapters, strict=True)
        ]
        choices = decided(steps, self._backend.score, self._backend.write)
        numbers = tuple((offer.seat, offer.decision) for offer in offers)
        self._told(Timing(offers[0].tick, numbers, time.perf_counter() - began))
        return choices

    @property
    def _dtype(self) -> str:
        return self._backend.dtype
