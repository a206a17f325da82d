"""The front door as a process: streams, encodings, signals, help."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hocket import __version__

Call = Callable[..., Any]
COMMANDS = ("play", "rerun", "fork", "diff", "timeline", "games", "sglang")


@pytest.fixture
def shell(command: Path, call: Call) -> Callable[[str], "subprocess.CompletedProcess[str]"]:
    """Run a line of shell beside a trace that is longer than a pipe holds."""
    call("play", "pantry", "--seat", "0=random", "--seat", "1=random", "--steps", "3000", "--trace", "ada.jsonl")

    def run(line: str) -> "subprocess.CompletedProcess[str]":
        line = line.replace("hocket", f"'{command}'")
        return subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60, check=False)

    return run


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_in_80_columns(command: str, call: Call) -> None:
    """With an example that can be copied."""
    outcome = call(command, "--help")

    assert outcome.code == 0
    assert f"\n hocket {command}" in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= 80


def test_the_front_door_lists_its_commands(call: Call) -> None:
    """And says where to begin; without a word it does the same."""
    asked, silent = call("--help"), call()

    assert asked.out.split() == silent.out.split()
    assert (asked.code, silent.err) == (0, "")
    assert all(f" {command} " in asked.out for command in COMMANDS)
    assert "Begin with: hocket play" in asked.out
    assert max(map(len, asked.out.splitlines())) <= 80


def test_the_version_is_printed(call: Call) -> None:
    """The same as the package's."""
    assert call("--version").out == f"{__version__}\n"


@pytest.mark.parametrize("words", [("dance",), ("--dance",), ("rerun",), ("diff", "ada.jsonl"), ("timeline", "a", "b")])
def test_words_that_make_no_sense_give_one_sentence(words: tuple[str, ...], call: Call) -> None:
    """And exit code 2."""
    outcome = call(*words)

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("hocket: ")
    assert "Traceback" not in outcome.err


def test_a_mistake_in_a_process_of_its_own_leaves_no_traceback(spawn: Call, kitchen: Path) -> None:
    """The installed command does what the function does."""
    outcome = spawn("play", "pantri")

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "hocket: there is no game 'pantri' (nearest: pantry, pantry:roles)\n"
    assert list(kitchen.iterdir()) == []


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LANG": "de_DE.ISO-8859-1", "LC_ALL": "", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
    ],
    ids=["C", "ISO-8859-1"],
)
def test_another_locale_gives_no_traceback(environment: dict[str, str], spawn: Call, kitchen: Path) -> None:
    """Neither help nor a report, nor a name that the encoding has no letters for."""
    words = ("play", "pantry", "--seat", "0=random", "--steps", "9", "--trace", "köche→.jsonl")

    played, helped = spawn(*words, **environment), spawn("play", "--help", **environment)

    assert (played.code, played.err, helped.code, helped.err) == (0, "", 0, "")
    assert len(list(kitchen.iterdir())) == 1


def test_a_pipe_that_is_closed_gives_no_traceback(shell: Call) -> None:
    """`| head -1` is how a long timeline is looked at; the exit code is the one that a shell gives."""
    outcome = shell("hocket timeline ada.jsonl | head -1; exit ${PIPESTATUS[0]}")

    assert outcome.stdout == "pantry, seed 0, 3000 ticks\n"
    assert (outcome.stderr, outcome.returncode) == ("", 141)


def test_a_reader_that_is_gone_is_no_failed_check(shell: Call) -> None:
    """Rich alone would leave with exit code 1."""
    outcome = shell("hocket games | true; hocket play pantry --steps 2 | true; exit ${PIPESTATUS[0]}")

    assert outcome.stderr == ""
    assert outcome.returncode in (0, 141)


@pytest.mark.parametrize(
    ("line", "code", "sentence"),
    [
        ("hocket timeline ada.jsonl >&-", 0, ""),
        ("hocket rerun ada.jsonl 2>&- >/dev/null", 0, ""),
        ("hocket play pantry --trace bo.jsonl >&- && hocket rerun bo.jsonl >&-", 0, ""),
        ("hocket timeline ada.jsonl > /dev/full", 2, "hocket: no space left on device: standard output\n"),
        ("hocket games --json > /dev/full", 2, "hocket: no space left on device: standard output\n"),
    ],
)
def test_a_stream_that_takes_nothing_gives_no_traceback(line: str, code: int, sentence: str, shell: Call) -> None:
    """Closed, or on a disk that is full."""
    outcome = shell(line)

    assert (outcome.returncode, outcome.stderr) == (code, sentence)
