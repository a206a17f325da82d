"""`hocket explore`: exit codes, what it prints, and that what it prints shows it again."""

import json
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]
PANTRY = ("explore", "pantry", "--seat", "0=random", "--processes", "1")


@pytest.fixture
def planted(kitchen: Path) -> None:
    """Agents and checks with a known fault, in the working folder."""
    shutil.copy(Path(__file__).parents[1] / "data/planted.py", kitchen)


def test_where_all_holds_the_exit_code_is_0(call: Call) -> None:
    """And the answer is one line, or one object."""
    shown = call(*PANTRY, "--seat", "1=random", "--runs", "12")
    told = call(*PANTRY, "--seat", "1=random", "--runs", "12", "--faults", "lossy", "--json")

    assert (shown.code, shown.err) == (0, "")
    assert shown.out == "12 runs of pantry under hostile: none breaks an invariant\n"
    assert (told.code, json.loads(told.out)) == (0, {"runs": 12, "findings": []})


@pytest.mark.usefixtures("planted")
def test_what_it_prints_shows_the_finding_again(call: Call) -> None:
    """One command, with one seed and the smallest schedule; and the moment, as a timeline."""
    found = call(*PANTRY, "--seat", "1=planted:PreviousMenu", "--runs", "25", "--steps", "40")
    again = next(line for line in found.out.splitlines() if "again: " in line).partition("again: ")[2]

    shown = call(*shlex.split(again)[1:])

    assert found.code == shown.code == 1
    problem = next(line for line in found.out.splitlines() if "was rejected for no fault" in line)
    assert problem in shown.out.splitlines()
    assert "0 of " in found.out
    assert "  tick  seat 0 random" in shown.out


@pytest.mark.usefixtures("planted")
def test_an_invariant_of_ones_own_is_asked(call: Call) -> None:
    """A function over a trace; those that come with hocket can be left out."""
    invariant = ("--invariant", "planted:all_is_done_in_five_ticks")

    holds = call(*PANTRY, "--seat", "1=random", "--runs", "5", "--faults", "ideal")
    broken = call(*PANTRY, "--seat", "1=random", "--runs", "5", "--faults", "ideal", *invariant, "--json")
    rest = call(*PANTRY, "--seat", "1=planted:PreviousMenu", "--runs", "25", "--without", "rejected_for_cause")

    assert holds.code == 0
    finding = json.loads(broken.out)["findings"][0]
    assert (broken.code, finding["invariant"]) == (1, "planted:all_is_done_in_five_ticks")
    assert finding["problem"].endswith("ticks")
    assert finding["faults"] == []
    assert rest.code == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--runs", "0"), "--runs is 0, but must be 1 to 10,000,000"),
        (("--seed", "-1"), "--seed is -1, but must be 0 or more, below 2^62"),
        (("--faults", "lousy"), "there is no fault profile 'lousy' (nearest: lossy)"),
        (("--without", "it_end"), "there is no invariant 'it_end' (nearest: it_ends)"),
        (("--fault", "drop:5:1:offer"), "seat 5 of drop:5:1:offer is not there: pantry has seats 0 to 1"),
        (("--fault", "drop:0:1:offer", "--faults", "lossy"), "but must be left out with --faults"),
        (("--invariant", "nowhere:check"), "MODULE:FUNCTION that imports from here (ModuleNotFoundError"),
        (("--seat", "1=llm:nowhere"), "model nowhere:"),
        (("--fallback", "llm"), "fallback is 'llm', but must be an agent that is no language model"),
        (("--processes", "0"), "--processes is 0, but must be 1 to 4096"),
    ],
)
def test_a_mistake_is_told_in_one_sentence(words: tuple[str, ...], sentence: str, call: Call) -> None:
    """Exit code 2, nothing on stdout, and no traceback."""
    outcome = call("explore", "pantry", *words)

    assert (outcome.code, outcome.out) == (2, "")
    assert sentence in outcome.err
    assert outcome.err.count("\n") == 1


AGENTS = """
import asyncio, os, sys, threading, time
from hocket.agents.idle import Idle

class Printing(Idle):
    def choose_many(self, offers):
        print("HELLO")
        return super().choose_many(offers)

class Hanging:
    async def choose(self, offer):
        await asyncio.sleep(1e6)

class Stopping:
    async def choose(self, offer):
        asyncio.get_running_loop().stop()
        await asyncio.sleep(1)

class Exiting:
    async def choose(self, offer):
        os._exit(3)

class Threading(Idle):
    def choose_many(self, offers):
        threading.Thread(target=time.sleep, args=(600,)).start()
        return super().choose_many(offers)

never = lambda trace: "never"

def leaves(trace):
    sys.exit(3)
"""


@pytest.fixture
def absurd(kitchen: Path) -> None:
    """Agents that do what no agent should."""
    (kitchen / "absurd.py").write_text(AGENTS, "utf-8")


@pytest.mark.usefixtures("absurd")
@pytest.mark.parametrize("processes", ["1", "2"])
def test_what_agents_print_is_not_in_the_object(processes: str, spawn: Call) -> None:
    """One JSON object and nothing else, from any process."""
    words = ("--runs", "12", "--steps", "6", "--processes", processes, "--json")

    told = spawn("explore", "pantry", "--seat", "0=absurd:Printing", "--faults", "ideal", *words)

    assert (told.code, json.loads(told.out)["runs"]) == (0, 12)
    assert "HELLO" in told.err


@pytest.mark.usefixtures("absurd")
def test_an_agent_that_stops_the_loop_is_a_finding(spawn: Call) -> None:
    """And no traceback."""
    words = ("--runs", "2", "--steps", "6", "--processes", "1", "--json")

    told = spawn("explore", "pantry", "--seat", "0=absurd:Stopping", "--faults", "ideal", *words)

    assert told.code == 1
    assert {"no_crash"} <= {each["invariant"] for each in json.loads(told.out)["findings"]}


@pytest.mark.usefixtures("absurd")
def test_an_agent_that_ends_a_process_is_told_in_one_sentence(spawn: Call) -> None:
    """The other process is not left behind."""
    words = ("--runs", "60", "--steps", "6", "--processes", "2")

    told = spawn("explore", "pantry", "--seat", "0=absurd:Exiting", "--faults", "ideal", *words)

    assert (told.code, told.out) == (2, "")
    assert told.err == (
        "hocket: a process that played episodes ended by itself: an agent or an invariant has made it exit\n"
    )


@pytest.mark.usefixtures("absurd")
def test_a_thread_that_an_agent_left_does_not_keep_the_command(spawn: Call) -> None:
    """It has said what it had to say."""
    told = spawn("explore", "pantry", "--seat", "0=absurd:Threading", "--runs", "1", "--steps", "4", "--processes", "1")

    assert told.code == 0


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc to see processes")
@pytest.mark.usefixtures("absurd")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_explore_can_be_ended_whatever_its_processes_are_at(
    number: signal.Signals, start: Callable[..., "subprocess.Popen[str]"]
) -> None:
    """By Ctrl-C, or from outside; and they end with it."""
    words = ("--runs", "200", "--steps", "6", "--processes", "2")
    process = start("explore", "pantry", "--seat", "0=absurd:Hanging", "--faults", "ideal", *words)
    children = _children(process.pid, 2)

    process.send_signal(number)
    process.wait(timeout=20)

    until = time.monotonic() + 20
    while any(Path(f"/proc/{child}").exists() for child in children) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(Path(f"/proc/{child}").exists() for child in children)


def _children(parent: int, count: int) -> list[int]:
    """Wait until a process has so many workers."""
    until = time.monotonic() + 40
    while time.monotonic() < until:
        found = Path(f"/proc/{parent}/task/{parent}/children").read_text("utf-8").split()
        workers = [int(each) for each in found if b"spawn_main" in Path(f"/proc/{each}/cmdline").read_bytes()]
        if len(workers) >= count:
            time.sleep(1.5)
            return workers
        time.sleep(0.1)
    raise AssertionError(f"{parent} has started no workers")


@pytest.mark.usefixtures("absurd")
def test_an_invariant_may_be_any_function(spawn: Call) -> None:
    """Also one that cannot be handed to another process but by its name."""
    words = ("--runs", "60", "--steps", "6", "--processes", "2", "--faults", "ideal", "--json")

    told = spawn("explore", "pantry", "--invariant", "absurd:never", *words)
    left = spawn("explore", "pantry", "--invariant", "absurd:leaves", *words)

    assert told.code == 1
    assert json.loads(told.out)["findings"][0]["problem"] == "never"
    assert (left.code, left.out, left.err.count("\n")) == (2, "", 1)
    assert "says of seed" in left.err
