"""Two ways to run the front door: in this process, and as the installed command."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import msgspec
import pytest
import structlog

from hocket.cli import main


class Outcome(msgspec.Struct, frozen=True):
    """What a command left behind."""

    code: int
    out: str
    err: str


Call: TypeAlias = Callable[..., Outcome]


@pytest.fixture
def kitchen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    return tmp_path


@pytest.fixture
def call(kitchen: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    """Run a command in this process, in an empty folder."""

    def run(*words: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["hocket", *map(str, words)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main()
        printed = capsys.readouterr()
        return Outcome(int(str(left.value.code)), printed.out, printed.err)

    yield run
    structlog.reset_defaults()


@pytest.fixture(scope="session")
def command() -> Path:
    """The command as it is installed beside this Python."""
    return Path(sys.executable).with_name("hocket")


@pytest.fixture
def start(kitchen: Path, command: Path) -> Iterator[Callable[..., "subprocess.Popen[str]"]]:
    """Start the installed command in an empty folder; it does not outlive the test."""
    started: list[subprocess.Popen[str]] = []

    def run(*words: object, **environment: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [command, *map(str, words)],
            cwd=kitchen,
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def spawn(start: Callable[..., "subprocess.Popen[str]"]) -> Call:
    """Run the installed command to its end."""

    def run(*words: object, **environment: str) -> Outcome:
        process = start(*words, **environment)
        out, err = process.communicate(timeout=60)
        return Outcome(process.returncode, out, err)

    return run
