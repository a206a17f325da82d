"""Between offers and a model: cases out of offers, choices out of scores."""

import importlib.metadata
from typing import Any

import msgspec

from hocket.agents.adapter import Adapter
from hocket.agents.canary import INDISTINGUISHABLE
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.prompt import make_prompt, system_message
from hocket.agents.scoring import Case, Scored
from hocket.agents.style import Style
from hocket.agents.tokens import Tokens
from hocket.agents.tree import Ids
from hocket.replays.trace import AgentMark
from hocket.runtime.errors import PromptError
from hocket.runtime.events import Receipt
from hocket.runtime.policy import Choice, NoChoice, Offer
from hocket.runtime.words import Words

NOT_CHECKED = "not checked: it was saved without a canary"


class Interpreter:
    """Speaks for one base, in one game, in one style."""

    def __init__(self, base: FrozenBase, tokens: Tokens, words: Words[Any], style: Style, backend: str) -> None:
        self.base, self.tokens, self.style = base, tokens, style
        self.prefix: Ids = tokens.prefix(system_message(words, style))
        """Tokens with which every prompt begins."""
        self._backend = backend

    def case(self, offer: Offer, adapter: Adapter | None, *, every: bool) -> Case:
        """Put an offer as a case.

        Raises:
            PromptError: it is longer than the context of the base.
        """
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

    def choice(
        self, offer: Offer, case: Case, scored: Scored, adapter: Adapter | None, check: str
    ) -> Choice | NoChoice:
        """Make a choice of what was scored, or say that it is none."""
        known = len(self.prefix) if case.prompt[: len(self.prefix)] == self.prefix else 0
        receipt = Receipt(
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
        if scored.index is None:
            return NoChoice(scored.reason, scored.detail, receipt)
        return Choice(scored.index, receipt)

    def mark(self, adapter: Adapter | None, dtype: str) -> AgentMark:
        """Describe an agent for the header of a trace."""
        packages = ("torch", "transformers", "peft") if self._backend == "local" else ("transformers",)
        return AgentMark(
            backend=self._backend,
            base=self.base.name,
            base_digest=self.base.digest,
            adapter="" if adapter is None else adapter.name,
            adapter_digest="" if adapter is None else adapter.digest,
            style=msgspec.to_builtins(self.style) | {"dtype": dtype},
            prefix=self.prefix,
            versions={name: importlib.metadata.version(name) for name in packages},
        )


def checked(adapter: Adapter | None, tolerance: float) -> str:
    """Say what is known of an adapter's answers once its canary has been heard."""
    if adapter is None:
        return ""
    if adapter.canary is None:
        return NOT_CHECKED
    return "" if adapter.canary.distinct(tolerance) else INDISTINGUISHABLE
