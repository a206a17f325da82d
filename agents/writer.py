"""Text written out token by token, with draws of our own.

Each token is drawn by its number in the vocabulary from the distribution at the asked
temperature, restricted to what the grammar lets through; so a text is a function of
prompt, adapter and draws.
"""

from collections.abc import Callable
from math import log
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hocket.agents.query import Writing, Written
from hocket.agents.tokens import Tokens
from hocket.agents.tree import Ids

Follow: TypeAlias = Callable[[Ids], NDArray[np.floating]]
"""Takes the next tokens of one text, returns the logits of what comes after them, shape [vocabulary]."""


def write_out(follow: Follow, tokens: Tokens, ends: frozenset[int], writing: Writing, known: int = 0) -> Written:
    """Write one text.

    Args:
        follow: the model, behind what of the prompt it knows already.
        tokens: of the same base.
        ends: tokens at which a text ends.
        writing: what is asked.
        known: how many tokens of the prompt the model has seen.

    Returns:
        What was written, up to its end, its stop or its longest.
    """
    ahead: Ids = writing.prompt[known:]
    written: list[int] = []
    total, drawn = 0.0, 0
    while len(written) < writing.most:
        logits = follow(ahead).astype(np.float64)
        allowed = _allowed(writing.allowed, tuple(written)) if writing.allowed else None
        token, log_prob = _draw(logits, allowed, writing, len(written))
        total, drawn = total + log_prob, drawn + 1
        if token in ends:
            break
        if writing.stop and writing.stop in tokens.text((token,)):
            break
        written.append(token)
        ahead = (token,)
    return Written(tuple(written), total, drawn if writing.temperature else 0)


def _allowed(replies: tuple[Ids, ...], written: Ids) -> list[int]:
    """Return what may follow in the only replies that are let through, sorted."""
    size = len(written)
    return sorted({reply[size] for reply in replies if len(reply) > size and reply[:size] == written})


def _draw(logits: NDArray[np.float64], allowed: list[int] | None, writing: Writing, place: int) -> tuple[int, float]:
    """Draw token `place` of a reply; return it and its log-probability at temperature and mask."""
    values = logits if allowed is None else logits[allowed]
    if writing.temperature == 0:
        found = int(values.argmax())
        return found if allowed is None else allowed[found], 0.0
    shares = np.exp((values - values.max()) / writing.temperature)
    shares /= shares.sum()
    found = min(int(np.searchsorted(shares.cumsum(), writing.draw(place), side="right")), len(shares) - 1)
    return found if allowed is None else allowed[found], log(shares[found])
