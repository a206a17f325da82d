"""Which traces names stand for."""

import os
from pathlib import Path

import pytest

from hocket.replays.trace_files import trace_files, traces_within
from hocket.runtime.errors import TracePathError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Traces at two depths, and what is none."""
    for name in ("b.jsonl", "a.jsonl.zst", "a.timing.jsonl", "notes.txt", "deep/c.jsonl", "deep/down/d.jsonl"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"{}" if name == "notes.txt" else b'{"hash":"')
    (tmp_path / "metrics.jsonl").write_text('{"round": 0}\n')
    (tmp_path / "odd.jsonl").mkdir()
    return tmp_path


def names(folder: Path, paths: list[Path]) -> list[str]:
    """Return paths as they stand in the folder."""
    return [path.relative_to(folder).as_posix() for path in paths]


def test_a_folder_stands_for_all_traces_within(folder: Path) -> None:
    """In order of path; neither timings, metrics nor a folder of that name are traces."""
    assert names(folder, trace_files([folder])) == ["a.jsonl.zst", "b.jsonl", "deep/c.jsonl", "deep/down/d.jsonl"]
    assert names(folder, traces_within(folder, deep=False)) == ["a.jsonl.zst", "b.jsonl"]


def test_files_stand_for_themselves_in_the_order_given(folder: Path) -> None:
    """Whether they are there is for whoever reads them to say."""
    given = [folder / "z.jsonl", folder / "deep", folder / "b.jsonl"]

    assert names(folder, trace_files(given)) == ["z.jsonl", "deep/c.jsonl", "deep/down/d.jsonl", "b.jsonl"]


def test_a_folder_without_a_trace_is_refused(tmp_path: Path) -> None:
    """It would be audited as nothing; one that is not there holds none."""
    with pytest.raises(TracePathError, match="is a folder without a trace"):
        trace_files([tmp_path])
    assert traces_within(tmp_path / "nowhere") == []


def test_a_folder_that_cannot_be_looked_into_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may look anywhere, so the system's own refusal stands in for it."""
    scandir = os.scandir

    def closed(path: str) -> object:
        if str(path).endswith("down"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", closed)

    with pytest.raises(TracePathError, match="deep/down: permission denied"):
        traces_within(folder)
