"""From log-probabilities of tokens to one choice: a distribution over the menu.

A scorer is a generator: it yields what it wants to know of the model (`Query`: which
of a few tokens comes next; `Writing`: a text to be written out), is sent the answers,
and returns what it made of them. So the same scorer serves a model in this process
and one behind a server, for one decision or for a batch (`rounds`).

Every log-probability of a query is over its own candidates, at temperature 1: the
mask is part of the policy. The temperature of the style is applied to the
distribution over the menu, and the draw is the seat's own.

letter     one token after `choice:`, over the letters of the menu
text       the option's words as the answer, over a prefix tree of the menu
two_line   the first line names option i, the second a letter j, which is done:
           log p = log p(i) + log p(j | i)
paper      the state line is written by the model, likeliest token first; then as `letter`
generate   both lines are written out and parsed
json       an object is written out and parsed

Source: section 5.1 of the PA-MAGRPO paper; `text` and `two_line` are ours, for models
too small to go from an intent to a shuffled letter in one token.
"""

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from math import exp, inf, log
from typing import TypeAlias, TypeVar

import msgspec

from hocket.agents.grammar import parse, regex, replies, state_line, text_line
from hocket.agents.query import Query, Writing, Written
from hocket.agents.style import WRITTEN, Style
from hocket.agents.tokens import Tokens
from hocket.agents.tree import Ids, Tree
from hocket.runtime.errors import PromptError
from hocket.runtime.menu import Menu

R = TypeVar("R")

Asked: TypeAlias = list[Query] | Writing
Told: TypeAlias = list[tuple[float, ...]] | Written


class Scored(msgspec.Struct, frozen=True):
    """What came of one decision."""

    index: int | None
    """Position on the menu; None where what was written is no choice from it."""
    log_prob: float
    """Of what was drawn, at the style's temperature: the choice, and with it intent or reply."""
    menu: tuple[float, ...] = ()
    """Log-probabilities of the entries at temperature 1, in menu order; given the intent, where there is one."""
    intent: int | None = None
    """Position that the first line named."""
    intents: tuple[float, ...] = ()
    """Log-probabilities of the first line, in menu order, at temperature 1."""
    reply: Ids = ()
    """Tokens of what was written out."""
    draws: int = 0
    """Numbers of the seat's stream that were used."""
    reason: str = ""
    detail: str = ""
    """Why there is no index."""


class Case(msgspec.Struct, frozen=True):
    """One decision, ready to be put to a model."""

    adapter: str
    prompt: Ids
    menu: Menu
    stages: tuple[str, ...]
    style: Style
    tokens: Tokens
    draw: Callable[[int], float]
    every: bool
    """Whether to ask for every branch at once, where asking twice costs more."""


Steps: TypeAlias = Generator[Asked, Told, Scored]


def score(case: Case) -> Steps:
    """Return the scorer of a case's style."""
    return _SCORERS[case.style.scorer](case)


def tempered(log_probs: Sequence[float], temperature: float) -> tuple[float, ...]:
    """Return the distribution at another temperature; at 0, the likeliest alone, the first of equals.

    Args:
        log_probs: at temperature 1, shape [n].
        temperature: 0 or more.

    Returns:
        Natural log-probabilities, shape [n], of which the exponentials sum to 1; -inf for what cannot be.
    """
    if temperature == 0:
        best = max(range(len(log_probs)), key=log_probs.__getitem__)
        return tuple(0.0 if place == best else -inf for place in range(len(log_probs)))
    most = max(log_probs)
    scaled = [(each - most) / temperature for each in log_probs]
    total = log(sum(map(exp, scaled)))
    return tuple(each - total for each in scaled)


def sample(log_probs: Sequence[float], draw: float) -> int:
    """Return the place that a draw in [0, 1) falls on; where rounding leaves it beyond all, the last that can be."""
    passed, last = 0.0, 0
    for place, each in enumerate(log_probs):
        passed += exp(each)
        if draw < passed:
            return place
        last = last if each == -inf else place
    return last


def _letter(case: Case) -> Steps:
    head, letters = case.tokens.letters(len(case.menu), case.style)
    if len(letters) == 1:
        return Scored(0, 0.0, (0.0,))
    told = yield [Query(case.adapter, case.prompt, head, letters)]
    return _pick(case, _log_probs(told)[0])


def _text(case: Case) -> Steps:
    tree = Tree([case.tokens.ended(text_line(entry, case.style)) for entry in case.menu.entries])
    if len(case.menu) == 1:
        return Scored(0, 0.0, (0.0,))
    told = yield [Query(case.adapter, case.prompt, path, among) for path, among in tree.nodes.items()]
    return _pick(case, tree.log_probs(dict(zip(tree.nodes, _log_probs(told), strict=True))))


def _two_line(case: Case) -> Steps:
    head, letters = case.tokens.letters(len(case.menu), case.style)
    if len(letters) == 1:
        return Scored(0, 0.0, (0.0,), 0, (0.0,))
    lines = [text_line(entry, case.style, "intent") for entry in case.menu.entries]
    heads = [(*case.tokens.reply(f"{line}\n"), *head) for line in lines]
    tree = Tree(heads)
    first = [Query(case.adapter, case.prompt, path, among) for path, among in tree.nodes.items()]
    second = [Query(case.adapter, case.prompt, each, letters) for each in heads]
    told = _log_probs((yield [*first, *second] if case.every else first))
    intents = tree.log_probs(dict(zip(tree.nodes, told[: len(first)], strict=True)))
    drawn = tempered(intents, case.style.temperature)
    intent = sample(drawn, case.draw(0))
    menu = told[len(first) + intent] if case.every else _log_probs((yield [second[intent]]))[0]
    done = tempered(menu, case.style.temperature)
    index = sample(done, case.draw(1))
    return Scored(index, drawn[intent] + done[index], menu, intent, intents, draws=2)


def _paper(case: Case) -> Steps:
    head, letters = case.tokens.letters(len(case.menu), case.style)
    allowed, pattern = _states(case)
    most = max([case.style.most_tokens, *map(len, allowed)])
    written = yield Writing(case.adapter, case.prompt, "\n", most, 0.0, case.draw, allowed, pattern)
    said = _written(written).ids
    before = (*said, *case.tokens.reply("\n"), *head)
    if len(letters) == 1:
        return Scored(0, 0.0, (0.0,), reply=said)
    told = yield [Query(case.adapter, case.prompt, before, letters)]
    return msgspec.structs.replace(_pick(case, _log_probs(told)[0]), reply=said)


def _states(case: Case) -> tuple[tuple[Ids, ...], str]:
    if not case.style.grammar:
        return (), ""
    lines = [state_line(stage, case.style) for stage in case.stages]
    return tuple(map(case.tokens.ended, lines)), "|".join(map(re.escape, lines))


def _write(case: Case) -> Steps:
    style = case.style
    texts = replies(case.menu, case.stages, style) if style.grammar else ()
    allowed = tuple(map(case.tokens.ended, texts))
    pattern = regex(case.menu, case.stages, style) if style.grammar else ""
    most = max([style.most_tokens, *map(len, allowed)])  # a grammar is never cut short
    told = yield Writing(case.adapter, case.prompt, "", most, style.temperature, case.draw, allowed, pattern)
    written = _written(told)
    reply = parse(case.tokens.text(written.ids), case.menu, style)
    return Scored(
        reply.index, written.log_prob, reply=written.ids, draws=written.draws, reason=reply.reason, detail=reply.detail
    )


_SCORERS: dict[str, Callable[[Case], Steps]] = {
    "letter": _letter,
    "text": _text,
    "two_line": _two_line,
    "paper": _paper,
    **dict.fromkeys(WRITTEN, _write),
}


def _pick(case: Case, menu: tuple[float, ...]) -> Scored:
    at = tempered(menu, case.style.temperature)
    index = sample(at, case.draw(0))
    return Scored(index, at[index], menu, draws=1)


def _log_probs(told: Told) -> list[tuple[float, ...]]:
    assert isinstance(told, list)
    return told


def _written(told: Told) -> Written:
    assert isinstance(told, Written)
    return told


Round: TypeAlias = tuple[list[Query], list[Writing]]
Replies: TypeAlias = tuple[list[tuple[float, ...]], list[Written]]


def rounds(
    steps: Sequence[Generator[Asked, Told, R]],
) -> Generator[Round, Replies, list[R | PromptError]]:
    """Advance many decisions together: what all of them ask for at one time makes one batch.

    Yields the queries and writings of a round, is sent their answers in the same order, and
    returns what every decision came to, in the order of `steps`; one that the model cannot be
    asked comes to its error, and the others go on.
    """
    done: dict[int, R | PromptError] = {}
    asked: dict[int, Asked] = {}
    _advance(steps, dict.fromkeys(range(len(steps))), asked, done)
    while asked:
        queries = [query for each in asked.values() if isinstance(each, list) for query in each]
        writings = [each for each in asked.values() if isinstance(each, Writing)]
        log_probs, written = yield queries, writings
        told = _dealt_out(asked, log_probs, written)
        asked = {}
        _advance(steps, told, asked, done)
    return [done[place] for place in range(len(steps))]


def _advance(
    steps: Sequence[Generator[Asked, Told, R]],
    told: Mapping[int, Told | None],
    asked: dict[int, Asked],
    done: dict[int, R | PromptError],
) -> None:
    for place, answer in told.items():
        try:
            asked[place] = next(steps[place]) if answer is None else steps[place].send(answer)
        except StopIteration as end:
            done[place] = end.value
        except PromptError as error:
            done[place] = error


def _dealt_out(asked: dict[int, Asked], log_probs: list[tuple[float, ...]], written: list[Written]) -> dict[int, Told]:
    told: dict[int, Told] = {}
    queries, writings = iter(log_probs), iter(written)
    for place, each in asked.items():
        told[place] = next(writings) if isinstance(each, Writing) else [next(queries) for _ in each]
    return told


def decided(
    steps: Sequence[Generator[Asked, Told, R]],
    score: Callable[[list[Query]], list[tuple[float, ...]]],
    write: Callable[[list[Writing]], list[Written]],
) -> list[R | PromptError]:
    """Carry many decisions through to their ends with a model that answers at once."""
    asking = rounds(steps)
    try:
        queries, writings = next(asking)
        while True:
            queries, writings = asking.send((score(queries), write(writings)))
    except StopIteration as end:
        found: list[R | PromptError] = end.value
        return found
