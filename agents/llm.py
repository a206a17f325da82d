"""Seats held by a language model in this process: one base, an adapter each.

A chooser: all seats that are due on a tick, of all rollouts that advance together, are
answered in one call, and what they ask of the model reaches it as one batch.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

from hocket.agents.adapter import Adapter
from hocket.agents.canary import TOLERANCES
from hocket.agents.interpreter import Interpreter, checked
from hocket.agents.local import Local
from hocket.agents.scoring import Scored, Steps, rounds, score
from hocket.agents.style import Style
from hocket.replays.timing import Timing
from hocket.replays.trace import AgentMark
from hocket.runtime.policy import Choice, NoChoice, Offer
from hocket.runtime.words import Words


class LocalModel:
    """The seats of one base in one game."""

    def __init__(self, backend: Local, words: Words[Any], style: Style) -> None:
        """Seat a model.

        Args:
            backend: the base in this process; may serve other games as well.
            words: of the game.
            style: of prompts and answers.
        """
        self._backend, self.base = backend, backend.base
        self._interpreter = Interpreter(backend.base, backend.tokens, words, style, backend.name)
        backend.prefixes.append(self._interpreter.prefix)
        self._adapters: dict[int, Adapter | None] = {}
        self.told: Callable[[Timing], object] = lambda timing: None
        """Called with how long each decision took."""

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
                for place, answer in enumerate(answers):
                    adapter.canary.check(adapter.name, place, answer, self._tolerance)
        self._adapters[seat] = adapter

    def mark(self, seat: int) -> AgentMark:
        """Describe the agent of a seat for the header of a trace."""
        return self._interpreter.mark(self._adapters[seat], self._backend.weights.dtype)

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice | NoChoice]:
        """Answer all offers of a tick; reads no clock but to tell how long it took.

        Raises:
            PromptError: a prompt or menu that the model cannot take.
        """
        began = time.perf_counter()
        adapters = [self._adapters[offer.seat] for offer in offers]
        cases = [
            self._interpreter.case(offer, adapter, every=self._backend.one_pass)
            for offer, adapter in zip(offers, adapters, strict=True)
        ]
        scored = self._scored([score(case) for case in cases])
        seconds = (time.perf_counter() - began) / len(offers)
        for offer in offers:
            self.told(Timing(offer.seat, offer.decision, offer.tick, seconds))
        return [
            self._interpreter.choice(offer, case, each, adapter, checked(adapter, self._tolerance))
            for offer, case, each, adapter in zip(offers, cases, scored, adapters, strict=True)
        ]

    @property
    def _tolerance(self) -> float:
        return TOLERANCES[self._backend.weights.dtype]

    def _scored(self, steps: Sequence[Steps]) -> list[Scored]:
        asking = rounds(steps)
        try:
            queries, writings = next(asking)
            while True:
                queries, writings = asking.send((self._backend.score(queries), self._backend.write(writings)))
        except StopIteration as end:
            found: list[Scored] = end.value
            return found
