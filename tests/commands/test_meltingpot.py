"""`hocket meltingpot`: substrates installed and found, and one sentence for each mistake."""

import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.commands.conftest import Call

needs_extra = pytest.mark.skipif(find_spec("dmlab2d") is None, reason="needs the extra meltingpot")


@pytest.fixture
def place(kitchen: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the substrates belong in a cache that holds nothing."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(kitchen / "cache"))
    return kitchen / "cache/hocket/meltingpot/2.4.1"


@pytest.mark.slow
@needs_extra
def test_substrates_are_installed_once_and_found(place: Path, call: Call) -> None:
    """From the registry that pip is configured with; the second time nothing is asked for."""
    first = call("meltingpot", "install")
    again = call("meltingpot", "install")
    told = call("meltingpot", "install", "--json")
    where = call("meltingpot", "where")

    size = f"{place}: Melting Pot 2.4.1, 133 files, 1.9 MB"
    assert (first.code, first.out) == (0, f"{size}\n")
    assert (again.code, again.out) == (0, f"{size}, there already\n")
    assert (where.code, where.out) == (0, f"{place}\n")
    assert json.loads(told.out) == {
        "folder": str(place),
        "version": "2.4.1",
        "files": 133,
        "bytes": sum(
            (place / name).stat().st_size for name in json.loads((place / "manifest.json").read_text())["files"]
        ),
        "fetched": False,
    }
    assert (place / "meltingpot/configs/substrates/clean_up.py").is_file()


def test_where_nothing_is_installed_the_command_that_does_it_is_named(place: Path, call: Call) -> None:
    """Nothing is printed that a script could take for a folder."""
    told = call("meltingpot", "where")

    assert (told.code, told.out) == (2, "")
    assert told.err == (
        "hocket: the Melting Pot substrates are not installed: "
        "`hocket meltingpot install` (needs the extra 'meltingpot')\n"
    )
    assert not place.exists()


def test_nothing_is_fetched_where_it_could_not_be_played(
    place: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The extra comes first, or why this machine cannot have it."""
    monkeypatch.setitem(sys.modules, "dmlab2d", None)

    told = call("meltingpot", "install")

    assert (told.code, told.out, told.err.count("\n")) == (2, "", 1)
    assert told.err.startswith(
        ("hocket: Melting Pot needs the extra 'meltingpot'", "hocket: the Melting Pot substrates ")
    )
    assert not place.parent.exists()


@needs_extra
def test_a_registry_without_the_package_is_one_sentence(place: Path, spawn: Call, kitchen: Path) -> None:
    """As an installed command, with its exit code; only the line that says what it is about stands before it."""
    settings = {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(kitchen)}

    told = spawn("meltingpot", "install", "--json", **settings)

    lines = told.err.splitlines()
    assert (told.code, told.out, len(lines)) == (2, "", 2)
    assert lines[-1] == (
        "hocket: the Melting Pot substrates cannot be fetched: "
        "the registry that pip is configured with lacks dm-meltingpot==2.4.1"
    )
    assert not place.exists()
