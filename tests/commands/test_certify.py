"""`hocket certify`: a verdict on a team, for people and for CI."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

Call = Callable[..., Any]
SHORT = ("--episodes", "4", "--steps", "160", "--processes", "1")
AA, FC = "overcooked:asymmetric_advantages", "overcooked:forced_coordination"
COOKS = ("--seat", "0=scripted:cook", "--seat", "1=scripted:cook")
ONE = ("--seat", "0=scripted:cook", "--seat", "1=idle")


def test_a_machine_reads_one_object(call: Call) -> None:
    """With the verdict, every number that it rests on, and the lines."""
    outcome = call("certify", FC, *COOKS, *SHORT, "--json")

    found = msgspec.json.decode(outcome.out)
    assert (outcome.code, outcome.err) == (0, "")
    assert (found["verdict"], found["expected"]) == ("needs its partner", True)
    assert (found["starts"], found["seeds"]) == ("scattered", [10_000, 10_001, 10_002, 10_003])
    assert "in its own room" in found["why"]
    assert [part["alone"]["values"] for part in found["seats"]] == [[0.0] * 4] * 2
    assert found["seats"][0]["alone"]["estimate"]["low"] is None
    assert found["team"]["estimate"]["mean"] > found["seats"][0]["beside_random"]["estimate"]["mean"]
    assert found["seats"][0]["beside_scripted"]["values"] == found["team"]["values"]
    assert found["thresholds"]["idle"] == 0.2
    assert {check["holds"] for check in found["checks"] if check["what"] == "can do it alone"} == {False}
    assert 0 < found["seats"][1]["work_share"] < 1


def test_whether_it_holds_is_the_exit_code(call: Call) -> None:
    """One that works beside one that idles is no team, unless that is what was expected."""
    plain = call("certify", AA, *ONE, *SHORT)
    asked = call("certify", AA, *ONE, *SHORT, "--expect", "hindered", "--expect", "one works and one idles")

    assert (plain.code, asked.code) == (1, 0)
    assert "one works and one idles: the team earns" in plain.out
    assert "(it does not hold)" in plain.out
    assert "(it holds)" in asked.out


def test_people_read_a_table_and_a_sentence(call: Call) -> None:
    """Conditions by seats, with intervals; and which starts were used, and why."""
    outcome = call("certify", AA, *ONE, *SHORT)

    rows = {line[:28].strip(): line for line in outcome.out.splitlines()}
    assert "4 episodes of 160 ticks in each row, seeds 10000 to 10003" in outcome.out
    assert "starts: scattered: each seat begins anywhere in its own room" in outcome.out
    assert "seat 0, scripted:cook" in outcome.out
    assert "0 (no spread)" in rows["alone, the others idle"]
    assert {"the others random", "the others scripted:cook", "adds after half time"} < set(rows)
    assert rows["share of the work"].split()[-2:] == ["100%", "0%"]
    assert "hand-offs: 0;" in outcome.out


def test_the_lines_are_configuration(call: Call, kitchen: Path) -> None:
    """With an idle partner called able at nothing, and idle at nothing, the verdict is another."""
    (kitchen / "lines.toml").write_text('idle = 0\nable = 0\nexpect = ["works together", "hindered"]\n', "utf-8")

    outcome = call("certify", AA, *ONE, *SHORT, "--config", "lines.toml", "--json")

    found = msgspec.json.decode(outcome.out)
    assert (outcome.code, found["verdict"]) == (1, "independent workers")
    assert found["thresholds"] == {"idle": 0.0, "able": 0.0, "shared": 0.2, "expect": ["works together", "hindered"]}


def test_a_folder_keeps_everything_and_is_gone_on_with(call: Call, kitchen: Path) -> None:
    """The second run plays nothing, and says the same."""
    words = ("certify", "pantry", "--seat", "0=random", "--seat", "1=idle", *SHORT, "--out", "kept", "--json")

    first = call(*words)
    before = {path: path.stat().st_mtime_ns for path in Path("kept").rglob("*") if path.name != "certificate.json"}
    second = call(*words)

    assert (first.code, second.out) == (1, first.out)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert len(list(Path("kept/traces").iterdir())) == 4
    assert msgspec.json.decode(Path("kept/certificate.json").read_bytes()) == msgspec.json.decode(first.out)


def test_a_game_without_a_scripted_partner_says_so(call: Call) -> None:
    """And takes one that is named; three seats have three columns."""
    words = ("certify", "pantry", "--set", "seats=3", *(f"--seat={seat}=random" for seat in range(3)), *SHORT)

    without = call(*words)
    beside = call(*words, "--partner", "idle", "--json")

    found = msgspec.json.decode(beside.out)
    assert "no row with a scripted partner: no scripted partner comes with pantry" in without.out
    assert "seat 2, random" in without.out
    assert [part["beside_scripted"] == part["alone"] for part in found["seats"]] == [True] * 3


def test_of_many_seats_each_has_a_row(call: Call) -> None:
    """Seven columns of intervals could not be read."""
    outcome = call("certify", "pantry", "--set", "seats=4", *(f"--seat={seat}=idle" for seat in range(4)), *SHORT)

    begin = [line.split(",")[0] for line in outcome.out.splitlines() if line.startswith("seat")]
    assert begin == ["seat 0", "seat 1", "seat 2", "seat 3"]
    assert (outcome.code, "nothing earned: the team earns nothing in any of 4 episodes" in outcome.out) == (1, True)


TALKER = """
from hocket.runtime.policy import Choice

print("imported")

class Talker:
    def __init__(self):
        print("made")

    def choose_many(self, offers):
        print("asked")
        return [Choice(0) for offer in offers]
"""


def test_what_agents_print_is_no_part_of_the_object(call: Call, kitchen: Path) -> None:
    """At import, when they are made and when they are asked: it goes to stderr, as partners' does."""
    (kitchen / "talker_of_certify.py").write_text(TALKER, "utf-8")
    agent = "talker_of_certify:Talker"

    outcome = call("certify", "pantry", f"--seat=0={agent}", "--seat=1=idle", f"--partner={agent}", *SHORT, "--json")

    assert msgspec.json.decode(outcome.out)["seats"][0]["agent"] == agent
    assert {"imported", "made", "asked"} == set(outcome.err.split())


def test_only_people_are_people(call: Call, kitchen: Path) -> None:
    """A module may be called something that begins as they do."""
    (kitchen / "humanlike_of_certify.py").write_text(TALKER, "utf-8")

    outcome = call("certify", "pantry", "--seat=0=humanlike_of_certify:Talker", "--seat=1=idle", *SHORT, "--json")

    assert msgspec.json.decode(outcome.out)["seats"][0]["name"] == "humanlike_of_certify:Talker"


def test_nothing_of_a_table_is_cut(call: Call, kitchen: Path) -> None:
    """Where there is no terminal it is wide enough for three seats, and a word that is wider still goes on below."""
    named = {length: f"{'z' * length}:Talker" for length in (36, 240)}
    for agent in named.values():
        (kitchen / f"{agent.partition(':')[0]}.py").write_text(TALKER, "utf-8")

    outcomes = {
        length: call("certify", "pantry", "--set=seats=3", *(f"--seat={seat}={agent}" for seat in range(3)), *SHORT)
        for length, agent in named.items()
    }

    assert "  ".join(f"seat {seat}, {named[36]}" for seat in range(3)) in outcomes[36].out
    assert outcomes[240].out.count("z") == 3 * 240


def test_without_a_folder_nothing_is_left_behind(call: Call, kitchen: Path) -> None:
    """Traces and all."""
    call("certify", "pantry", "--seat", "0=random", "--seat", "1=idle", *SHORT)

    assert list(kitchen.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("pantry", "--seat", "0=idle"), "--seat 1=AGENT is missing: it says who holds the seat"),
        (("pantry", "--seat", "0=idle", "--seat", "0=idle"), "seat 0 is named twice"),
        (("pantry", "--seat", "2=idle"), "seat 2 is not there: pantry has seats 0 to 1"),
        (("pantry", "--seat", "0=idle", "--seat", "1=human:terminal"), "must be one that plays by itself"),
        (("pantry", "--seat", "0=idle", "--seat", "1=idle", "--partner", "human"), "must be one that plays by itself"),
        (("pantry", "--seat", "0=idle", "--seat", "1=idel"), "there is no agent 'idel' (nearest: idle"),
        (("pantry", "--seat", "0=idle", "--seat", "1=idle", "--partner", "idel"), "there is no agent 'idel'"),
        (("pantry", "--seat", "0=idle", "--seat", "1=idle", "--episodes", "1"), "of one there is no interval"),
        (("pantry", "--seat", "0=idle", "--seat", "1=idle", "--episodes", "0"), "--episodes is 0, but must be"),
        (("pantry", "--seat", "0=idle", "--seat", "1=idle", "--starts", "x"), "starts is 'x', but must be"),
        (
            ("pantry", "--seat", "0=idle", "--seat", "1=idle", "--expect", "x"),
            "there is no verdict 'x' (known: hindered",
        ),
        (("pantry", "--seat", "0=idle", "--seat", "1=idle", "--config", "no.toml"), "no.toml: no such file"),
        (("pantry", "--seat", "0=idle", "--seat", "1=idle", "--config", "."), ".: is a directory"),
        (("pantry", "--seat", "0=idle", "--seat", "1=idle", "--out", "/dev/null/x"), "/dev/null/x"),
        (("pantry", "--set", "seats=1", "--seat", "0=idle"), "must be one of two seats or more"),
        (("pantri", "--seat", "0=idle"), "there is no game 'pantri' (nearest: pantry"),
    ],
)
def test_a_mistake_is_one_sentence(call: Call, kitchen: Path, words: tuple[str, ...], said: str) -> None:
    """Exit code 2, and nothing is played."""
    outcome = call("certify", *words)

    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert said in outcome.err
    assert list(kitchen.iterdir()) == []
