"""Adapters that are kept: copies, held against the digest that they are named for."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hocket.agents.adapter import CONFIG, WEIGHTS, adapter_digest
from hocket.learners.cells.adapter_store import AdapterStore
from hocket.runtime.errors import FileError


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    """A folder of a run."""
    folder = tmp_path / "run" / "seat0@v3"
    folder.mkdir(parents=True)
    for name in (CONFIG, WEIGHTS, "style.json"):
        (folder / name).write_bytes(name.encode())
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_what_is_kept_is_no_link(adapter: Path, tmp_path: Path) -> None:
    """A file that is written over, as `cp` does it, is the same file: a link would change with it."""
    digest, before = adapter_digest(adapter), contents(adapter)
    kept = AdapterStore(tmp_path / "adapters").keep(adapter, digest)

    for path in adapter.iterdir():
        path.write_bytes(b"other")

    assert kept == tmp_path / "adapters" / digest / "seat0"
    assert contents(kept) == before
    assert [each.name for each in kept.parent.iterdir()] == ["seat0"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda kept: (kept / WEIGHTS).write_bytes(b"other"),
        lambda kept: (kept / WEIGHTS).unlink(),
        lambda kept: (kept / CONFIG).write_bytes(b"other"),
        lambda kept: (kept / "style.json").write_bytes(b"other"),
        lambda kept: (kept / "style.json").unlink(),
    ],
)
def test_what_is_another_by_now_is_copied_anew(adapter: Path, tmp_path: Path, damage: Callable[[Path], object]) -> None:
    """Its name says what it should be; nobody is played under the name of somebody else."""
    store, digest = AdapterStore(tmp_path / "adapters"), adapter_digest(adapter)
    damage(store.keep(adapter, digest))

    kept = store.keep(adapter, digest)

    assert contents(kept) == contents(adapter)
    assert adapter_digest(kept) == digest


def test_what_is_the_same_is_left(adapter: Path, tmp_path: Path) -> None:
    """Another process may be reading it."""
    store, digest = AdapterStore(tmp_path / "adapters"), adapter_digest(adapter)
    first = (store.keep(adapter, digest) / WEIGHTS).stat()

    again = (store.keep(adapter, digest) / WEIGHTS).stat()

    assert (again.st_ino, again.st_mtime_ns) == (first.st_ino, first.st_mtime_ns)


def test_what_is_not_of_its_digest_is_not_kept(adapter: Path, tmp_path: Path) -> None:
    """It was written over between reading and copying."""
    with pytest.raises(FileError, match="was changed while it was copied"):
        AdapterStore(tmp_path / "adapters").keep(adapter, "0011223344556677")

    assert list((tmp_path / "adapters" / "0011223344556677").iterdir()) == []
