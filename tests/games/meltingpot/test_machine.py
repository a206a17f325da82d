"""What is said where the packages are missing: how to get them, or why not."""

import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec

import pytest

from hocket.games.meltingpot.machine import Machine, needed, this_machine
from hocket.runtime.errors import MissingExtraError, SubstratesError

FITTING = (
    Machine("Linux", ("glibc", "2.35")),
    Machine("Linux", ("glibc", "3.0")),
    Machine("Darwin", macos="15.0"),
    Machine("Darwin", macos="26.1.2"),
)
UNFIT = {
    Machine("Linux", ("glibc", "2.31")): "dmlab2d's wheels need glibc 2.35 or newer; this machine has 2.31",
    Machine("Linux", ("glibc", "2.4")): "dmlab2d's wheels need glibc 2.35 or newer; this machine has 2.4",
    Machine("Linux"): "dmlab2d's wheels need glibc 2.35 or newer; this machine has another C library",
    Machine("Darwin", macos="14.7.1"): "dmlab2d's wheels need macOS 15 or newer; this machine has 14.7.1",
    Machine("Windows"): "dmlab2d has no wheels for Windows",
}


def without(*missing: str) -> Callable[[str], object | None]:
    """Find every package but some."""
    return lambda name: None if name in missing else name


@pytest.mark.parametrize("machine", [*FITTING, *UNFIT])
def test_nothing_is_said_where_all_of_it_is_installed(machine: Machine) -> None:
    """Wherever it came from: dmlab2d can be built from source."""
    needed(machine, without())


@pytest.mark.parametrize("package", ["dmlab2d", "dm_env", "tree", "ml_collections", "immutabledict", "absl", "PIL"])
@pytest.mark.parametrize("machine", FITTING)
def test_a_missing_package_names_the_extra(machine: Machine, package: str) -> None:
    """Whichever of them it is."""
    with pytest.raises(MissingExtraError) as told:
        needed(machine, without(package))

    assert str(told.value) == "Melting Pot needs the extra 'meltingpot': pip install 'hocket[meltingpot]'"


@pytest.mark.parametrize(("machine", "why"), UNFIT.items())
def test_a_machine_that_cannot_have_it_is_told_why(machine: Machine, why: str) -> None:
    """In place of a command that would fail; but only where dmlab2d is what is missing."""
    with pytest.raises(SubstratesError) as told:
        needed(machine, without("dmlab2d", "dm_env"))
    with pytest.raises(MissingExtraError):
        needed(machine, without("dm_env"))

    assert str(told.value) == f"the Melting Pot substrates cannot be played on this machine: {why}"


def test_this_machine_knows_what_it_is() -> None:
    """The facts are there that the check reads."""
    machine = this_machine()

    assert machine.system
    assert (machine.macos != "") == (machine.system == "Darwin")
    assert (machine.libc[0] == "glibc") <= (machine.system == "Linux")


@pytest.mark.skipif(find_spec("dmlab2d") is None, reason="needs the extra meltingpot")
def test_looking_for_the_packages_loads_none_of_them() -> None:
    """The game runs in a process of its own; the one that asks stays small, and safe from what aborts there."""
    code = """
import sys
from hocket.games.meltingpot.machine import needed
needed()
print(sorted({"dmlab2d", "dm_env", "tree", "ml_collections", "absl"} & set(sys.modules)))
"""

    done = subprocess.run([sys.executable, "-P", "-c", code], check=True, capture_output=True, text=True)

    assert done.stdout == "[]\n"
