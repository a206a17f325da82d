"""`hocket fork`: what would have come of it with other agents."""

from pathlib import Path

import msgspec
import pytest
from tests.commands.conftest import Call

from hocket.replays.decisions import decisions
from hocket.replays.trace import encode_trace, read_trace
from hocket.runtime.events import SeatChanged, Stepped


@pytest.fixture
def played(call: Call) -> Path:
    """An episode of two random cooks."""
    call("play", "pantry", "--seat", "0=random", "--seat", "1=random", "--steps", "60", "--trace", "ada.jsonl")
    return Path("ada.jsonl")


def _changes(path: str) -> list[SeatChanged]:
    return [event for event in read_trace(path).events if isinstance(event, SeatChanged)]


def test_an_episode_goes_on_with_another_agent(played: Path, call: Call) -> None:
    """From a decision of all or of one seat; the fork is a trace like any other."""
    outcome = call("fork", played, "--at", "9", "--seat", "1=idle", "--trace", "bo.jsonl.zst")
    own = call("fork", played, "--at", "1:3", "--seat", "1=idle")

    at = decisions(read_trace(played))[9]
    number = [each for each in decisions(read_trace(played)) if each.seat == 1][3].number
    lines = outcome.out.splitlines()
    assert (outcome.code, outcome.err, own.code) == (0, "", 0)
    assert lines[0].startswith(f"decision 9, tick {at.tick}, ")
    assert lines[0].endswith("; seat 1: idle")
    assert lines[-2:] == ["trace: bo.jsonl.zst", "run it again: hocket rerun bo.jsonl.zst"]
    assert own.out.splitlines()[-2] == f"trace: ada-fork-{number}.jsonl"
    assert _changes("bo.jsonl.zst") == [SeatChanged(at.tick, 1, "idle", "random", "fork")]
    assert read_trace("bo.jsonl.zst").header == read_trace(played).header
    assert call("rerun", "bo.jsonl.zst").code == call("rerun", f"ada-fork-{number}.jsonl").code == 0


def test_who_is_not_named_goes_on(played: Path, call: Call) -> None:
    """With the agent that held the seat at that time, so that only the seats that are named play otherwise."""
    call("fork", played, "--at", "4", "--seat", "1=idle", "--trace", "bo.jsonl")
    call("fork", "bo.jsonl", "--at", "20", "--seat", "0=random", "--trace", "cy.jsonl")

    was, now = read_trace("bo.jsonl"), read_trace("cy.jsonl")
    assert [event.reason for event in _changes("cy.jsonl")] == ["fork", "fork"]
    assert [each for each in now.events if each not in _changes("cy.jsonl")] == [
        each for each in was.events if each not in _changes("bo.jsonl")
    ]


def test_a_seat_that_the_fallback_holds_goes_back_to_its_agent(call: Call) -> None:
    """Which is cast by its name as well, so that a fork without other agents is the episode as it was."""
    Path("my_cooks.py").write_text(
        "from hocket.runtime.policy import Choice\n"
        "class Ada:\n"
        "    def choose_many(self, offers):\n"
        "        return [Choice(99 if offer.decision % 9 < 2 else 0) for offer in offers]\n",
        "utf-8",
    )
    words = ("--seat", "0=my_cooks:Ada", "--seat", "1=idle", "--steps", "40", "--contract", "0=misses:2,back:6")
    call("play", "pantry", *words, "--trace", "ada.jsonl")
    was = read_trace("ada.jsonl")
    relieved = next(at for at in decisions(was) if at.tick > _changes("ada.jsonl")[0].tick)

    outcome = call("fork", "ada.jsonl", "--at", str(relieved.number), "--seat", "1=idle", "--trace", "bo.jsonl")

    assert outcome.code == 0
    assert [event.reason for event in _changes("ada.jsonl")][:2] == ["missed 2 offers in a row", "back"]
    assert [event for event in _changes("bo.jsonl") if event.reason != "fork"] == _changes("ada.jsonl")


def test_a_table_says_what_would_have_come_of_every_nth_decision(played: Path, call: Call) -> None:
    """One row each; no traces are written unless a folder is named."""
    before = sorted(Path().iterdir())
    text = call("fork", played, "--every", "10", "--seat", "1=idle")
    after = sorted(Path().iterdir())
    rows = msgspec.json.decode(call("fork", played, "--every", "10", "--seat", "1=idle", "--json").out)["rows"]
    call("fork", played, "--every", "10", "--seat", "1=idle", "--trace", "forks")

    every = decisions(read_trace(played))[::10]
    assert (text.code, text.err) == (0, "")
    assert text.out.splitlines()[0] == "seat 1: idle, from each of these decisions on"
    assert [line.split()[:3] for line in text.out.splitlines()[3:]] == [
        [str(each.tick), str(each.number), str(each.seat)] for each in every
    ]
    assert before == after
    assert [row["decision"] for row in rows] == [each.number for each in every]
    assert all(row["difference"] == row["fork"] - row["recorded"] for row in rows)
    assert sorted(path.name for path in Path("forks").iterdir()) == sorted(
        f"ada-fork-{each.number}.jsonl" for each in every
    )
    for row in rows:
        forked = read_trace(f"forks/ada-fork-{row['decision']}.jsonl")
        assert sum(forked.events[-1].returns) == row["fork"]  # type: ignore[union-attr]


def test_a_fork_as_json_is_one_object(played: Path, call: Call) -> None:
    """The same numbers."""
    outcome = call("fork", played, "--at", "0", "--seat", "0=random", "--json")

    found = msgspec.json.decode(outcome.out)
    assert found == {
        "agrees": True,
        "decision": 0,
        "seat": 0,
        "tick": 0,
        "so_far": 0.0,
        "recorded": found["recorded"],
        "fork": found["recorded"],
        "difference": 0.0,
        "trace": "ada-fork-0.jsonl",
    }


@pytest.mark.parametrize("where", [("--at", "30"), ("--every", "10")])
def test_a_trace_that_does_not_agree_gives_exit_code_1(where: tuple[str, str], played: Path, call: Call) -> None:
    """With the sentence of a rerun, and no trace of a fork."""
    trace = read_trace(played)
    number = next(place for place, event in enumerate(trace.events) if isinstance(event, Stepped) and event.tick == 3)
    events = list(trace.events)
    events[number] = msgspec.structs.replace(events[number], rewards=(2.0, 0.0))
    played.write_bytes(encode_trace(trace.header, events))

    outcome = call("fork", played, *where, "--seat", "1=idle")
    told = msgspec.json.decode(call("fork", played, *where, "--seat", "1=idle", "--json").out)

    assert (outcome.code, outcome.out) == (1, call("rerun", played).out)
    assert (told["agrees"], told["difference"]["number"]) == (False, number + 1)
    assert [path.name for path in Path().iterdir()] == ["ada.jsonl"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--at", "999", "--seat", "1=idle"), "ada.jsonl has no decision 999: it has "),
        (("--at", "1:999", "--seat", "1=idle"), "ada.jsonl has no decision 1:999: seat 1 has "),
        (("--at", "now", "--seat", "1=idle"), "ada.jsonl has no decision now: it has "),
        (("--at", "2:0", "--seat", "1=idle"), "seat 2 is not there: pantry has seats 0 to 1"),
        (("--at", "0", "--seat", "2=idle"), "seat 2 is not there: pantry has seats 0 to 1"),
        (("--at", "0"), "--seat N=AGENT is missing: it says who takes over"),
        (("--seat", "1=idle"), "--at DECISION, or --every N is missing: it says where to fork"),
        (("--at", "0", "--every", "2", "--seat", "1=idle"), "--every is 2, but must be left out with --at"),
        (("--every", "0", "--seat", "1=idle"), "--every is 0, but must be 1 to 4096"),
        (("--at", "0", "--seat", "1=idel"), "there is no agent 'idel'"),
        (("--at", "0", "--seat", "1=idle", "--trace", "ada.jsonl"), "ada.jsonl: is the trace to be forked"),
        (("--at", "0", "--seat", "1=idle", "--trace", "x/y.jsonl"), "x/y.jsonl: the folder x is not there"),
        (("--every", "9", "--seat", "1=idle", "--trace", "x/y"), "x/y: no such file or directory"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(
    words: tuple[str, ...], sentence: str, played: Path, call: Call
) -> None:
    """And leaves the files as they were."""
    content = played.read_bytes()

    outcome = call("fork", played, *words)

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"hocket: {sentence}")
    assert outcome.err.count("\n") == 1
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == {"ada.jsonl": content}


def test_a_torn_trace_can_be_forked_as_far_as_it_goes(played: Path, call: Call) -> None:
    """Beyond that nobody knows; its return is not known either."""
    played.write_bytes(played.read_bytes()[:6000])
    trace = read_trace(played)
    last = len(decisions(trace)) - 1

    beyond = call("fork", played, "--at", last + 1, "--seat", "1=idle")
    within = call("fork", played, "--at", last, "--seat", "1=idle")
    table = call("fork", played, "--every", last, "--seat", "1=idle")

    cut = f"it was cut after event {len(trace.events)}"
    assert (beyond.code, within.code, table.code) == (2, 0, 0)
    assert (
        beyond.err
        == f"hocket: ada.jsonl has no decision {last + 1}: it has {last + 1}, 0 to {last}, or SEAT:NUMBER; {cut}\n"
    )
    assert call("rerun", f"ada-fork-{last}.jsonl").err == ""
    assert table.out.splitlines()[-1].split()[-1] == "-"


def test_an_agent_that_cannot_be_cast_again_has_to_be_named(played: Path, call: Call) -> None:
    """Its name in the trace does not say where it is."""
    call(
        "play", "pantry", "--seat", "0=replayed:ada.jsonl", "--seat", "1=random", "--steps", "60", "--trace", "bo.jsonl"
    )
    name = read_trace("bo.jsonl").header.seats[0]

    refused = call("fork", "bo.jsonl", "--at", "5", "--seat", "1=idle")
    named = call("fork", "bo.jsonl", "--at", "5", "--seat", "1=random", "--seat", "0=replayed:ada.jsonl")

    assert refused.code == 2
    assert refused.err == (
        f"hocket: agent {name!r}: its name does not say where it is; say who is to be asked by --seat 0=AGENT\n"
    )
    assert named.code == 0
    assert "+0\n" in named.out


def test_a_model_that_takes_over_is_named_in_the_header(played: Path, call: Call) -> None:
    """So that the fork can be asked again, and forked in its turn."""
    forked = call("fork", played, "--at", "10", "--seat", "1=llm", "--trace", "bo.jsonl")
    again = call("rerun", "bo.jsonl", "--with-model")
    twice = call("fork", "bo.jsonl", "--at", "15", "--seat", "0=idle", "--trace", "cy.jsonl")

    assert (forked.code, again.code, twice.code) == (0, 0, 0)
    assert list(read_trace("bo.jsonl").header.agents) == ["llm"]
    assert again.out.rstrip().endswith(" answers given again")
    assert call("rerun", "cy.jsonl", "--with-model").code == 0
