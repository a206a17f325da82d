"""A run of `hocket train` as others find it: checkpoint, and seeds that it learned from.

The checkpoint rule is the paper's: the adapters with the highest team return while training. Where
no round had a positive return, training has collapsed, and there is none.
"""

import re
from contextlib import suppress
from pathlib import Path

import msgspec

from hocket.agents.adapter import Adapter, read_adapter
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.style import Style
from hocket.learners.checkpoint import ADAPTERS, METRICS, RunFolder
from hocket.learners.config import SEED_FLOOR, Config
from hocket.learners.state import State
from hocket.replays.trace import read_trace
from hocket.replays.trace_files import traces_within
from hocket.runtime.errors import PresetError

FILE = "run.json"
_OF_TRAINING = re.compile(r"\d+-(?P<seed>\d+)\.jsonl(\.zst)?")


class Known(msgspec.Struct, frozen=True):
    """What `run.json` says, as far as a checkpoint is played by it."""

    preset: str
    config: Config
    base: str
    """Digest."""
    game: str
    """The same."""
    library: str
    style: Style | None = None
    """The base's own, where it is on record."""


class Lack(msgspec.Struct, frozen=True):
    """Why a run has no checkpoint."""

    why: str
    collapsed: bool = False
    """Whether every round was played, and none had a positive return."""


class Trained(msgspec.Struct, frozen=True):
    """One run, where it stands."""

    folder: Path
    known: Known
    state: State

    def lack(self) -> Lack | None:
        """Return why there is no checkpoint; None where there is one, or where nobody learns."""
        best, rounds = self.state.best, self.known.config.rounds
        if self.known.config.cell.capacity == "frozen":
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
        capacity, rounds = self.known.config.cell.capacity, self.known.config.rounds
        if capacity == "frozen" or self.state.round >= rounds:
            return ""
        return f"has not been trained to its end: its best of {self.state.round} rounds of {rounds}"

    def checkpoint(self, base: FrozenBase, seats: int) -> dict[int, Adapter]:
        """Return the adapter of each seat at the checkpoint; none where nobody learns.

        Raises:
            AdapterError: one cannot be read.
            PresetError: one is not what the run saved.
        """
        best, capacity = self.state.best, self.known.config.cell.capacity
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
    return Trained(folder, _known(folder), RunFolder(folder).state())


def _known(folder: Path) -> Known:
    try:
        return msgspec.json.decode((folder / FILE).read_bytes(), type=Known)
    except OSError as error:
        raise PresetError(preset=str(folder), problem=f"is no run: it has no {FILE}") from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise PresetError(preset=str(folder), problem=f"its {FILE} does not read: {error}") from error


def run_of(adapter: Path) -> Path | None:
    """Return the folder of the run that an adapter lies in, or beside; None where there is none."""
    place = adapter.resolve()
    return next((each for each in (place.parent, place.parent.parent) if (each / FILE).is_file()), None)


class Seeds(msgspec.Struct, frozen=True):
    """What is known of the episodes that somebody learned from."""

    played: dict[int, str]
    """Seeds on record, and the trace of each."""
    unknown: str = ""
    """Why there may be others below those of training; empty where there are none."""

    def shared(self, seeds: range) -> tuple[int, str] | None:
        """Return the first of these seeds that was learned from, and its trace."""
        return next(((seed, self.played[seed]) for seed in seeds if seed in self.played), None)


def seeds_of(folder: Path, learned_from: Path | None = None) -> Seeds:
    """Find out what a run learned from.

    Args:
        folder: of the run.
        learned_from: recorded rollouts that it is said to have learned from.

    Raises:
        PresetError: nothing is recorded there.
        TraceError: a file there that is no whole trace.
    """
    own = [path for path in traces_within(folder / "traces") if _OF_TRAINING.fullmatch(path.name)]
    played = {int(path.name.partition("-")[2].partition(".")[0]): str(path.relative_to(folder)) for path in own}
    if learned_from is not None:
        paths = traces_within(learned_from)
        if not paths:
            raise PresetError(preset=str(learned_from), problem="holds no traces that a run could have learned from")
        return Seeds(played | {read_trace(path).header.seed: str(path) for path in paths})
    return Seeds(played, _unknown(folder))


class _Row(msgspec.Struct, frozen=True):
    seconds: dict[str, float]


def _unknown(folder: Path) -> str:
    """Say why the seeds of a run cannot be known; what it plays itself is above the floor.

    A run that learns from traces asks no model for rollouts, so its metrics have 0 seconds for that.
    """
    rows = list[_Row]()
    with suppress(OSError, msgspec.DecodeError):
        for line in (folder / METRICS).read_bytes().splitlines():
            rows.append(msgspec.json.decode(line, type=_Row))
    if not rows:
        return f"its {METRICS} does not say whether it played its rollouts itself"
    if any(row.seconds.get("model") == 0 for row in rows):
        return f"it learned from recorded rollouts (learned_from), which may be below {SEED_FLOOR:,}"
    return ""
