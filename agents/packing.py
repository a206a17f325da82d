"""Questions to a model as rows of tokens, one a prompt.

A row is what is left of the prompt behind its known prefix, and then a tree of reply
tokens. A token of the tree follows its parent, which need not be the token before it;
it may attend to the prefix, to the prompt, and to those on its own path.
"""

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from hocket.agents.query import Query
from hocket.agents.tree import Ids


class Row(msgspec.Struct, frozen=True):
    """The questions about one prompt."""

    adapter: str
    prefix: Ids
    """Tokens that the prompt shares with others."""
    tokens: Ids
    """What is left of the prompt, then the tree."""
    parents: tuple[int, ...]
    """Place in `tokens` that each token follows; -1 for the first."""
    asked: tuple[tuple[int, int], ...]
    """Number of each question, and the place in `tokens` whose next token it asks for."""

    @property
    def branches(self) -> bool:
        """Whether some token follows another than the one before it."""
        return any(parent != place - 1 for place, parent in enumerate(self.parents))

    def positions(self) -> list[int]:
        """Return the position of each token in its own sequence, the prefix included."""
        found: list[int] = []
        for parent in self.parents:
            found.append(found[parent] + 1 if parent >= 0 else len(self.prefix))
        return found

    def mask(self) -> NDArray[np.bool_]:
        """Return which tokens each may attend to, shape [tokens, prefix + tokens]."""
        size, before = len(self.tokens), len(self.prefix)
        straight = next((place for place, parent in enumerate(self.parents) if parent != place - 1), size)
        mask = np.tri(size, before + size, before, dtype=bool)
        for place in range(straight, size):
            mask[place] = mask[self.parents[place]]
            mask[place, before + place] = True
        return mask


def pack(queries: Sequence[Query], prefixes: Sequence[Ids], *, trees: bool) -> list[Row]:
    """Put questions into rows, in the order in which their prompts come first.

    Args:
        queries: to be put.
        prefixes: known beginnings of prompts; the longest that fits is split off.
        trees: whether a row may branch; else each question has a row of its own.
    """
    groups: dict[tuple[object, ...], list[int]] = {}
    for number, query in enumerate(queries):
        key = (query.adapter, query.prompt) if trees else (query.adapter, query.prompt, query.then)
        groups.setdefault(key, []).append(number)
    return [_row(queries, numbers, prefixes) for numbers in groups.values()]


def _row(queries: Sequence[Query], numbers: Sequence[int], prefixes: Sequence[Ids]) -> Row:
    first = queries[numbers[0]]
    prompt = first.prompt
    prefix = known_prefix(prompt, prefixes)
    tokens = list(prompt[len(prefix) :])
    parents = list(range(-1, len(tokens) - 1))
    root = len(tokens) - 1
    children: dict[tuple[int, int], int] = {}
    asked = []
    for number in numbers:
        place = root
        for token in queries[number].then:
            found = children.get((place, token))
            if found is None:
                found = children[place, token] = len(tokens)
                tokens.append(token)
                parents.append(place)
            place = found
        asked.append((number, place))
    return Row(first.adapter, prefix, tuple(tokens), tuple(parents), tuple(asked))


def known_prefix(prompt: Ids, prefixes: Sequence[Ids]) -> Ids:
    """Return the longest of some prefixes with which a prompt begins and after which something is left of it."""
    fits = [each for each in prefixes if len(each) < len(prompt) and prompt[: len(each)] == each]
    return max(fits, key=len, default=())
