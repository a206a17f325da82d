"""Whether this machine can play Melting Pot, and if not, why."""

import platform
from collections.abc import Callable
from importlib.util import find_spec

import msgspec

from hocket.runtime.errors import MissingExtraError, SubstratesError

_PACKAGES = ("dmlab2d", "dm_env", "tree", "ml_collections", "immutabledict", "absl", "PIL")
_GLIBC, _MACOS = (2, 35), (15,)
"""The oldest that dmlab2d's wheels run on."""


class Machine(msgspec.Struct, frozen=True):
    """What decides whether dmlab2d's wheels can be installed here."""

    system: str
    """As Python names it: Linux, Darwin, Windows."""
    libc: tuple[str, str] = ("", "")
    """Name and version of the C library, as far as it is known."""
    macos: str = ""
    """Version; empty on another system."""


def this_machine() -> Machine:
    """Return the facts of the machine that this runs on."""
    return Machine(platform.system(), platform.libc_ver(), platform.mac_ver()[0])


def needed(machine: Machine | None = None, find: Callable[[str], object | None] = find_spec) -> None:
    """Check that the extra's packages are here, without importing them.

    Args:
        machine: other than this one.
        find: tells where a package is, None where it is nowhere.

    Raises:
        SubstratesError: dmlab2d is missing, and has no wheel for this machine.
        MissingExtraError: a package is missing that can be installed.
    """
    missing = [name for name in _PACKAGES if find(name) is None]
    obstacle = _obstacle(machine or this_machine()) if "dmlab2d" in missing else None
    if obstacle is not None:
        raise SubstratesError(problem=f"cannot be played on this machine: {obstacle}")
    if missing:
        raise MissingExtraError(extra="meltingpot", needed_for="Melting Pot")


def _obstacle(machine: Machine) -> str | None:
    """Say why dmlab2d cannot be installed; None where it can."""
    match machine:
        case Machine(system="Linux", libc=("glibc", version)):
            fits, least, had = _numbers(version) >= _GLIBC, "glibc 2.35", version
        case Machine(system="Linux"):
            fits, least, had = False, "glibc 2.35", "another C library"
        case Machine(system="Darwin", macos=version):
            fits, least, had = _numbers(version) >= _MACOS, "macOS 15", version
        case _:
            return f"dmlab2d has no wheels for {machine.system or 'its system'}"
    return None if fits else f"dmlab2d's wheels need {least} or newer; this machine has {had}"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdecimal())
