"""A run of `hocket train` as others find it, and its checkpoint.

The checkpoint rule is the paper's: the adapters with the highest team return while training. Where
no round had a positive return, training has collapsed, and there is none.
"""

from pathlib import Path

import msgspec

from hocket.agents.adapter import Adapter, read_adapter
from hocket.agents.frozen_base import FrozenBase
from hocket.learners.checkpoint import ADAPTERS, RunFolder
from hocket.learners.origin import Origin
from hocket.learners.state import State


class Lack(msgspec.Struct, frozen=True):
    """Why a run has no checkpoint."""

    why: str
    collapsed: bool = False
    """Whether every round was played, and none had a positive return."""


class Trained(msgspec.Struct, frozen=True):
    """One run, where it stands."""

    folder: Path
    origin: Origin
    state: State

    def lack(self) -> Lack | None:
        """Return why there is no checkpoint; None where there is one, or where nobody learns."""
        best, rounds = self.state.best, self.origin.config.rounds
        if self.origin.config.cell.capacity == "frozen":
            return None
        if best is None:
            return Lack("is still in its first round")
        if best.team_return > 0:
            return None
        if self.state.round < rounds:
            return Lack(f"none of its first {self.state.round} rounds of {rounds} had a positive return")
        return Lack(f"none of its {rounds} rounds had a positive return: no checkpoint to evaluate", collapsed=True)

    @property
    def unfinished(self) -> str:
        """Say that there are rounds to come; empty where there are none."""
        capacity, rounds = self.origin.config.cell.capacity, self.origin.config.rounds
        if capacity == "frozen" or self.state.round >= rounds:
            return ""
        return f"has not been trained to its end: its best of {self.state.round} rounds of {rounds}"

    def checkpoint(self, base: FrozenBase, seats: int) -> dict[int, Adapter]:
        """Return the adapter of each seat at the checkpoint; none where nobody learns.

        Raises:
            AdapterError: one cannot be read.
            PresetError: one is not what the run saved.
        """
        best, capacity = self.state.best, self.origin.config.cell.capacity
        if best is None or capacity == "frozen":
            return {}
        folder = RunFolder(self.folder)
        found = {}
        for seat in range(seats):
            name = "team" if capacity == "shared" else f"seat{seat}"
            found[seat] = read_adapter(folder.adapter(name, best.round), base)
            folder.check(f"{ADAPTERS}/{found[seat].name}", found[seat].digest, best.digests.get(name))
        return found


def read_trained(folder: Path) -> Trained:
    """Read where a run stands.

    Raises:
        PresetError: it is no run, or does not read.
    """
    return Trained(folder, RunFolder(folder).origin(), RunFolder(folder).state())
