"""`hocket play`: the same trace again, or one sentence."""

import os
import signal
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.commands.growing import grow

from hocket.games import registry
from hocket.replays.rerun import rerun
from hocket.replays.trace import make_header, read_trace
from hocket.replays.writer import TraceWriter
from hocket.runtime.events import EpisodeEnded

Call = Callable[..., Any]
Start = Callable[..., "subprocess.Popen[str]"]

COOKS = ("--seat", "0=random", "--seat", "1=random")
LIVE = ("pantry", *COOKS, "--pace", "live", "--hz", "50", "--steps", "100000", "--trace", "ada.jsonl", "--quiet")


def test_the_same_arguments_give_the_same_bytes_in_any_process(spawn: Call, call: Call, kitchen: Path) -> None:
    """Whatever PYTHONHASHSEED is; and each trace agrees with its rerun."""
    words = ("play", "pantry", *COOKS, "--seed", "7", "--steps", "50", "--starts", "varied", "--trace")

    outcomes = [spawn(*words, f"{seed}.jsonl", PYTHONHASHSEED=seed).code for seed in ("1", "4242")]
    outcomes.append(call(*words, "here.jsonl").code)

    assert outcomes == [0, 0, 0]
    traces = {(kitchen / f"{name}.jsonl").read_bytes() for name in ("1", "4242", "here")}
    assert len(traces) == 1
    assert rerun(read_trace("here.jsonl")).agrees


@pytest.mark.slow
def test_an_episode_in_a_kitchen_has_the_same_bytes_in_any_process(spawn: Call, kitchen: Path) -> None:
    """Its options, paths and menus are built from dicts, none of which may be walked in the order of hashes."""
    words = ("play", "overcooked:coordination_ring", *COOKS, "--seed", "7", "--steps", "200", "--trace")

    outcomes = [spawn(*words, f"{seed}.jsonl", PYTHONHASHSEED=seed).code for seed in ("1", "4242")]

    assert outcomes == [0, 0]
    assert (kitchen / "1.jsonl").read_bytes() == (kitchen / "4242.jsonl").read_bytes()
    assert rerun(read_trace("1.jsonl")).agrees


def test_another_seed_is_another_episode(call: Call, kitchen: Path) -> None:
    """Else the test above would show nothing."""
    for seed in (1, 2):
        call("play", "pantry", *COOKS, "--seed", seed, "--trace", f"{seed}.jsonl")

    assert read_trace("1.jsonl").events != read_trace("2.jsonl").events


def test_what_is_printed_as_json_is_one_object(spawn: Call) -> None:
    """Standard output is for a program; nothing else is in it."""
    outcome = spawn("play", "pantry", *COOKS, "--steps", "9", "--trace", "ada.jsonl", "--json")

    found = msgspec.json.decode(outcome.out)
    assert (outcome.code, outcome.err) == (0, "")
    assert set(found) >= {"return", "returns", "steps", "decisions", "trace"}
    assert (found["steps"], found["trace"], len(found["returns"])) == (9, "ada.jsonl", 2)
    assert found["return"] == sum(found["returns"])


def test_a_name_that_is_no_text_is_printed_all_the_same(call: Call, kitchen: Path) -> None:
    """A file's name is bytes; the episode has been played when it is printed."""
    name = os.fsdecode(b"ad\xff.jsonl")

    outcomes = [call("play", "pantry", "--steps", "2", "--trace", name, *words) for words in ((), ("--json",))]

    assert [(outcome.code, outcome.err) for outcome in outcomes] == [(0, "")] * 2
    assert msgspec.json.decode(outcomes[1].out)["trace"] == r"ad\xff.jsonl"


def test_a_layout_whose_name_is_no_text_is_refused_in_one_sentence(call: Call, kitchen: Path) -> None:
    """A trace is text, and the layout's name would stand in its header."""
    name = os.fsdecode(b"ad\xff.layout")
    (kitchen / name).write_text('{"grid": ["XXPXX", "O1 2O", "XDXSX"]}')

    outcome = call("play", f"overcooked:./{name}", "--trace", "ada.jsonl")

    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert not (kitchen / "ada.jsonl").exists()


def test_the_report_says_how_to_run_it_again(call: Call, kitchen: Path) -> None:
    """Without a name, a trace goes to a folder of traces."""
    outcome = call("play", "pantry", *COOKS, "--seed", "3", "--steps", "5")

    assert outcome.code == 0
    assert outcome.out.endswith("trace: traces/pantry-3.jsonl\nrun it again: hocket rerun traces/pantry-3.jsonl\n")
    assert read_trace("traces/pantry-3.jsonl").ended


def test_a_seat_that_is_not_named_is_idle(call: Call) -> None:
    """One agent alone is a fair episode."""
    call("play", "pantry", "--seat", "1=random", "--steps", "5", "--trace", "ada.jsonl")

    assert read_trace("ada.jsonl").header.seats == ("idle", "random")


def test_a_layout_s_name_cannot_lead_out_of_the_folder_of_traces(call: Call, kitchen: Path) -> None:
    """It may come out of a file that somebody else wrote."""
    (kitchen / "evil.layout").write_text('{"name": "../../evil", "grid": ["XXPXX", "O1 2O", "XDXSX"]}')

    outcome = call("play", "overcooked:./evil.layout", "--steps", "2", "--quiet")

    assert outcome.code == 0, outcome.err
    assert [path.name for path in (kitchen / "traces").iterdir()] == ["overcooked-..-..-evil-0.jsonl"]


BAD = {
    "an unknown game": (["pantri"], "there is no game 'pantri' (nearest: pantry, pantry:roles)"),
    "an unknown layout": (
        ["overcooked:cramped_rom"],
        "there is no layout 'cramped_rom' (nearest: cramped_room, cramped_room_tomato, cramped_room_single)",
    ),
    "no layout": (["overcooked"], "game is 'overcooked', but must be overcooked:LAYOUT, e.g. overcooked:cramped_room"),
    "an unknown pantry": (["pantry:attic"], "there is no pantry 'attic' (known: roles)"),
    "a seat that is not there": (
        ["pantry", "--seat", "2=random"],
        "seat 2 is not there: pantry has seats 0 to 1",
    ),
    "a seat named twice": (
        ["pantry", "--seat", "0=idle", "--seat", "0=random"],
        "seat 0 is named twice: pantry has seats 0 to 1",
    ),
    "a seat without an agent": (["pantry", "--seat", "0="], "--seat is '0=', but must be N=AGENT, e.g. 0=random"),
    "a seat without a number": (["pantry", "--seat", "ada=idle"], "--seat is 'ada=idle', but must be N=AGENT"),
    "a negative seat": (["pantry", "--seat", "-1=idle"], "--seat is '-1=idle', but must be N=AGENT"),
    "a word for a seat": (["pantry", "--seat", "random"], "--seat is 'random', but must be N=AGENT"),
    "an unknown agent": (["pantry", "--seat", "0=rndom"], "there is no agent 'rndom' (nearest: random)"),
    "an unknown script": (
        ["pantry", "--seat", "0=scripted:cok"],
        "there is no scripted agent 'cok' (nearest: cook)",
    ),
    "a module that is not there": (
        ["pantry", "--seat", "0=nobody:Ada"],
        "agent 'nobody:Ada': module 'nobody' does not import: ModuleNotFoundError: No module named 'nobody'",
    ),
    "a module that raises": (
        ["pantry", "--seat", "0=burnt_module:Ada"],
        "agent 'burnt_module:Ada': module 'burnt_module' does not import: ZeroDivisionError",
    ),
    "a class that is not there": (["pantry", "--seat", "0=math:Ada"], "agent 'math:Ada': module 'math' has no class"),
    "a class that is no agent": (["pantry", "--seat", "0=collections:Counter"], "agent 'collections:Counter': Counter"),
    "a recording that is not there": (["pantry", "--seat", "0=replayed:no.jsonl"], "no.jsonl: no such file"),
    "a recording that is none": (["pantry", "--seat", "0=replayed:ragged.layout"], "ragged.layout: is not a trace"),
    "a ragged layout": (["overcooked:./ragged.layout"], "layout ragged: "),
    "an open layout": (["overcooked:./open.layout"], "layout open: "),
    "a layout without a pot": (["overcooked:./potless.layout"], "layout potless: "),
    "a layout that is not there": (["overcooked:./none.layout"], "layout none.layout: cannot be read"),
    "a layout that is no text": (["overcooked:./bytes.layout"], "layout bytes.layout: the file is not UTF-8 text"),
    "no steps": (["pantry", "--steps", "0"], "--steps is 0, but must be 1 to 1,000,000,000"),
    "negative steps": (["pantry", "--steps", "-5"], "--steps is -5, but must be 1 to 1,000,000,000"),
    "steps in words": (["pantry", "--steps", "many"], "Invalid value for '--steps'"),
    "no rate": (["pantry", "--pace", "live", "--hz", "0"], "hz is 0.0, but must be a finite number of ticks"),
    "an endless rate": (["pantry", "--pace", "live", "--hz", "inf"], "hz is inf, but must be a finite number"),
    "a rate that is no number": (["pantry", "--pace", "live", "--hz", "nan"], "hz is nan, but must be a finite number"),
    "a limit of nothing": (["pantry", "--limit", "0"], "limit is 0.0, but must be a number of seconds above 0"),
    "an unknown pace": (["pantry", "--pace", "slow"], "Invalid value for '--pace'"),
    "a rate in lockstep": (["pantry", "--hz", "8"], "--hz is 8.0, but must be left out in lockstep"),
    "a limit at live pace": (
        ["pantry", "--pace", "live", "--limit", "2"],
        "--limit is 2.0, but must be left out at live pace",
    ),
    "a partner for another game": (
        ["pantry", "--seat", "0=scripted:cook"],
        "agent 'scripted:cook': it plays overcooked, not pantry",
    ),
    "an unknown start": (["pantry", "--starts", "late"], "starts is 'late', but must be standard, varied, scattered"),
    "an unknown setting": (["pantry", "--set", "doors=2"], "there is no setting of pantry 'doors' (known: seats)"),
    "a setting without a value": (["pantry", "--set", "seats"], "--set is 'seats', but must be KEY=VALUE"),
    "a setting out of range": (["pantry", "--set", "seats=13"], "seats is 13, but must be 1 to 12"),
    "a nested setting": (["pantry", "--set", "seats=" + "[" * 3000], "seats is '[[["),
    "a negative seed": (["pantry", "--seed", "-1"], "seed is -1, but must be "),
    "an unknown library": (["pantry", "--library", "pots"], "there is no option library 'pots' (known: default)"),
    "an unknown option": (["pantry", "--sed", "1"], "No such option"),
    "no game": ([], "Missing argument 'GAME'."),
}


@pytest.mark.parametrize("case", BAD)
def test_a_mistake_gives_one_sentence_and_touches_nothing(case: str, call: Call, kitchen: Path) -> None:
    """Exit code 2, an empty standard output, no traceback, no file made, and an older trace as it was."""
    words, sentence = BAD[case]
    (kitchen / "ada.jsonl").write_text("an older trace")
    (kitchen / "burnt_module.py").write_text("1 / 0")
    (kitchen / "ragged.layout").write_text('{"grid": ["XXPXX", "O1 2", "XDXSX"]}')
    (kitchen / "open.layout").write_text('{"grid": ["XXPX ", "O1 2O", "XDXSX"]}')
    (kitchen / "potless.layout").write_text('{"grid": ["XXXXX", "O1 2O", "XDXSX"]}')
    (kitchen / "bytes.layout").write_bytes(b"\xff\xfe")
    before = sorted(kitchen.iterdir())

    outcome = call("play", *words, "--trace", "ada.jsonl")

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"hocket: {sentence}")
    assert outcome.err.count("\n") == 1
    assert [path for path in sorted(kitchen.iterdir()) if path.name != "__pycache__"] == before
    assert (kitchen / "ada.jsonl").read_text() == "an older trace"


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("nowhere/ada.jsonl", "nowhere/ada.jsonl: the folder nowhere is not there"),
        (".", ".: is a folder; name a file"),
        ("file/ada.jsonl", "file/ada.jsonl: cannot be written: not a directory"),
    ],
)
def test_a_trace_that_cannot_be_begun_gives_one_sentence(place: str, sentence: str, call: Call, kitchen: Path) -> None:
    """The episode is not played."""
    (kitchen / "file").write_text("in the way")

    outcome = call("play", "pantry", "--trace", place)

    assert (outcome.code, outcome.out, outcome.err) == (2, "", f"hocket: {sentence}\n")
    assert [path.name for path in kitchen.iterdir()] == ["file"]


def test_a_file_in_the_place_of_the_folder_of_traces_gives_one_sentence(call: Call, kitchen: Path) -> None:
    """It is not removed."""
    (kitchen / "traces").write_text("in the way")

    outcome = call("play", "pantry")

    assert (outcome.code, outcome.out, outcome.err) == (2, "", "hocket: traces: file exists\n")


def test_a_folder_that_may_not_be_written_gives_one_sentence(call: Call, kitchen: Path) -> None:
    """What stands in it stays as it was; to root, the kernel's own folder is shut."""
    shut = Path("/sys") if os.geteuid() == 0 else kitchen / "shut"
    shut.mkdir(0o500, exist_ok=True)

    outcome = call("play", "pantry", "--trace", f"{shut}/ada.jsonl")

    assert (outcome.code, outcome.err) == (2, f"hocket: {shut}/ada.jsonl: cannot be written: permission denied\n")


def test_a_trace_that_another_episode_writes_is_left_to_it(call: Call, kitchen: Path) -> None:
    """The second episode is refused in one sentence."""
    game = registry.make("pantry")
    header = make_header(game, registry.library(game), seed=0, starts="standard", steps=9, seats=("ada", "bo"))
    writer = TraceWriter("ada.jsonl", header)
    before = (kitchen / "ada.jsonl").read_bytes()

    outcome = call("play", "pantry", "--trace", "ada.jsonl")
    writer.close()

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "hocket: ada.jsonl: is being written by another episode\n"
    assert (kitchen / "ada.jsonl").read_bytes() == before


def test_two_processes_cannot_write_one_trace(start: Start, spawn: Call, kitchen: Path) -> None:
    """The first goes on undisturbed."""
    first = start("play", *LIVE)
    grow(kitchen / "ada.jsonl", 3000)

    second = spawn("play", "pantry", "--trace", "ada.jsonl")
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=20)

    assert (second.code, second.err) == (2, "hocket: ada.jsonl: is being written by another episode\n")
    assert first.returncode == 130
    assert rerun(read_trace("ada.jsonl")).agrees


@pytest.mark.parametrize("name", ["ada.jsonl", "ada.jsonl.zst"])
def test_an_interrupted_episode_leaves_a_whole_trace(name: str, start: Start, kitchen: Path) -> None:
    """Ctrl-C: exit code 130, and what was played up to there runs again."""
    process = start("play", *(name if word == "ada.jsonl" else word for word in LIVE))
    grow(kitchen / name, 1500)

    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)

    assert (process.returncode, out) == (130, "")
    assert err == f"hocket: interrupted; the trace up to here is {name}\n"
    trace = read_trace(name)
    assert isinstance(trace.events[-1], EpisodeEnded)
    assert (trace.events[-1].reason, trace.torn) == ("interrupted", False)
    assert rerun(trace).agrees


def test_a_killed_episode_leaves_what_was_played(start: Start, call: Call, kitchen: Path) -> None:
    """No cleaning up is needed: every tick was handed over when it was over."""
    process = start("play", *LIVE)
    grow(kitchen / "ada.jsonl", 6000)

    process.kill()
    process.communicate()

    trace = read_trace("ada.jsonl")
    assert len(trace.events) > 20
    assert not trace.ended
    outcome = call("rerun", "ada.jsonl")
    assert outcome.code == 0
    assert outcome.err.startswith("note: the trace ")
    assert [path.name for path in kitchen.iterdir()] == ["ada.jsonl"]
    assert call("play", "pantry", "--trace", "ada.jsonl").code == 0


@pytest.mark.parametrize("name", ["ada.jsonl", "ada.jsonl.zst"])
def test_a_disk_that_fills_up_ends_the_episode_in_one_sentence(name: str, command: Path, kitchen: Path) -> None:
    """What was written before is readable, and runs again; here no file may grow beyond 4 KiB."""
    words = ["bash", "-c", 'ulimit -f 4; exec "$0" "$@"', str(command), "play", "pantry", *COOKS]

    process = subprocess.run([*words, "--steps", "400", "--trace", name], capture_output=True, text=True, check=False)

    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr == f"hocket: {name}: cannot be written: file too large\n"
    trace = read_trace(name)
    assert trace.torn
    assert trace.events
    assert rerun(trace).agrees


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_device_that_is_full_is_no_place_for_a_trace(call: Call) -> None:
    """And it is still a device afterwards."""
    outcome = call("play", "pantry", "--trace", "/dev/full")

    assert outcome.err == "hocket: /dev/full: cannot be written: no space left on device\n"
    assert outcome.code == 2
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)
