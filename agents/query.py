"""What a backend is asked: which token comes next, or a text.

A backend has `score(queries)` and `write(writings)`; one in this process returns, one behind a
server is awaited. A scorer (`scoring.py`) knows no more of a model than this.
"""

from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from hocket.agents.tree import Ids


class Query(msgspec.Struct, frozen=True):
    """Which of a few tokens comes next."""

    adapter: str
    """Versioned name; empty for the base itself."""
    prompt: Ids
    then: Ids
    """What of the reply comes before."""
    among: Ids
    """The candidates, two or more."""


class Writing(msgspec.Struct, frozen=True):
    """A text to be written out."""

    adapter: str
    prompt: Ids
    stop: str
    """Text at which it ends, beside the model's own end of a reply; empty for none."""
    most: int
    """Length, in tokens."""
    temperature: float
    draw: Callable[[int], float]
    """A number in [0, 1) for each token, where tokens are drawn on our side."""
    allowed: tuple[Ids, ...] = ()
    """The only replies it may be, as tokens with the end; empty for any."""
    pattern: str = ""
    """The same as a regular expression, for a server that writes; empty for any."""


class Written(msgspec.Struct, frozen=True):
    """A text that was written out."""

    ids: Ids
    """Its tokens, without the end."""
    log_prob: float
    """Of all tokens that were drawn, at the temperature and mask at which they were."""
    draws: int = 0
    """Numbers of the seat's stream that were used."""


def normalised(logits: Sequence[float]) -> tuple[float, ...]:
    """Return natural log-probabilities of some candidates over them alone, from their logits."""
    values = np.array(logits, dtype=np.float64)
    values -= values.max()
    return tuple((values - np.log(np.exp(values).sum())).tolist())
