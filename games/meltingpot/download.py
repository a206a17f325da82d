"""The Melting Pot substrates, fetched with pip and unpacked into the user's cache.

Pip takes the source archive from whatever registry it is configured with, and takes no
other than the one whose SHA-256 stands here. Of it the substrates are unpacked and
nothing else: no tests, no bots, and not the package's own `__init__`, which imports
TensorFlow. The archive is not built, so its bots are never downloaded.

Everything happens in a temporary folder beside the place, which is renamed when it is
whole. Whoever holds the lock of the room is alone, so what else has such a name was left
behind by an install that was killed.
"""

import fcntl
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import structlog

from hocket.games.meltingpot.sources import MANIFEST, VERSION, Manifest, read_manifest, substrates_folder
from hocket.runtime.errors import SubstratesError

PACKAGE = "dm-meltingpot"
SDIST = "572e3512b089ced24e3e4fe17857d54029d5937d3d8c0c0b5e32229d02f609f7"
"""The SHA-256 of the source archive, as its registry publishes it."""
_FOLDERS = ("meltingpot/lua/", "meltingpot/configs/substrates/", "meltingpot/utils/substrates/")
_FILES = ("LICENSE", "meltingpot/configs/__init__.py", "meltingpot/utils/__init__.py")
_TEST = re.compile(r"_test\.(py|lua)$")
_SYSTEM = re.compile(r"Error: \[Errno -?\d+\] ([^:\n]+)")
_LACKING = re.compile(r"No matching distribution found for \S+")
_UNREACHABLE = ("connection broken by", "incomplete-download", "Connection to ", "Max retries exceeded")
_log = structlog.get_logger(__name__)


def install(python: str = sys.executable) -> bool:
    """Put the substrates where `substrates` looks for them.

    Args:
        python: the interpreter whose pip fetches them.

    Returns:
        Whether they were fetched; False where they were there already, and whole.

    Raises:
        SubstratesError: they cannot be fetched or written; what was there before is as it was.
    """
    folder = substrates_folder()
    if _whole(folder):
        return False
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _alone(folder.parent):
            if _whole(folder):
                return False
            _fill(folder, python)
    except OSError as error:
        problem = f"cannot be installed in {folder}: {(error.strerror or str(error)).lower()}"
        raise SubstratesError(problem=problem) from error
    return True


def _whole(folder: Path) -> bool:
    try:
        read_manifest(folder)
    except SubstratesError:
        return False
    return True


@contextmanager
def _alone(room: Path) -> Iterator[None]:
    """Wait until nobody else installs into a room; the lock of a process that was killed is free."""
    with (room / ".lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _fill(folder: Path, python: str) -> None:
    for left in folder.parent.glob(f".{VERSION}-*"):
        shutil.rmtree(left, ignore_errors=True)
    _log.info(f"{PACKAGE} {VERSION} is fetched into the cache, once; this takes a few seconds")
    scratch = Path(tempfile.mkdtemp(prefix=f".{VERSION}-", dir=folder.parent))
    try:
        _unpack(_fetch(scratch, python), scratch / "new")
        if os.path.lexists(folder):
            folder.rename(scratch / "old")
        (scratch / "new").rename(folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _fetch(scratch: Path, python: str) -> Path:
    """Let pip fetch the archive; what it keeps for a while lies in the scratch folder as well."""
    wanted, temporary = scratch / "requirements.txt", scratch / "tmp"
    wanted.write_text(f"{PACKAGE}=={VERSION} --hash=sha256:{SDIST}\n", "utf-8")
    temporary.mkdir()
    pip = [python, "-P", "-m", "pip", "--quiet", "--no-input", "--disable-pip-version-check", "download"]
    what = ["--no-deps", "--no-binary", PACKAGE, "--require-hashes", "--requirement", str(wanted)]
    command, environment = [*pip, *what, "--dest", str(scratch)], os.environ | {"TMPDIR": str(temporary)}
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode:
        raise SubstratesError(problem=f"cannot be fetched: {_reason(done.stderr.decode(errors='replace'))}")
    return scratch / f"{PACKAGE.replace('-', '_')}-{VERSION}.tar.gz"


def _reason(printed: str) -> str:
    """Make one clause of what pip prints when it fails."""
    if "No module named pip" in printed:
        return "this Python has no pip (python -m ensurepip)"
    if "DO NOT MATCH THE HASHES" in printed:
        return f"the registry has another archive as {PACKAGE} {VERSION} than the one that was published"
    if system := _SYSTEM.search(printed):
        return system[1].lower()
    if any(sign in printed for sign in _UNREACHABLE):
        return "the registry that pip is configured with does not answer"
    if lacking := _LACKING.search(printed):
        return f"the registry that pip is configured with lacks {lacking[0].rpartition(' ')[2]}"
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    return f"pip failed: {([line for line in lines if line.startswith('ERROR:')] or lines or ['it says nothing'])[-1]}"


def _unpack(archive: Path, folder: Path) -> None:
    files: dict[str, int] = {}
    with tarfile.open(archive) as tar:
        for member in tar:
            _, _, name = member.name.partition("/")
            source = tar.extractfile(member) if member.isreg() and _belongs(name) else None
            if source is None:
                continue
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            files[name] = place.write_bytes(source.read())
    manifest = Manifest(version=VERSION, sdist=SDIST, files=dict(sorted(files.items())))
    (folder / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest)))


def _belongs(name: str) -> bool:
    """Tell whether a file of the archive, by its path below its top folder, is one of the substrates'."""
    return name in _FILES or (name.startswith(_FOLDERS) and ".." not in name and not _TEST.search(name))
