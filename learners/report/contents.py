"""What a folder holds that can be reported: traces, certificates, evaluations, training runs."""

from pathlib import Path

import msgspec

from hocket.learners.cells.report import RESULTS
from hocket.learners.certify.certification import CERTIFICATE
from hocket.learners.checkpoint import METRICS, RUN
from hocket.replays.trace_files import traces_within
from hocket.runtime.errors import TracePathError


class Contents(msgspec.Struct, frozen=True):
    """Paths, each kind in order of path."""

    folder: Path
    traces: tuple[Path, ...]
    """Without those of training."""
    certificates: tuple[Path, ...]
    evaluations: tuple[Path, ...]
    runs: tuple[Path, ...]
    """Folders."""

    @property
    def name(self) -> str:
        """Of the folder, without where it stands."""
        return self.folder.resolve().name or "everything"

    def within(self, path: Path) -> str:
        """Say where something is, seen from the folder."""
        return path.relative_to(self.folder).as_posix()


def contents(folder: Path) -> Contents:
    """Look through a folder and those within it.

    Raises:
        TracePathError: it is no folder, or holds nothing to report.
    """
    if not folder.is_dir():
        problem = "is a file: a report is of a folder" if folder.exists() else "is not there"
        raise TracePathError(path=folder, problem=problem)
    runs = tuple(path.parent for path in _named(folder, METRICS) if path.with_name(RUN).is_file())
    traces = tuple(path for path in traces_within(folder) if path.name != METRICS and not _of_training(path, runs))
    found = Contents(folder, traces, _named(folder, CERTIFICATE), _named(folder, RESULTS), runs)
    if not (traces or found.certificates or found.evaluations or runs):
        problem = "holds nothing to report: no trace (.jsonl, .jsonl.zst), certificate, evaluation or training run"
        raise TracePathError(path=folder, problem=problem)
    return found


def _named(folder: Path, name: str) -> tuple[Path, ...]:
    return tuple(sorted(path for path in folder.rglob(name) if path.is_file()))


def _of_training(path: Path, runs: tuple[Path, ...]) -> bool:
    return any(path.is_relative_to(run / "traces") for run in runs)
