"""The canary of an adapter, measured where its weights are.

The prompts are decisions of a pantry that is played at random: always the same for one
base and style, and of the kind that agents are asked.
"""

from hocket.agents.adapter import Adapter
from hocket.agents.canary import PROBES, Canary, Probe
from hocket.agents.grammar import letter_line, text_line
from hocket.agents.llm import Backend
from hocket.agents.offers import random_offers
from hocket.agents.prompt import make_prompt
from hocket.agents.query import Query
from hocket.agents.style import Style
from hocket.agents.tokens import Tokens
from hocket.agents.tree import Ids
from hocket.games import registry
from hocket.runtime.policy import Offer

_EVERY = 5
"""Of the decisions of an episode, one in so many becomes a probe."""


def seal(backend: Backend, adapter: Adapter | None = None) -> Canary:
    """Measure what an adapter answers, and what its base does.

    Args:
        backend: the base, in this process; the adapter is loaded into it.
        adapter: to be known; None for the base itself.

    Returns:
        What it is known by from now on.

    Raises:
        AdapterError: it cannot be loaded.
    """
    if adapter is not None:
        backend.load(adapter)
    asked = probes(backend.tokens, backend.base.style)
    names = ("" if adapter is None else adapter.name, "")
    answers = backend.score([Query(name, prompt, (), among) for name in names for prompt, among in asked])
    pairs = zip(asked, answers[: len(asked)], answers[len(asked) :], strict=True)
    return Canary(
        base=backend.base.digest,
        adapter="" if adapter is None else adapter.digest,
        probes=tuple(Probe(prompt, among, own, base) for (prompt, among), own, base in pairs),
        dtype=backend.dtype,
    )


def probes(tokens: Tokens, style: Style) -> list[tuple[Ids, Ids]]:
    """Return eight prompts of a pantry, each with candidates for the first token of a reply."""
    game = registry.make("pantry")
    chosen = random_offers(game, registry.library(game), seed=0, steps=200)[::_EVERY][:PROBES]
    return [(tokens.prompt(make_prompt(offer, style)), _among(offer, tokens, style)) for offer in chosen]


def _among(offer: Offer, tokens: Tokens, style: Style) -> Ids:
    """Every token of every reply to the offer, in order of first mention."""
    lines = [letter_line(letter, style) for letter in offer.menu.letters]
    lines += [text_line(entry, style) for entry in offer.menu.entries]
    return tuple(dict.fromkeys(token for line in lines for token in tokens.ended(line)))
