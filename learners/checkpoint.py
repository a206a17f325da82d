"""The folder of a run on disk, and where the run stands.

    run.json            configuration, and the digests of what it depends on
    state.json          the round that comes next, the best so far, digests; written last
    adapters/           NAME@vROUND, PEFT folders with their canaries
    optimisers/         NAME@vROUND.safetensors
    metrics.jsonl       a line a round
    result.json         once it is over

A round is there when `state.json` says so. What lies about from a round that was cut off is
removed when the run goes on; all streams are addressed by round, so nothing else has to be kept.
Every file that a run goes on from is held against a digest in `state.json` first.
"""

import fcntl
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import msgspec

from hocket.learners.origin import Origin
from hocket.learners.state import BEGINNING, State, chained, digest
from hocket.runtime.errors import PresetError, TrainingError
from hocket.runtime.whole_file import write_whole

ADAPTERS, OPTIMISERS, METRICS = "adapters", "optimisers", "metrics.jsonl"
RUN, RESULT = "run.json", "result.json"
_STATE, _LOCK = "state.json", ".lock"


class Row(msgspec.Struct, frozen=True):
    """What is read again of a line of metrics."""

    without_spread: float


class RunFolder:
    """One run on disk, held by one process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: IO[str] | None = None
        self._made = False
        """Whether the folder was not there before."""

    def begin(self, origin: Origin) -> None:
        """Make the folder.

        Raises:
            PresetError: there is something, or it cannot be made, or another process has it.
        """
        if self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            hint = "; --resume goes on with it" if (self.path / RUN).is_file() else ""
            raise PresetError(preset=str(self.path), problem=f"is there already, and is not empty{hint}")
        self._made = not self.path.exists()
        with told(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            self._hold()
            for name in (ADAPTERS, OPTIMISERS):
                (self.path / name).mkdir(exist_ok=True)
            write_whole(self.path / RUN, msgspec.json.format(msgspec.json.encode(origin, order="deterministic")))

    def resume(self, origin: Origin) -> State:
        """Find out where a run stands; nothing is changed before `clear`.

        Raises:
            PresetError: it is no run, or damaged, or one of another configuration, or another process has it.
        """
        if apart := self.origin().differences(origin):
            raise PresetError(
                preset=str(self.path), problem=f"was begun with another configuration: {'; '.join(apart)}"
            )
        with told(self.path):
            self._hold()
        state, lines, rows = self.state(), self._lines(), len(self.metrics())
        if rows < state.round:
            problem = f"its {METRICS} has {rows} whole lines, but {state.round} rounds were played"
            raise PresetError(preset=str(self.path), problem=problem)
        if state is BEGINNING and (rows > 1 or any(_round_of(path) > 1 for path in self._of_rounds(ADAPTERS))):
            raise PresetError(preset=str(self.path), problem=f"its {_STATE} is missing, so it cannot go on")
        self.check(METRICS, chained(lines[: state.round]), state.metrics)
        return state

    def origin(self) -> Origin:
        """Return what the run depends on.

        Raises:
            PresetError: it is no run, or the file does not read.
        """
        try:
            return msgspec.json.decode((self.path / RUN).read_bytes(), type=Origin)
        except OSError as error:
            raise PresetError(preset=str(self.path), problem=f"is no run: it has no {RUN}") from error
        except (msgspec.DecodeError, RecursionError) as error:
            raise PresetError(preset=str(self.path), problem=f"its {RUN} does not read: {error}") from error

    def state(self) -> State:
        """Return where the run stands.

        Raises:
            PresetError: the file is there and does not read.
        """
        try:
            return msgspec.json.decode((self.path / _STATE).read_bytes(), type=State)
        except FileNotFoundError:
            return BEGINNING
        except (OSError, msgspec.DecodeError, RecursionError) as error:
            raise PresetError(preset=str(self.path), problem=f"its {_STATE} does not read: {error}") from error

    def adapter(self, name: str, number: int) -> Path:
        """Return the folder of an adapter at the beginning of a round."""
        return self.path / ADAPTERS / f"{name}@v{number}"

    def optimiser(self, name: str, number: int) -> Path:
        """Return the file of its optimiser."""
        return self.path / OPTIMISERS / f"{name}@v{number}.safetensors"

    def optimiser_state(self, name: str, state: State) -> bytes:
        """Return what the optimiser of an adapter goes on from.

        Raises:
            PresetError: it is not what the run saved.
        """
        path = self.optimiser(name, state.round)
        try:
            content = path.read_bytes()
        except OSError as error:
            problem = f"{OPTIMISERS}/{path.name} cannot be read: {(error.strerror or str(error)).lower()}"
            raise PresetError(preset=str(self.path), problem=problem) from error
        self.check(f"{OPTIMISERS}/{path.name}", digest(content), state.optimisers.get(name))
        return content

    def check(self, what: str, found: str, saved: str | None) -> None:
        """Hold the digest of something in the folder against the one that was written down.

        Raises:
            PresetError: it is another.
        """
        if found != saved:
            problem = f"{what} is not what the run saved: its digest is {found}, not {saved}"
            raise PresetError(preset=str(self.path), problem=problem)

    def traces(self, number: int) -> Path:
        """Make the folder for the traces of a round."""
        folder = self.path / "traces" / f"v{number}"
        with told(folder):
            folder.mkdir(parents=True, exist_ok=True)
        return folder

    def save(self, state: State, optimisers: Mapping[str, bytes], row: bytes, keep: int) -> None:
        """Finish a round: optimisers, a line of metrics, the state; then let go of what is not kept.

        Raises:
            TrainingError: the disk would not take it; the state before stands.
        """
        with told(self.path):
            for name, content in optimisers.items():
                write_whole(self.optimiser(name, state.round), content)
            with (self.path / METRICS).open("ab") as file:
                file.write(row + b"\n")
            write_whole(self.path / _STATE, msgspec.json.encode(state))
            wanted = {0, *range(state.round - keep + 1, state.round + 1), state.best.round if state.best else 0}
            for folder in self._of_rounds(ADAPTERS):
                if _round_of(folder) not in wanted:
                    shutil.rmtree(folder, ignore_errors=True)
            for path in self._of_rounds(OPTIMISERS):
                if _round_of(path) < state.round - keep + 1:
                    path.unlink(missing_ok=True)

    def metrics(self) -> list[Row]:
        """Return the lines of metrics up to the first that is not whole."""
        found = list[Row]()
        with suppress(msgspec.DecodeError):
            for line in self._lines():
                found.append(msgspec.json.decode(line, type=Row))
        return found

    def _lines(self) -> list[bytes]:
        path = self.path / METRICS
        return path.read_bytes().splitlines() if path.is_file() else []

    def finish(self, result: bytes) -> None:
        """Write down what came of it."""
        with told(self.path):
            write_whole(self.path / RESULT, result)

    def release(self, *, abandoned: bool = False) -> None:
        """Let another process have the folder; where the run was never begun, leave nothing of it."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None
            if abandoned:
                for path in sorted(self.path.iterdir()):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
                if self._made:
                    self.path.rmdir()

    def _hold(self) -> None:
        self._lock = (self.path / _LOCK).open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self.release()
            raise PresetError(preset=str(self.path), problem="another process is training there") from error

    def clear(self, state: State, names: Sequence[str]) -> None:
        """Remove what the adapters of these names left of a round that was cut off, and the outcome.

        Raises:
            TrainingError: the disk would not have it.
        """
        with told(self.path):
            for folder in (self.path / ADAPTERS, self.path / OPTIMISERS):
                for path in sorted(folder.iterdir()):
                    torn = any(path.name.startswith(f".{name}@v") for name in names)
                    late = path.name.partition("@")[0] in names and _round_of(path) > state.round
                    if torn or late:
                        shutil.rmtree(path) if path.is_dir() else path.unlink()
            metrics = self.path / METRICS
            if metrics.is_file():
                lines = metrics.read_bytes().splitlines(keepends=True)[: state.round]
                write_whole(metrics, b"".join(lines))
            (self.path / RESULT).unlink(missing_ok=True)

    def _of_rounds(self, name: str) -> list[Path]:
        return sorted(path for path in (self.path / name).glob("*@v*") if _round_of(path) >= 0)


def _round_of(path: Path) -> int:
    number = path.name.partition("@v")[2].removesuffix(".safetensors")
    return int(number) if number.isdecimal() else -1


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Put a failing disk into our words.

    Raises:
        TrainingError: something could not be written.
    """
    try:
        yield
    except OSError as error:
        said = (error.strerror or str(error)).lower()
        raise TrainingError(problem=f"{error.filename or path} cannot be written: {said}") from error
