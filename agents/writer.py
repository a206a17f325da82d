"""Text written out token by token, with draws of our own.

Each token is drawn by its number in the vocabulary from the distribution at the asked
temperature, restricted to what the grammar lets through; so a text is a function of
prompt, adapter and draws.
"""

from math import log

import numpy as np
import torch

from hocket.agents.query import Writing, Written
from hocket.agents.tokens import Tokens
from hocket.agents.tree import Ids
from hocket.agents.weights import Keys, Weights


def write_out(weights: Weights, tokens: Tokens, writing: Writing, prefix: Ids, keys: Keys) -> Written:
    """Write one text.

    Args:
        weights: of base and adapters.
        tokens: of the same base.
        writing: what is asked.
        prefix: the beginning of its prompt whose keys are at hand.
        keys: of the prefix.

    Returns:
        What was written, up to its end, its stop or its longest.

    Raises:
        AdapterError: its adapter is not loaded.
    """
    cache = weights.cache(keys, 1) if keys else weights.empty_cache()
    ends = weights.ends | {tokens.end}
    ahead: Ids = writing.prompt[len(prefix) :]
    written: list[int] = []
    total, drawn = 0.0, 0
    while len(written) < writing.most:
        states, cache = weights.advance(writing.adapter, np.array([ahead]), cache)
        allowed = _allowed(writing.allowed, tuple(written)) if writing.allowed else None
        token, log_prob = _draw(weights.logits(states[0, -1]), allowed, writing, len(written))
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


def _draw(logits: torch.Tensor, allowed: list[int] | None, writing: Writing, place: int) -> tuple[int, float]:
    """Draw token `place` of a reply; return it and its log-probability at temperature and mask."""
    values = logits.double().cpu().numpy() if allowed is None else logits[allowed].double().cpu().numpy()
    if writing.temperature == 0:
        found = int(values.argmax())
        return found if allowed is None else allowed[found], 0.0
    shares = np.exp((values - values.max()) / writing.temperature)
    shares /= shares.sum()
    found = min(int(np.searchsorted(shares.cumsum(), writing.draw(place), side="right")), len(shares) - 1)
    return found if allowed is None else allowed[found], log(shares[found])
