"""The adapters that learn, as a backend: what is trained is what plays.

Choices are scored by the learner's own body, with the tensors that its loss changes. Text that
is written out token by token comes from the same base as agents have it, with adapters
as they were saved.
"""

from collections.abc import Sequence

import torch

from hocket.agents.adapter import Adapter
from hocket.agents.local import Local
from hocket.agents.packing import Row, pack
from hocket.agents.query import Query, Writing, Written
from hocket.agents.tree import Ids
from hocket.learners.adapter import Learning
from hocket.learners.batch import make_rows
from hocket.learners.body import make_body

_ROWS = 64
"""Most prompts of one forward pass."""


class Trainees:
    """One base in this process, with adapters by their versioned names."""

    name = "local"
    packages = ("torch", "transformers", "peft")

    def __init__(self, local: Local, *, checkpointing: bool = False) -> None:
        """Take a base into use; its body is shared with what agents compute."""
        self.local = local
        self.body = make_body(local.weights, checkpointing=checkpointing)
        self.base, self.tokens = local.base, local.tokens
        self._learning: dict[str, Learning] = {}
        self._saved: dict[str, Adapter] = {}

    @property
    def dtype(self) -> str:
        """Name of the number format."""
        return self.local.dtype

    @property
    def prefixes(self) -> list[Ids]:
        """Beginnings of prompts that are worth keeping."""
        return self.local.prefixes

    @property
    def known_prefixes(self) -> list[Ids]:
        """The same, where the keys of a prefix can be kept at all."""
        return self.prefixes if self.local.weights.keeps_prefixes else []

    def enter(self, learning: Sequence[Learning]) -> None:
        """Let adapters answer under the names that they were last saved by, and nobody else."""
        self.body.release()
        for name in sorted(self._saved):
            self.local.unload(name)
        self._saved.clear()
        self._learning = {each.published.name: each for each in learning}

    def load(self, adapter: Adapter) -> None:
        """Take an adapter in beside the others, unless it is one that learns."""
        if adapter.name not in self._learning:
            self.local.load(adapter)
            self._saved[adapter.name] = adapter

    def write(self, writings: Sequence[Writing]) -> list[Written]:
        """Write texts out, token by token.

        Raises:
            PromptError: a prompt with its reply is longer than the context of the base.
        """
        if not writings:
            return []
        self.body.release()
        for writing in writings:
            learning = self._learning.get(writing.adapter)
            if learning is not None and writing.adapter not in self._saved:
                self.local.load(learning.published)
                self._saved[writing.adapter] = learning.published
        return self.local.write(writings)

    def score(self, queries: Sequence[Query]) -> list[tuple[float, ...]]:
        """Answer questions: natural log-probabilities of the candidates of each.

        Raises:
            PromptError: a prompt is longer than the context of the base.
            AdapterError: an adapter is not loaded.
        """
        strangers = [query.adapter for query in queries if query.adapter and query.adapter not in self._learning]
        if strangers:
            self.body.release()
            return self.local.score(queries)
        for query in queries:
            self.base.check_length(len(query.prompt) + len(query.then))
        answers: list[tuple[float, ...]] = [()] * len(queries)
        groups: dict[tuple[str, Ids], list[Row]] = {}
        for row in pack(queries, self.known_prefixes, trees=self.body.trees):
            groups.setdefault((row.adapter, row.prefix), []).append(row)
        with torch.inference_mode():
            for (adapter, _), rows in groups.items():
                for start in range(0, len(rows), _ROWS):
                    self._answer(adapter, rows[start : start + _ROWS], queries, answers)
        return answers

    def _answer(
        self, adapter: str, rows: Sequence[Row], queries: Sequence[Query], answers: list[tuple[float, ...]]
    ) -> None:
        asked = [list(dict.fromkeys(place for _, place in row.asked)) for row in rows]
        found = self.body.states(self._learning[adapter] if adapter else None, make_rows(rows, asked, self.body.device))
        numbers = [
            (number, line, asked[line].index(place)) for line, row in enumerate(rows) for number, place in row.asked
        ]
        states = found[[line for _, line, _ in numbers], [slot for _, _, slot in numbers]]
        told = self.local.weights.log_probs(states, [queries[number].among for number, _, _ in numbers])
        for (number, _, _), log_probs in zip(numbers, told, strict=True):
            answers[number] = log_probs
