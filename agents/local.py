"""A frozen base in this process, and the adapters that share it.

Every question goes through the base's body once: the output head is applied at the
scored positions alone, and there to the candidate tokens alone. The tokens that all
prompts of a game share are computed once for each adapter and kept. Questions about one
prompt, as from a prefix tree of its menu, are packed behind it as a tree (`packing.py`).

By default each prompt is a forward pass of its own on a CPU, and one thread does it all:
then no number depends on what else was asked, and the same seed gives the same bytes.
Batches (`rows`) are for devices where they pay. Nothing here has run on a GPU yet.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np
import torch
from numpy.typing import NDArray

from hocket.agents.adapter import Adapter
from hocket.agents.canary import TOLERANCES, distance
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.packing import Row, known_prefix, pack
from hocket.agents.query import Query, Writing, Written
from hocket.agents.tokens import load_tokens
from hocket.agents.tree import Ids
from hocket.agents.weights import Keys, Weights
from hocket.agents.writer import Follow, write_out
from hocket.runtime.errors import ModelError

_GPU_ROWS = 64
_CHECKED = 8
"""Tokens, and candidates, by which a base that was loaded is checked."""
_TOLERANCE = 0.5
"""Of a number format whose own is not known."""


class Local:
    """One base with its adapters, as a backend."""

    name = "local"
    packages = ("torch", "transformers", "peft")

    def __init__(self, base: FrozenBase, *, device: str = "auto", rows: int | None = None, threads: int = 1) -> None:
        """Load a base.

        Args:
            base: to load.
            device: `auto`, `cpu`, `cuda` or any other name of torch's.
            rows: most prompts of one forward pass; by default 1 on a CPU and 64 elsewhere.
            threads: of torch, for the whole process; more than one may change the last bits.

        Raises:
            ModelError: it cannot be loaded, or what is computed here is not what the model itself computes.
        """
        torch.set_num_threads(threads)
        self.base = base
        self.tokens = load_tokens(base)
        self.weights = Weights(base, device)
        self.rows = rows or (1 if self.weights.device.type == "cpu" else _GPU_ROWS)
        self.prefixes: list[Ids] = []
        """Beginnings of prompts that are worth keeping; an agent adds its system message."""
        self._kept: dict[tuple[str, Ids], Keys] = {}
        self._check()

    @property
    def dtype(self) -> str:
        """Name of the number format, e.g. `float32`."""
        return self.weights.dtype

    def load(self, adapter: Adapter) -> None:
        """Take an adapter in beside the others.

        Raises:
            AdapterError: it cannot be loaded, or its name stands for other weights.
        """
        self.weights.attached.add(adapter)

    def unload(self, name: str) -> None:
        """Let an adapter go, with all that was kept for it."""
        self.weights.attached.remove(name)
        self._kept = {key: kept for key, kept in self._kept.items() if key[0] != name}

    def score(self, queries: Sequence[Query]) -> list[tuple[float, ...]]:
        """Answer questions.

        Returns:
            For each, natural log-probabilities of its candidates, in their order, over them alone.

        Raises:
            PromptError: a prompt is longer than the context of the base.
            AdapterError: an adapter is not loaded.
        """
        for query in queries:
            self.base.check_length(len(query.prompt) + len(query.then))
        answers: list[tuple[float, ...]] = [()] * len(queries)
        packed = pack(queries, self._prefixes, trees=self.weights.takes_masks)
        with torch.inference_mode():
            for rows in _chunks(packed, self.rows):
                states = self._forward(rows)
                for row, inner in zip(rows, states, strict=True):
                    among = [queries[number].among for number, _ in row.asked]
                    told = self.weights.log_probs(inner[[place for _, place in row.asked]], among)
                    for (number, _), log_probs in zip(row.asked, told, strict=True):
                        answers[number] = log_probs
        return answers

    def write(self, writings: Sequence[Writing]) -> list[Written]:
        """Write texts out, token by token, each by itself.

        Raises:
            PromptError: a prompt with its reply is longer than the context of the base.
            AdapterError: an adapter is not loaded.
        """
        written = []
        for writing in writings:
            self.base.check_length(len(writing.prompt) + writing.most)
            prefix = known_prefix(writing.prompt, self._prefixes)
            with torch.inference_mode():
                follow = self._following(writing.adapter, self._keys(writing.adapter, prefix))
                ends = self.weights.ends | {self.tokens.end}
                written.append(write_out(follow, self.tokens, ends, writing, len(prefix)))
        return written

    def _check(self) -> None:
        """Hold one answer, behind a prefix and beside a branch of a tree, against what the model itself says.

        Candidates are the likeliest token, the least likely, and some between: there a scale shows most.
        """
        size = len(self.weights.head)
        ids: Ids = tuple((place + 1) * size // (_CHECKED + 1) for place in range(_CHECKED))
        with torch.inference_mode():
            plain = self.weights.plain(ids)
        ranked = plain.argsort(descending=True).tolist()
        among: Ids = tuple(ranked[place * (size - 1) // (_CHECKED - 1)] for place in range(_CHECKED))
        expected = plain[list(among)].double().log_softmax(0).tolist()
        self.prefixes.append(ids[:3])
        _, found = self.score([Query("", ids[:5], (ids[0],), among), Query("", ids[:5], ids[5:], among)])
        self.prefixes.clear()
        self._kept.clear()
        if distance(found, expected) > TOLERANCES.get(self.weights.dtype, _TOLERANCE):
            problem = "its answers are not reproduced here: it has something beyond a plain output head"
            raise ModelError(model=str(self.base.folder), problem=problem)

    @property
    def _prefixes(self) -> list[Ids]:
        return self.prefixes if self.weights.keeps_prefixes else []

    def _keys(self, adapter: str, prefix: Ids) -> Keys:
        """Return keys and values of a prefix, one pair a layer, computing them where they are not kept."""
        if not prefix:
            return []
        found = self._kept.get((adapter, prefix))
        if found is None:
            found = self._kept[adapter, prefix] = self.weights.keys(adapter, prefix)
        return found

    def _following(self, adapter: str, keys: Keys) -> Follow:
        """Return the model behind a prefix, as what writes a text asks it."""
        cache = self.weights.cache(keys, 1) if keys else self.weights.empty_cache()

        def follow(ahead: Ids) -> NDArray[np.floating]:
            states, _ = self.weights.advance(adapter, np.array([ahead]), cache)
            logits: NDArray[np.floating] = self.weights.logits(states[0, -1]).cpu().numpy()
            return logits

        return follow

    def _forward(self, rows: Sequence[Row]) -> torch.Tensor:
        """Return the last states of some rows of one adapter and prefix, shape [rows, tokens, width]."""
        first = rows[0]
        longest = max(len(row.tokens) for row in rows)
        ids = np.zeros((len(rows), longest), dtype=np.int64)
        for row, line in zip(rows, ids, strict=True):
            line[: len(row.tokens)] = row.tokens
        keys = self._keys(first.adapter, first.prefix)
        if not any(row.branches for row in rows):
            return self.weights.states(first.adapter, ids, keys)
        before = len(first.prefix)
        mask = np.zeros((len(rows), 1, longest, before + longest), dtype=bool)
        positions = np.zeros((len(rows), longest), dtype=np.int64)
        for place, row in enumerate(rows):
            size = len(row.tokens)
            mask[place, 0, :size, : before + size] = row.mask()
            mask[place, 0, size:, 0] = True  # what stands behind a row attends to something, and nobody to it
            positions[place, :size] = row.positions()
        return self.weights.states(first.adapter, ids, keys, mask=mask, positions=positions)


def _chunks(rows: Sequence[Row], most: int) -> Iterator[list[Row]]:
    """Put rows of one adapter and prefix together, of like length, at most `most` at a time."""

    def kind(row: Row) -> tuple[str, Ids]:
        return row.adapter, row.prefix

    ordered = sorted(rows, key=lambda row: (*kind(row), len(row.tokens)))
    for _, group in groupby(ordered, key=kind):
        same = list(group)
        for start in range(0, len(same), most):
            yield same[start : start + most]
