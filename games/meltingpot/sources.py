"""Where the Melting Pot substrates lie, whether they are whole, and what they are known by.

The package dm-meltingpot asks for TensorFlow and downloads its bots when it is built; its
substrates are Lua, configurations and sprites, and need neither. So `hocket meltingpot
install` unpacks these alone into the user's cache, with a manifest of their sizes.
"""

from functools import cache
from hashlib import blake2b
from pathlib import Path

import msgspec

from hocket.runtime.cache_folder import cache_folder
from hocket.runtime.errors import SubstratesError

VERSION = "2.4.1"
"""The release of dm-meltingpot that is played."""
MANIFEST = "manifest.json"
_INSTALL = "`hocket meltingpot install`"
_CONFIGS = ("clean_up", "commons_harvest__open", "commons_harvest__closed", "commons_harvest__partnership")


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an installation holds when it is whole."""

    version: str
    sdist: str
    """The SHA-256 of the archive that it was unpacked from."""
    files: dict[str, int]
    """Sizes in bytes, by path from the folder, with slashes."""


def substrates() -> Path:
    """Return the folder that holds the package folder `meltingpot/`.

    Raises:
        SubstratesError: they are not installed, or not whole.
    """
    folder = substrates_folder()
    read_manifest(folder)
    return folder


def substrates_folder() -> Path:
    """Return where the substrates belong in the user's cache, installed or not.

    Raises:
        SubstratesError: this user has no home to keep them in.
    """
    room = cache_folder("meltingpot")
    if room is None:
        raise SubstratesError(problem="have no place: this user has no home to keep them in; set XDG_CACHE_HOME")
    return room.absolute() / VERSION


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of an installation and hold its files against it.

    Raises:
        SubstratesError: nothing is installed there, or a file is missing or has another size.
    """
    try:
        manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
    except (FileNotFoundError, NotADirectoryError):
        if not folder.exists():
            problem = f"are not installed: {_INSTALL} (needs the extra 'meltingpot')"
            raise SubstratesError(problem=problem) from None
        raise _torn(folder, f"{MANIFEST} is missing") from None
    except OSError as error:
        raise _torn(folder, f"{MANIFEST}: {(error.strerror or str(error)).lower()}") from error
    except msgspec.MsgspecError:
        raise _torn(folder, f"{MANIFEST} does not read") from None
    for name, size in manifest.files.items():
        try:
            found = (folder / name).stat().st_size
        except OSError as error:
            gone = isinstance(error, (FileNotFoundError, NotADirectoryError))
            raise _torn(folder, f"{name} is missing" if gone else f"{name}: {error.strerror}") from None
        if found != size:
            raise _torn(folder, f"{name} has {found} bytes in place of {size}")
    return manifest


def _torn(folder: Path, what: str) -> SubstratesError:
    return SubstratesError(problem=f"in {folder} are not whole ({what}): {_INSTALL} mends them")


@cache
def digest(folder: Path) -> str:
    """Say in 16 hex digits which substrates these are.

    Args:
        folder: what `substrates` returns; it is read once a process.

    Returns:
        The same digits wherever every file that decides how the substrates play is the same: the Lua, the
        configurations of Cleanup and Commons Harvest, and what those are built with.
    """
    package = folder / "meltingpot"
    lua, built = (package / "lua").rglob("*.lua"), (package / "utils" / "substrates").glob("*.py")
    configs = (package / "configs" / "substrates" / f"{name}.py" for name in _CONFIGS)
    state = blake2b(digest_size=8)
    for name, path in sorted((path.relative_to(folder).as_posix(), path) for path in (*lua, *configs, *built)):
        content = path.read_bytes()
        state.update(f"{name}\0{len(content)}\0".encode())
        state.update(content)
    return state.hexdigest()
