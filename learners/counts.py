"""How often each outcome of each option was logged, by the features that guards read.

All that synthesis and certificate need of a log: a table whose size depends on the
library alone, however many episodes were played.

Axes: O options, K classes (team 0, solo 1), R codes of read features, X outcomes
(success, effect_fail, timeout, then one a reason of explicit failure).
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hocket.learners.burn_log import EXPLICIT, TIMEOUT, Columns, LoggedOption, Manifest

TEAM, SOLO = 0, 1


class Counts:
    """The table of one log."""

    def __init__(self, manifest: Manifest, chunks: Iterable[Columns]) -> None:
        """Count every record.

        Args:
            manifest: of the log.
            chunks: of the log, each read once.
        """
        self.options: tuple[LoggedOption, ...] = manifest.options
        self.reasons: list[str] = []
        self.records = 0
        self._codes = max(len(option.read_values()) for option in manifest.options)
        self._table: NDArray[np.int64] = np.zeros((len(self.options), 2, self._codes, EXPLICIT), dtype=np.int64)
        for columns in chunks:
            self._add(columns, manifest.solo)

    def _add(self, columns: Columns, solo: int) -> None:
        outcome = self._outcomes(columns)
        classes = (columns["episode"] < solo).astype(np.int64)
        shape = self._table.shape
        place = ((columns["option"].astype(np.int64) * 2 + classes) * shape[2] + columns["read"]) * shape[3] + outcome
        self._table += np.bincount(place, minlength=self._table.size).reshape(shape)
        self.records += len(outcome)

    def _outcomes(self, columns: Columns) -> NDArray[np.int64]:
        """Number reasons as this table does, and make room for new ones."""
        for reason in columns["reasons"].tolist():
            if reason not in self.reasons:
                self.reasons.append(reason)
                self._table = np.concatenate([self._table, np.zeros((*self._table.shape[:3], 1), np.int64)], axis=3)
        own = [EXPLICIT + self.reasons.index(reason) for reason in columns["reasons"].tolist()]
        mapping = np.array([*range(EXPLICIT), *own], dtype=np.int64)
        outcomes = mapping[columns["outcome"]]
        return np.where(at_once(columns) | (outcomes < EXPLICIT), outcomes, TIMEOUT)

    def of(self, option: int, outcome: int, classes: tuple[int, ...]) -> NDArray[np.int64]:
        """Return how often an option came out so, by code of its read features, shape [R]."""
        counts: NDArray[Any] = self._table[option][list(classes)].sum(axis=0)[:, outcome]
        return counts[: len(self.options[option].read_values())]

    def total(self, option: int) -> int:
        """Return how often an option was carried out at all."""
        return int(self._table[option].sum())

    def seen(self, option: int) -> NDArray[np.int64]:
        """Return how often each code of an option's read features was logged, shape [R]."""
        counts: NDArray[Any] = self._table[option].sum(axis=(0, 2))
        return counts[: len(self.options[option].read_values())]


def at_once(columns: Columns) -> NDArray[np.bool_]:
    """Tell which options ended with their first tick.

    Only an explicit failure at once is one that a menu could have foreseen; what fails on the way,
    as where a partner has taken the target, counts for neither side.
    """
    found: NDArray[np.bool_] = columns["ticks"] == 1
    return found


def mined_from(option: LoggedOption) -> tuple[int, ...]:
    """Return the classes of records that speak of an option.

    Where its effect has no private part, a partner may have brought it about: solo only.
    """
    return (TEAM, SOLO) if option.private else (SOLO,)
