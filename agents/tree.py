"""A prefix tree of token sequences: where they part, and how likely each is.

Restricted to the sequences of the tree, the probability of one is the product of
its share at every node where the tree branches; so they sum to 1.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from hocket.runtime.errors import PromptError

Ids: TypeAlias = tuple[int, ...]


class Tree:
    """Some token sequences, none of them the beginning of another."""

    def __init__(self, sequences: Sequence[Ids]) -> None:
        """Plant a tree.

        Raises:
            PromptError: two are the same, or one begins another, so that they cannot be told apart.
        """
        self._sequences = tuple(sequences)
        children: dict[Ids, dict[int, None]] = {}
        for sequence in self._sequences:
            for place, token in enumerate(sequence):
                children.setdefault(sequence[:place], {})[token] = None
        if len(set(self._sequences)) < len(self._sequences) or any(each in children for each in self._sequences):
            raise PromptError(problem="two options of the menu have the same words, or one begins with another's")
        self.nodes: dict[Ids, Ids] = {path: tuple(next_) for path, next_ in children.items() if len(next_) > 1}
        """What may follow each path at which the tree branches, in order of first mention."""

    def log_probs(self, answers: Mapping[Ids, Sequence[float]]) -> tuple[float, ...]:
        """Put the log-probabilities of the sequences together.

        Args:
            answers: for each path of `nodes`, the log-probabilities of what may follow it, in the same order.

        Returns:
            One a sequence, in their order; their exponentials sum to 1.
        """
        shares = {path: dict(zip(self.nodes[path], answers[path], strict=True)) for path in self.nodes}
        return tuple(
            sum(shares[each[:place]][token] for place, token in enumerate(each) if each[:place] in shares)
            for each in self._sequences
        )
