"""Between offers and a model: cases out of offers, choices out of scores."""

from collections.abc import Generator
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeAlias

import msgspec

from hocket.agents.adapter import Adapter
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.prompt import make_prompt, system_message
from hocket.agents.scoring import Asked, Case, Scored, Told, score
from hocket.agents.style import Style
from hocket.agents.tokens import Tokens
from hocket.agents.tree import Ids
from hocket.replays.trace import AgentMark
from hocket.runtime.errors import PromptError
from hocket.runtime.events import Receipt
from hocket.runtime.policy import Choice, NoChoice, Offer
from hocket.runtime.words import Words

Deciding: TypeAlias = Generator[Asked, Told, Choice | NoChoice]


class Interpreter:
    """Speaks for one base, in one game, in one style."""

    def __init__(self, base: FrozenBase, tokens: Tokens, words: Words[Any], style: Style, backend: str) -> None:
        self.base, self.tokens, self.style = base, tokens, style
        self.prefix: Ids = tokens.prefix(system_message(words, style))
        """Tokens with which every prompt begins."""
        self._backend = backend

    def decide(self, offer: Offer, adapter: Adapter | None, check: str, *, every: bool) -> Deciding:
        """Put an offer to a model, as scoring.py describes, and make a choice of what was scored.

        Args:
            offer: to be answered.
            adapter: of its seat; None for the base itself.
            check: what the receipt is to say of the adapter's canary.
            every: whether to ask for every branch at once, where asking twice costs more.

        Raises:
            PromptError: it is longer than the context of the base, or its menu cannot be told apart.
        """
        case = self._case(offer, adapter, every=every)
        scored = yield from score(case)
        receipt = self._receipt(offer, case, scored, adapter, check)
        if scored.index is None:
            return NoChoice(scored.reason, scored.detail, receipt)
        return Choice(scored.index, receipt)

    def mark(self, adapter: Adapter | None, dtype: str, versions: dict[str, str]) -> AgentMark:
        """Describe an agent for the header of a trace.

        Args:
            adapter: of its seat; None for the base itself.
            dtype: number format in which it is computed.
            versions: of what computes it elsewhere.
        """
        return AgentMark(
            backend=self._backend,
            base=self.base.name,
            base_digest=self.base.digest,
            adapter="" if adapter is None else adapter.name,
            adapter_digest="" if adapter is None else adapter.digest,
            style=msgspec.to_builtins(self.style) | {"dtype": dtype},
            prefix=self.prefix,
            versions=versions,
        )

    def _case(self, offer: Offer, adapter: Adapter | None, *, every: bool) -> Case:
        prompt = self.tokens.prompt(make_prompt(offer, self.style))
        if len(prompt) >= self.base.context:
            problem = f"a prompt of {len(prompt)} tokens, but {self.base.name} has a context of {self.base.context}"
            raise PromptError(problem=problem)
        return Case(
            adapter="" if adapter is None else adapter.name,
            prompt=prompt,
            menu=offer.menu,
            stages=offer.words.stages,
            style=self.style,
            tokens=self.tokens,
            draw=offer.draw_again,
            every=every,
        )

    def _receipt(self, offer: Offer, case: Case, scored: Scored, adapter: Adapter | None, check: str) -> Receipt:
        known = len(self.prefix) if case.prompt[: len(self.prefix)] == self.prefix else 0
        return Receipt(
            log_prob=scored.log_prob,
            backend=self._backend,
            base=self.base.digest,
            adapter=case.adapter,
            adapter_digest="" if adapter is None else adapter.digest,
            check=check,
            scorer=self.style.scorer,
            temperature=self.style.temperature,
            prompt=case.prompt[known:],
            menu=scored.menu,
            intent=scored.intent,
            intents=scored.intents,
            reply=scored.reply,
            position=offer.decision,
            draws=scored.draws,
        )


def installed(*packages: str) -> dict[str, str]:
    """Return the versions of some packages, of those that are installed."""
    found: dict[str, str] = {}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
