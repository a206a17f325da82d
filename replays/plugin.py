"""The pytest plugin: episodes played, kept as snapshots, and run again by the folder.

    episode          plays one episode of given agents, and returns its trace
    trace_snapshot   a trace must be of the same episode as the one that was kept
    trace            a recorded trace of a marked folder, run again and found to agree

Every pytest of an environment with hocket loads this, so it imports nothing of hocket
or syrupy before a test asks for it.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:  # what is imported where it is used
    from syrupy.assertion import SnapshotAssertion

    from hocket.replays.episodes import Episodes
    from hocket.replays.trace import Trace

_MARKER = "traces(folder, mode='keyed'): one test a trace of that folder (from the rootdir), which is run again first"


class _Case(NamedTuple):
    path: Path
    mode: dict[str, Any]
    """What the marker says beside the folder."""


@pytest.fixture
def episode() -> "Episodes":
    """Play one episode: `episode("pantry", [Ada(), Bo()], seed=3)`, or `await episode.play(...)`."""
    from hocket.replays.episodes import Episodes

    return Episodes()


@pytest.fixture
def trace_snapshot(request: pytest.FixtureRequest) -> "SnapshotAssertion":
    """Keep a trace: `assert trace == trace_snapshot`; `--snapshot-update` writes it."""
    if not request.config.pluginmanager.hasplugin("syrupy"):
        from hocket.runtime.errors import MissingExtraError

        pytest.fail(str(MissingExtraError(extra="test", needed_for="the fixture trace_snapshot")), pytrace=False)
    from hocket.replays.snapshot import TraceSnapshotExtension

    request.getfixturevalue("_reserved_trace_snapshots")
    snapshot: SnapshotAssertion = request.getfixturevalue("snapshot")
    return snapshot.use_extension(TraceSnapshotExtension)


@pytest.fixture(scope="session")
def _reserved_trace_snapshots(request: pytest.FixtureRequest) -> None:
    """Give every test its file, once a session: to look through all tests for each of them would take its time."""
    from hocket.replays.snapshot import TraceSnapshotExtension

    users = (item for item in request.session.items if "trace_snapshot" in getattr(item, "fixturenames", ()))
    TraceSnapshotExtension.reserve(request.session, users)


@pytest.fixture
def trace(request: pytest.FixtureRequest) -> "Trace":
    """A recorded trace of the folder that the marker `traces` names; it has been run again, and agrees."""
    case = getattr(request, "param", None)
    if not isinstance(case, _Case):
        pytest.fail("the fixture trace goes with a marker: @pytest.mark.traces(FOLDER)", pytrace=False)
    found = _checked(Path(os.path.relpath(case.path)), case.mode)
    if isinstance(found, str):  # outside any handler, or pytest would tell it twice
        pytest.fail(found, pytrace=False)
    return found


def _checked(path: Path, mode: dict[str, Any]) -> "Trace | str":
    """Read a trace and run it again; return it, or what is wrong with it."""
    from hocket.replays.rerun import rerun
    from hocket.replays.trace import read_trace
    from hocket.runtime.errors import HocketError

    try:
        recorded = read_trace(path)
        verdict = rerun(recorded, **mode)
    except HocketError as error:
        return str(error)
    if recorded.torn:
        return f"{path} is torn: it was cut after event {len(recorded.events)}"
    if verdict.difference is not None:
        told = verdict.difference.sentence("in the trace", "in the rerun")
        return "; ".join((f"{path} does not agree: {told}", *verdict.notes))
    return recorded


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", _MARKER)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let syrupy's own marker, if it has one, which selects tests with snapshots, find those of traces too."""
    if any(line.startswith("syrupy_snapshot:") for line in config.getini("markers")):
        for item in items:
            if "trace_snapshot" in getattr(item, "fixturenames", ()):
                item.add_marker("syrupy_snapshot")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test of each trace in the folders that its markers name."""
    cases = [
        case
        for marker in metafunc.definition.iter_markers("traces")
        for case in _cases(marker, metafunc.config.rootpath, metafunc.definition.nodeid)
    ]
    if cases and "trace" not in metafunc.fixturenames:
        raise pytest.Collector.CollectError(f"{metafunc.definition.nodeid} is marked with traces, but takes no `trace`")
    if cases:
        metafunc.parametrize("trace", cases, indirect=True, ids=[case.path.name for case in cases])


def _cases(marker: pytest.Mark, root: Path, test: str) -> Iterator[_Case]:
    try:
        folder, mode = _told(*marker.args, **marker.kwargs)
    except TypeError:
        raise pytest.Collector.CollectError(f"{test}: its marker traces takes a folder, and perhaps a mode") from None
    if not isinstance(folder, str | Path):
        raise pytest.Collector.CollectError(f"{test}: the folder of its traces is {folder!r}, which is no path")
    if mode not in (None, "keyed", "positional"):
        raise pytest.Collector.CollectError(f"{test}: the mode of its traces is {mode!r}, not keyed or positional")
    paths = _traces(root / folder)
    if not paths:
        problem = "holds no trace, neither *.jsonl nor *.jsonl.zst" if (root / folder).is_dir() else "is no folder"
        raise pytest.Collector.CollectError(f"{test}: {folder} {problem}")
    yield from (_Case(path, {} if mode is None else {"mode": mode}) for path in paths)


def _told(folder: str | Path, *, mode: str | None = None) -> tuple[str | Path, str | None]:
    """Read the marker as a call, with the errors of one."""
    return folder, mode


def _traces(folder: Path) -> list[Path]:
    """The traces of a folder by name, without the side files that hold their timing."""
    found = [*folder.glob("*.jsonl"), *folder.glob("*.jsonl.zst")]
    return sorted(path for path in found if not path.name.endswith(".timing.jsonl"))
