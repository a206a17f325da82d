"""Burn-in by several processes, or broken off: always the same bytes."""

import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from hocket.learners.burn_in import burn_in
from hocket.learners.burn_log import Log
from hocket.runtime.errors import LogError, SettingError

MAKE_LOG: TypeAlias = Callable[..., Log]


def contents(log: Log) -> dict[str, bytes]:
    """Every file of a log."""
    return {path.name: path.read_bytes() for path in sorted(log.path.iterdir())}


def test_the_log_is_the_same_for_any_number_of_jobs(burn: MAKE_LOG) -> None:
    """Four chunks, shared out as it comes."""
    logs = [burn(solo=350, team=350, steps=20, jobs=jobs) for jobs in (1, 2, 3)]

    assert len(contents(logs[0])) == 5
    assert contents(logs[0]) == contents(logs[1]) == contents(logs[2])


def test_a_log_that_was_broken_off_and_gone_on_with_is_the_same(burn: MAKE_LOG, tmp_path: Path) -> None:
    """By one process after the other, or by several."""
    whole = burn(solo=350, team=350, steps=20)

    def tire(episodes: int) -> None:
        raise KeyboardInterrupt

    for jobs in (1, 2):
        log = Log.begin(tmp_path / str(jobs), whole.manifest)
        with pytest.raises(KeyboardInterrupt):
            burn_in(log, progress=tire)
        assert log.missing() == [1, 2, 3]
        burn_in(log, jobs=jobs)
        assert contents(log) == contents(whole)


def test_several_jobs_that_are_broken_off_leave_whole_chunks(burn: MAKE_LOG, tmp_path: Path) -> None:
    """What was begun is written to its end, and nothing more is begun."""
    whole = burn(solo=1500, team=1500, steps=20)
    log = Log.begin(tmp_path, whole.manifest)

    def tire(episodes: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        burn_in(log, jobs=2, progress=tire)

    assert 1 <= len(log.missing()) <= 14
    assert contents(log).items() <= contents(whole).items()


SCRIPT = """
import sys
from hocket.games import registry
from hocket.learners.burn_in import burn_in, manifest
from hocket.learners.burn_log import Log
from hocket.learners.guards import synthesize
if __name__ == "__main__":
    name, folder, half, jobs = sys.argv[1:]
    game = registry.make(name)
    plan = manifest(game, registry.library(game), seed=5, solo=int(half), team=int(half), steps=60,
                    starts="varied", policy="uniform")
    log = Log.begin(folder, plan)
    burn_in(log, jobs=int(jobs))
    file = synthesize(log)
    with open("/proc/self/status") as status:
        peak = next(line.split()[1] for line in status if line.startswith("VmHWM"))
    print(file.log.digest, len(file.guards), peak)
"""


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., "subprocess.Popen[str]"]:
    """Burn in and synthesise in a process of its own."""
    (tmp_path / "script.py").write_text(SCRIPT)

    def run(name: str, folder: str, half: int, *, jobs: int = 1, hashes: str = "0") -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-P", str(tmp_path / "script.py"), name, str(tmp_path / folder), str(half), str(jobs)],
            env={"PYTHONHASHSEED": hashes, "PYTHONSAFEPATH": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    return run


def test_one_seed_gives_one_log_in_every_process(
    script: Callable[..., "subprocess.Popen[str]"], tmp_path: Path
) -> None:
    """Neither the process nor the order of its hashes leaves a mark."""
    for hashes in ("1", "4242"):
        assert not script("overcooked:forced_coordination", hashes, 20, hashes=hashes).communicate()[1]

    one, other = (contents(Log(tmp_path / hashes)) for hashes in ("1", "4242"))
    assert one == other


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
def test_memory_does_not_grow_with_the_number_of_episodes(script: Callable[..., "subprocess.Popen[str]"]) -> None:
    """Burn-in and synthesis hold a chunk at a time."""
    peaks = []
    for half in (200, 800):
        out, err = script("overcooked:asymmetric_advantages", str(half), half).communicate()
        assert not err
        peaks.append(int(out.split()[2]) / 1024)

    assert peaks[1] - peaks[0] < 10, f"{peaks} MB"


@pytest.mark.slow
def test_an_interrupt_from_the_terminal_ends_all_jobs_soon(
    script: Callable[..., "subprocess.Popen[str]"], tmp_path: Path
) -> None:
    """It reaches every process of the group; only the one that was started answers it."""
    process = script("pantry", "log", 100_000, jobs=2)
    while not list((tmp_path / "log").glob("chunk-*")):
        assert process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    before = time.monotonic()

    _, err = process.communicate()

    log = Log(tmp_path / "log")
    written = sorted(path.name for path in log.path.iterdir())
    assert time.monotonic() - before < 10
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert err.count("Traceback") == 1
    assert all(not name.startswith(".") for name in written)
    assert all(len(log.read(int(name[6:11]))["episode"]) for name in written if name.startswith("chunk"))


def test_two_burn_ins_on_one_folder_leave_one_log(
    script: Callable[..., "subprocess.Popen[str]"], tmp_path: Path
) -> None:
    """Each writes the same bytes under a name of its own and renames them."""
    pair = [script("pantry", "log", 400) for _ in range(2)]

    ends = [process.communicate() for process in pair]

    assert [process.returncode for process in pair] == [0, 0], ends
    assert ends[0][0].split()[0] == ends[1][0].split()[0]
    assert len(list((tmp_path / "log").iterdir())) == 5


def test_progress_counts_every_episode_once(burn: MAKE_LOG, tmp_path: Path) -> None:
    """Also those that were there, and with jobs as they come."""
    plan = burn(solo=250, team=250, steps=10).manifest
    told: list[int] = []

    log = Log.begin(tmp_path, plan)
    burn_in(log, jobs=2, progress=told.append)
    burn_in(log, jobs=2, progress=told.append)

    assert sorted(told) == [100, 100, 200, 200, 200, 200]


def test_no_jobs_are_refused(burn: MAKE_LOG) -> None:
    """Nobody would play."""
    with pytest.raises(SettingError, match="jobs is 0, but must be 1 or more"):
        burn(jobs=0)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_full_disk_ends_it_with_one_sentence(burn: MAKE_LOG, tmp_path: Path, jobs: int) -> None:
    """Whichever process meets it; what was written stays, and is gone on with."""
    whole = burn(solo=350, team=350, steps=20)
    log = Log.begin(tmp_path, whole.manifest)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(LogError, match=r"burn-in log .*: cannot be written: file too large") as caught:
            burn_in(log, jobs=jobs)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    left = [path.name for path in tmp_path.iterdir()]
    burn_in(log)
    assert caught.value.log == tmp_path
    assert left == ["manifest.json"]
    assert contents(log) == contents(whole)


def test_a_process_that_is_killed_is_said(burn: MAKE_LOG, tmp_path: Path) -> None:
    """As happens where memory runs out."""
    whole = burn(solo=1500, team=1500, steps=20)
    log = Log.begin(tmp_path, whole.manifest)

    def strike(episodes: int) -> None:
        for child in multiprocessing.active_children():
            child.kill()

    with pytest.raises(LogError, match="is not whole: a process that played was killed"):
        burn_in(log, jobs=2, progress=strike)
    burn_in(log)

    assert {name: raw for name, raw in contents(log).items() if name[0] != "."} == contents(whole)
