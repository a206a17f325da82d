"""The policy as a learner computes it: how likely each entry is, with a gradient.

Log-probabilities are at the sampling temperature and over what could be drawn, as when it
was drawn. The output head is applied at the asked places alone. Two bodies compute the states: transformers' own,
for any base, and the small decoder that is written out, where a base is of that kind.

Axes: as in batch.py; H width, V vocabulary.
"""

from typing import Protocol

import msgspec
import torch
from torch.nn.functional import linear, log_softmax

from hocket.learners.adapter import Learning
from hocket.learners.batch import Batch, Rows


class Body(Protocol):
    """Computes states from tokens."""

    @property
    def head(self) -> torch.Tensor:
        """Output head, shape [V, H]."""
        ...

    @property
    def softcap(self) -> float | None:
        """Where logits are bent, by tanh; None for nowhere."""
        ...

    @property
    def trees(self) -> bool:
        """Whether a row of tokens may branch."""
        ...

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        ...

    @property
    def base_digest(self) -> str:
        """Of its base."""
        ...

    def states(self, adapter: Learning | None, rows: Rows) -> torch.Tensor:
        """Return the states before the output head at the asked places, shape [R, a, H]."""
        ...

    def release(self) -> None:
        """Leave nothing of an adapter in a base that others compute with."""
        ...


class Told(msgspec.Struct, frozen=True, eq=False):
    """The distributions of a batch's draws."""

    closed: torch.Tensor
    """Log-probabilities of entries, shape [D, e]; -inf for none."""
    open: torch.Tensor | None
    """Log-probabilities of the vocabulary for draws out of all of it, in order; shape [open draws, V]."""
    log_probs: torch.Tensor
    """Of each decision, all its draws together; shape [S]."""


def distributions(body: Body, adapter: Learning | None, batch: Batch, temperature: float) -> Told:
    """Compute the policy's distributions at a temperature above 0."""
    states = body.states(adapter, batch.rows).flatten(0, 1)[batch.node_at].float()
    head = body.head
    logits = _bent(torch.einsum("nh,nmh->nm", states, head[batch.among].float()), body.softcap)
    shares = log_softmax(logits.masked_fill(~batch.among_mask, -torch.inf), -1)
    flat = torch.cat((shares.masked_fill(~batch.among_mask, 0.0).flatten(), shares.new_zeros(1)))
    entries = flat[batch.entries].sum(-1).masked_fill(~batch.entries_mask, -torch.inf)
    closed = log_softmax(entries / temperature, -1)
    is_whole = batch.whole >= 0
    if not is_whole.any():
        chosen = closed.gather(1, batch.chosen[:, None])[:, 0]
        return Told(closed, None, _together(chosen, batch))
    whole = _bent(linear(states[batch.whole[is_whole]], head.float()), body.softcap)
    opened = log_softmax(whole / temperature, -1)
    chosen = closed.gather(1, batch.chosen.masked_fill(is_whole, 0)[:, None])[:, 0]
    chosen = chosen.masked_scatter(is_whole, opened.gather(1, batch.chosen[is_whole][:, None])[:, 0])
    return Told(closed, opened, _together(chosen, batch))


def entropy(told: Told, batch: Batch) -> torch.Tensor:
    """Return the entropy of each decision's draws, in nats; shape [S]."""
    return _over_draws(told, batch, lambda log_probs, _: -log_probs, told)


def divergence(told: Told, reference: Told, batch: Batch) -> torch.Tensor:
    """Return KL(policy || reference) of each decision's draws, in nats; shape [S].

    Exact for each draw. Where a decision has several, those after the first are at what was drawn
    before: an estimator of their expectation.
    """
    return _over_draws(told, batch, lambda one, other: one - other, reference)


def _over_draws(told: Told, batch: Batch, term: "_Term", other: Told) -> torch.Tensor:
    safe, against = (each.closed.masked_fill(~batch.entries_mask, 0.0) for each in (told, other))
    found = (safe.exp() * term(safe, against)).masked_fill(~batch.entries_mask, 0.0).sum(-1)
    if told.open is not None and other.open is not None:
        found = found.masked_scatter(batch.whole >= 0, (told.open.exp() * term(told.open, other.open)).sum(-1))
    return _together(found, batch)


class _Term(Protocol):
    def __call__(self, one: torch.Tensor, other: torch.Tensor, /) -> torch.Tensor: ...


def _together(values: torch.Tensor, batch: Batch) -> torch.Tensor:
    return values.new_zeros(batch.size).index_add(0, batch.owner, values)


def _bent(logits: torch.Tensor, softcap: float | None) -> torch.Tensor:
    return logits if softcap is None else torch.tanh(logits / softcap) * softcap
