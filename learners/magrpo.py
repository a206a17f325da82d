"""One update of one adapter: epochs of the clipped surrogate on its own decisions.

    loss = -E[min(ratio A, clip(ratio, 1 - eps, 1 + eps) A)] + beta KL(policy || reference)

Ratio and KL are exact over what could be drawn, at the sampling temperature. The old log-probabilities
are those of the learner's own path, computed before the first epoch.

Axes: S decisions.

Source: Algorithm 1, line 7, of the PA-MAGRPO paper. The entropy bonus is ours, and 0 by default.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

import msgspec
import torch

from hocket.learners.adapter import Learning
from hocket.learners.batch import Item, make_batch
from hocket.learners.config import UpdatePart
from hocket.learners.network import Body, distributions, divergence, entropy
from hocket.runtime.errors import TrainingError
from hocket.runtime.seed import Stream


class Sample(msgspec.Struct, frozen=True, eq=False):
    """A decision with what is known of it before the first epoch."""

    item: Item
    advantage: float
    weight: float
    """Of its term in the mean; 1 on average."""
    old: float
    """Its log-probability before the update, in nats."""


class Updated(msgspec.Struct, frozen=True):
    """What an update did, as means over its decisions and epochs."""

    decisions: int
    steps: int
    """Of the optimiser."""
    loss: float
    kl: float
    """From the reference, in nats; 0 where it has no weight and was not computed."""
    clipped: float
    """Share of decisions whose ratio was outside of the clip range."""
    entropy: float
    """In nats."""
    gradient: float
    """Norm, before it is clipped."""


def old_log_probs(
    body: Body, adapter: Learning | None, items: Sequence[Item], temperature: float, rows: int
) -> list[float]:
    """Compute what an adapter makes of decisions now, in nats; in the order given."""
    found = [0.0] * len(items)
    with torch.no_grad():
        for numbers in _passes(items, range(len(items)), rows):
            batch = make_batch([items[number] for number in numbers], body.device)
            told = distributions(body, adapter, batch, temperature)
            for number, log_prob in zip(numbers, told.log_probs.tolist(), strict=True):
                found[number] = log_prob
    return found


def surrogate(log_probs: torch.Tensor, old: torch.Tensor, advantages: torch.Tensor, clip: float) -> torch.Tensor:
    """Return the clipped objective of each decision, to be made large.

    Args:
        log_probs: of the policy, in nats, shape [S].
        old: of the policy that played, shape [S].
        advantages: shape [S].
        clip: eps.

    Source: Schulman et al., "Proximal policy optimization algorithms", 2017, equation 7.
    """
    ratio = (log_probs - old).exp()
    return torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)


def update(
    body: Body,
    adapter: Learning,
    reference: Learning | None,
    samples: Sequence[Sample],
    settings: UpdatePart,
    temperature: float,
    order: Stream,
    first: int,
) -> Updated:
    """Take every step of every epoch.

    Args:
        body: computes the policy.
        adapter: that learns; nothing else is changed.
        reference: of the KL; None for the base itself.
        samples: its own decisions.
        settings: of the loss.
        temperature: at which decisions were sampled.
        order: of minibatches.
        first: number of the first epoch in that stream.

    Raises:
        TrainingError: a loss or gradient that is no number; the adapter keeps what it had before that step.
    """
    sums = _Sums()
    for epoch in range(settings.epochs):
        places = order.order(first + epoch, len(samples)) if settings.order == "shuffled" else range(len(samples))
        for number, start in enumerate(range(0, len(samples), settings.minibatch)):
            chosen = [samples[place] for place in places[start : start + settings.minibatch]]
            where = f"{adapter.published.name}, epoch {epoch}, minibatch {number}"
            if not _step(body, adapter, reference, chosen, settings, temperature, sums, where):
                body.release()
                return sums.told(len(samples))
    body.release()
    return sums.told(len(samples))


def _step(
    body: Body,
    adapter: Learning,
    reference: Learning | None,
    samples: Sequence[Sample],
    settings: UpdatePart,
    temperature: float,
    sums: "_Sums",
    where: str,
) -> bool:
    """Take one step, unless the policy has come too far from the one that played."""
    apart_by = 0.0
    items = [sample.item for sample in samples]
    for numbers in _passes(items, range(len(items)), settings.rows):
        few = [samples[number] for number in numbers]
        batch = make_batch([sample.item for sample in few], body.device)
        behind = None
        if settings.kl:
            with torch.no_grad():
                behind = distributions(body, reference, batch, temperature)
        told = distributions(body, adapter, batch, temperature)
        old, advantages, weights = (
            torch.tensor([getattr(sample, part) for sample in few], dtype=torch.float32, device=body.device)
            for part in ("old", "advantage", "weight")
        )
        losses = -surrogate(told.log_probs, old, advantages, settings.clip)
        apart = told.log_probs.new_zeros(len(few)) if behind is None else divergence(told, behind, batch)
        spread = entropy(told, batch)
        loss = (weights * (losses + settings.kl * apart - settings.entropy * spread)).sum() / len(samples)
        if not torch.isfinite(loss):
            raise TrainingError(problem=f"the loss is {loss.item()} ({where}); nothing was changed by it")
        loss.backward()  # type: ignore[no-untyped-call]
        moved = told.log_probs.detach() - old
        apart_by += float((moved.exp() - 1 - moved).sum()) / len(samples)
        outside = (moved.exp() - 1).abs() > settings.clip
        sums.add(len(few), loss.item() * len(samples), apart.sum(), spread.sum(), outside.sum())
    if settings.stop and apart_by > settings.stop:
        adapter.forget()
        return False
    norm = adapter.step(settings.gradient_clip)
    if not norm < float("inf"):
        raise TrainingError(problem=f"the gradient is {norm} ({where}); nothing was changed by it")
    if not adapter.is_finite:
        raise TrainingError(problem=f"the step has left weights that are no numbers ({where}); it was not saved")
    sums.steps += 1
    sums.gradient += norm
    return True


def _passes(items: Sequence[Item], numbers: Sequence[int], rows: int) -> Iterator[list[int]]:
    """Put decisions of one prefix together, of like length, at most `rows` at a time."""
    ordered = sorted(numbers, key=lambda number: (items[number].rows[0].prefix, items[number].size, number))
    for _, group in groupby(ordered, key=lambda number: items[number].rows[0].prefix):
        same = list(group)
        for start in range(0, len(same), rows):
            yield same[start : start + rows]


class _Sums:
    def __init__(self) -> None:
        self.seen, self.steps, self.gradient = 0, 0, 0.0
        self.loss = self.kl = self.entropy = self.clipped = 0.0

    def add(self, seen: int, loss: float, *parts: torch.Tensor) -> None:
        kl, spread, clipped = (float(part.detach()) for part in parts)
        self.seen += seen
        self.loss, self.kl = self.loss + loss, self.kl + kl
        self.entropy, self.clipped = self.entropy + spread, self.clipped + clipped

    def told(self, decisions: int) -> Updated:
        seen, steps = max(self.seen, 1), max(self.steps, 1)
        return Updated(
            decisions=decisions,
            steps=self.steps,
            loss=self.loss / seen,
            kl=self.kl / seen,
            clipped=self.clipped / seen,
            entropy=self.entropy / seen,
            gradient=self.gradient / steps,
        )
