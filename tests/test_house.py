"""The rules of the house that no linter knows.

Every check names its offenders, so that a failure reads as a list of what to mend.
"""

import ast
import gzip
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("agents", "games", "learners", "replays", "runtime")
LONGEST_FILE = 300
LARGEST_FILE = 2 * 1024 * 1024
ABSOLUTE = re.compile(rb"""(?:^|[\s(\[{=,;:!|>])[bfru]{0,2}["'`]?(/[A-Za-z][\w.-]*/[\w.-]+)""", re.MULTILINE)
"""A path of two or more parts from the root."""
EVERYWHERE = re.compile(rb"/(dev|proc|sys)/|/usr/bin$|/bin/sh$")


@pytest.fixture(scope="module")
def files() -> list[Path]:
    """What is committed or about to be, links left out."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    paths = (ROOT / name for name in listed if name)
    return [path for path in paths if path.is_file() and not path.is_symlink()]


@pytest.fixture(scope="module")
def modules(files: list[Path]) -> dict[str, ast.Module]:
    """The Python files, parsed, by their path from the root."""
    return {_name(path): ast.parse(path.read_text("utf-8")) for path in files if path.suffix == ".py"}


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("room", ROOMS)
def test_each_room_is_linked_under_the_import_name(room: str) -> None:
    """Without the link, or with an absolute one, hocket.<room> is missing elsewhere than here."""
    assert (ROOT / "src/hocket" / room).readlink() == Path("../..", room)


def test_every_module_opens_with_one_short_line(modules: dict[str, ast.Module]) -> None:
    """The first line is read alone, in trees and pictures."""
    lines = {name: (ast.get_docstring(tree) or "").partition("\n")[0] for name, tree in modules.items()}

    long = [name for name, line in lines.items() if not line or len(line) > 100 or len(line.split()) > 16]
    assert not long, long


def test_a_long_file_says_why(modules: dict[str, ast.Module]) -> None:
    """A file that outgrew one noun is split; one that cannot be says so in its docstring ("long", "lines")."""
    silent = []
    for name, tree in modules.items():
        lines = (ROOT / name).read_text("utf-8").count("\n")
        explained = re.search(r"\b(long|lines)\b", ast.get_docstring(tree) or "")
        if lines > LONGEST_FILE and not explained and not name.startswith(("tests/", "benchmarks/")):
            silent.append(f"{name}: {lines} lines")

    assert not silent, silent


def test_imports_are_absolute(modules: dict[str, ast.Module]) -> None:
    """A relative import resolves differently through a link than beside it."""
    relative = [
        f"{name}:{node.lineno}"
        for name, tree in modules.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.level
    ]

    assert not relative, relative


def test_only_clock_and_pace_know_the_time_and_nobody_rolls_dice(modules: dict[str, ast.Module]) -> None:
    """One call of the wall clock or of the process's own dice, and one seed gives two episodes."""
    uses = [
        f"{name}:{line}"
        for name, tree in modules.items()
        if name.startswith(("runtime/", "games/")) and name not in ("runtime/clock.py", "runtime/pace.py")
        for line in _time_and_chance(tree)
    ]

    assert not uses, uses


def _time_and_chance(tree: ast.Module) -> Iterator[int]:
    """Lines that read the modules time or random, random.Random (a type for what is passed in) apart."""
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="time" | "random" as module), attr=attr):
                if module in imported and (module, attr) != ("random", "Random"):
                    yield node.lineno
            case ast.ImportFrom(module="time" | "random", names=names):
                if [alias.name for alias in names] != ["Random"]:
                    yield node.lineno
            case _:
                pass


def test_no_file_names_a_folder_of_one_machine(files: list[Path]) -> None:
    """What holds on one machine alone fails on every other; what every machine has may be named, /tmp in tests only."""
    named = [
        f"{_name(path)}: {found[0].decode()}"
        for path in files
        for found in ABSOLUTE.finditer(_content(path))
        if not (EVERYWHERE.match(found[1]) or (found[1].startswith(b"/tmp/") and _name(path).startswith("tests/")))
    ]
    assert not named, named


@pytest.mark.parametrize("place", ["/{}/ada", "cd /{}/ada", 'open("/{}/ada/x")', "b'/{}/a'", "HERE=/{}/ada", "(/{}/x)"])
def test_a_folder_is_found_wherever_it_is_named(place: str) -> None:
    """In code, in prose, in a script; a web address, a name with a slash and a folder from here are none."""
    for folder in ("home", "mnt", "Users", "data", "scratch.2"):
        found = ABSOLUTE.search(place.format(folder).encode())
        assert found
        assert not EVERYWHERE.match(found[1])
    for harmless in (
        "https://x.org/a/b",
        "games/pantry/rules.py",
        "./a/b",
        "~/a/b",
        "a / b / c",
        '"$here"/a/b',
        "/dev/x",
    ):
        assert all(EVERYWHERE.match(found[1]) for found in ABSOLUTE.finditer(harmless.encode()))


def _content(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def test_no_file_is_large(files: list[Path]) -> None:
    """A clone is quick, and what is large is made or installed."""
    large = [_name(path) for path in files if path.stat().st_size > LARGEST_FILE]
    assert not large, large
