"""One decision as something to learn from: which draws were made, and among what.

A decision is one draw or several: an option from a menu; an intent and then a letter; each
token of a written reply. A draw is over entries. Each entry is a path through a tree of
tokens, and its probability the product of its shares where the tree branches; a draw
without entries is of one token out of the whole vocabulary. So ratio, entropy and KL of a draw are exact.

All of it is read off a receipt, so a trace is enough to learn from.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from hocket.agents.grammar import replies, text_line
from hocket.agents.prompt import listed
from hocket.agents.style import Style
from hocket.agents.tokens import Tokens
from hocket.agents.tree import Ids, Tree
from hocket.runtime.events import Receipt
from hocket.runtime.menu import Menu

Credit: TypeAlias = Literal["choice", "reply"]
"""Which tokens of a written reply are credited: those that make the choice, or all."""


class Node(msgspec.Struct, frozen=True):
    """A place in a reply at which a token is drawn."""

    then: Ids
    """What of the reply comes before."""
    among: Ids
    """The candidates; empty for the whole vocabulary."""


class Draw(msgspec.Struct, frozen=True):
    """One draw."""

    nodes: tuple[Node, ...]
    entries: tuple[tuple[tuple[int, int], ...], ...]
    """For each entry its shares: number of a node, and place among its candidates. Empty for a whole vocabulary."""
    chosen: int
    """Place of the entry; a token where there are no entries."""


class Decision(msgspec.Struct, frozen=True):
    """What one seat decided at one tick."""

    seat: int
    number: int
    tick: int
    option: str
    """Key of what was chosen; empty where a reply was none of the menu."""
    prompt: Ids
    draws: tuple[Draw, ...]
    """Empty where there was nothing to choose: a forced choice."""
    log_prob: float
    """Of the draws, as the receipt has it."""
    receipt: Receipt


class Reader:
    """Reads decisions of one agent off its receipts."""

    def __init__(self, tokens: Tokens, style: Style, stages: Sequence[str], prefix: Ids, credit: Credit) -> None:
        """Say how the agent was asked.

        Args:
            tokens: of its base.
            style: of prompts and answers.
            stages: words of the game for how far the work has come.
            prefix: with which its prompts begin.
            credit: which tokens of a written reply are credited.
        """
        self._tokens, self._style, self._stages, self._prefix, self._credit = tokens, style, stages, prefix, credit

    def read(self, menu: Sequence[str], receipt: Receipt, chosen: int | None, *, seat: int, tick: int) -> Decision:
        """Read one decision.

        Args:
            menu: keys of what was offered.
            receipt: of the answer.
            chosen: its place on the menu; None for a reply that was no choice.
            seat: that was asked.
            tick: at which its answer was settled.
        """
        prompt = (*self._prefix, *receipt.prompt)
        draws = self._draws(menu, receipt, chosen, prompt)
        return Decision(
            seat=seat,
            number=receipt.position,
            tick=tick,
            option="" if chosen is None else menu[chosen],
            prompt=prompt,
            draws=draws,
            log_prob=receipt.log_prob or 0.0,
            receipt=receipt,
        )

    def _draws(self, menu: Sequence[str], receipt: Receipt, chosen: int | None, prompt: Ids) -> tuple[Draw, ...]:
        style, tokens = self._style, self._tokens
        if style.scorer in ("generate", "json"):
            return self._written(menu, receipt.reply, prompt)
        if chosen is None or len(menu) < 2:
            return ()
        head, letters = tokens.letters(len(menu), style)
        if style.scorer == "letter":
            return (_single(Node(head, letters), chosen),)
        if style.scorer == "paper":
            return (_single(Node((*receipt.reply, *tokens.reply("\n"), *head), letters), chosen),)
        entries = listed(tokens.text(prompt), menu, style)
        if style.scorer == "text":
            return (_branching([tokens.ended(text_line(entry, style)) for entry in entries], chosen),)
        assert receipt.intent is not None
        heads = [(*tokens.reply(f"{text_line(entry, style, 'intent')}\n"), *head) for entry in entries]
        return (_branching(heads, receipt.intent), _single(Node(heads[receipt.intent], letters), chosen))

    def _written(self, menu: Sequence[str], reply: Ids, prompt: Ids) -> tuple[Draw, ...]:
        style, tokens = self._style, self._tokens
        allowed: list[Ids] = []
        if style.grammar:
            entries = listed(tokens.text(prompt), menu, style)
            allowed = [tokens.ended(text) for text in replies(Menu.of(entries), self._stages, style)]
        whole = (*reply, tokens.end) if len(reply) < style.most_tokens else reply
        first = 0
        if self._credit == "choice" and style.scorer == "generate":
            first = max(len(whole) - 2, 0)
        draws = []
        for place in range(first, len(whole)):
            then = whole[:place]
            if not allowed:
                draws.append(Draw((Node(then, ()),), (), whole[place]))
                continue
            among = tuple(sorted({each[place] for each in allowed if len(each) > place and each[:place] == then}))
            if len(among) > 1:
                draws.append(_single(Node(then, among), among.index(whole[place])))
        return tuple(draws)


def _single(node: Node, chosen: int) -> Draw:
    return Draw((node,), tuple(((0, place),) for place in range(len(node.among))), chosen)


def _branching(sequences: list[Ids], chosen: int) -> Draw:
    tree = Tree(sequences)
    numbers = {path: number for number, path in enumerate(tree.nodes)}
    entries = tuple(
        tuple(
            (numbers[each[:place]], tree.nodes[each[:place]].index(token))
            for place, token in enumerate(each)
            if each[:place] in numbers
        )
        for each in sequences
    )
    return Draw(tuple(Node(path, among) for path, among in tree.nodes.items()), entries, chosen)


def share(decisions: Sequence[Decision]) -> dict[str, float]:
    """Return how often each kind of option was chosen, as shares, in order of name."""
    counts: dict[str, int] = {}
    for decision in decisions:
        name = decision.option.partition("@")[0] or "none"
        counts[name] = counts.get(name, 0) + 1
    return {name: counts[name] / len(decisions) for name in sorted(counts)}
