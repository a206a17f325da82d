"""`hocket play --pace simulated`: faults and contracts, or one sentence."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hocket.replays.rerun import rerun
from hocket.replays.trace import Terms, Trace, read_trace
from hocket.runtime.contract import Contract
from hocket.runtime.events import FaultInjected, OfferLapsed, OptionChosen, SeatChanged
from hocket.runtime.fault_profile import FaultProfile, Link

Call = Callable[..., Any]

COOKS = ("pantry", "--seat", "0=random", "--seat", "1=random", "--steps", "40", "--trace", "ada.jsonl", "--quiet")
SIMULATED = (*COOKS, "--pace", "simulated")


@pytest.fixture
def played(call: Call, kitchen: Path) -> Callable[..., Trace]:
    """Play two cooks at random; the trace that is left runs again."""

    def run(*words: str) -> Trace:
        outcome = call("play", *words)
        assert (outcome.code, outcome.err) == (0, "")
        trace = read_trace("ada.jsonl")
        assert rerun(trace).agrees
        return trace

    return run


def write(kitchen: Path, **profiles: str) -> None:
    """Write profiles, in one line each."""
    for name, text in profiles.items():
        (kitchen / f"{name}.toml").write_text(text.replace("; ", "\n"))


def test_virtual_time_without_faults_is_lockstep(played: Callable[..., Trace]) -> None:
    """The same events; the header says what was agreed."""
    lockstep, simulated, ideal = (
        played(*COOKS),
        played(*SIMULATED),
        played(*SIMULATED, "--faults", "ideal", "--contract", "deadline:3"),
    )

    assert lockstep.events == simulated.events == ideal.events
    assert lockstep.header.terms is msgspec.UNSET
    terms = simulated.header.terms
    assert isinstance(terms, Terms)
    assert (terms.pace, terms.fallback, terms.contracts) == ("simulated", "idle", (Contract(deadline=40),) * 2)


def test_a_fault_happens_where_it_is_given(played: Callable[..., Trace]) -> None:
    """At its message and at no other; the header holds it as it was given."""
    trace = played(*SIMULATED, "--fault", "drop:0:1:choice", "--fault", "delay:1:0:offer:3", "--contract", "deadline:5")

    [injected] = [event for event in trace.events if isinstance(event, FaultInjected)]
    assert (injected.seat, injected.fault, injected.message, injected.decision) == (0, "drop", "choice", 1)
    [lapsed] = [event for event in trace.events if isinstance(event, OfferLapsed) and event.reason == "timeout"]
    assert (lapsed.seat, lapsed.decision, lapsed.tick) == (0, 1, injected.tick + 5)
    first = next(event for event in trace.events if isinstance(event, OptionChosen) and event.seat == 1)
    assert first.tick == 3
    terms = trace.header.terms
    assert isinstance(terms, Terms)
    assert terms.incidents == ("drop:0:1:choice", "delay:1:0:offer:3")


def test_a_profile_of_ones_own_is_played_and_kept(played: Callable[..., Trace], kitchen: Path) -> None:
    """What stands in the file stands in the header, so that the trace says what was to go wrong."""
    write(kitchen, mine='[[link]]; seats = [1]; carries = ["offer"]; drop = 1.0')

    trace = played(*SIMULATED, "--faults", "mine.toml", "--contract", "deadline:2")

    terms = trace.header.terms
    assert isinstance(terms, Terms)
    assert terms.faults == FaultProfile(link=(Link(seats=(1,), carries=("offer",), drop=1.0),))
    assert {event.seat for event in trace.events if isinstance(event, OptionChosen)} == {0}
    assert {event.seat for event in trace.events if isinstance(event, FaultInjected)} == {1}


def test_contracts_hold_for_the_seats_that_they_are_given_for(played: Callable[..., Trace]) -> None:
    """Ada waits when she is late and loses her seat to a random cook, for ten ticks; bo has all the time there is."""
    words = ("--contract", "0=deadline:1,meanwhile:wait,misses:2,back:10", "--contract", "1=deadline:500")
    silent = ("--fault", "partition:0:0:9", "--fault", "drop:1:0:offer", "--fallback", "random")

    trace = played(*SIMULATED, *words, *silent)

    lapsed = [event for event in trace.events if isinstance(event, OfferLapsed) and event.reason == "timeout"]
    assert [(event.seat, event.instead) for event in lapsed] == [(0, "wait")] * 2
    changed = [(event.seat, event.holder, event.reason) for event in trace.events if isinstance(event, SeatChanged)]
    assert changed == [(0, "random", "missed 2 offers in a row"), (0, "random", "back")]


def test_contracts_hold_in_lockstep_too(played: Callable[..., Trace], kitchen: Path) -> None:
    """A cook that talks nonsense loses the seat, where the world waits for it."""
    (kitchen / "nonsense_cook.py").write_text(
        "class Cook:\n    def choose_many(self, offers):\n        return ['soup' for _ in offers]\n"
    )
    words = ("pantry", "--seat", "0=nonsense_cook:Cook", "--steps", "9", "--trace", "ada.jsonl", "--quiet")

    trace = played(*words, "--contract", "misses:3")

    [changed] = [event for event in trace.events if isinstance(event, SeatChanged)]
    assert (changed.tick, changed.seat, changed.reason) == (2, 0, "missed 3 offers in a row")


@pytest.mark.parametrize("faults", ["laggy", "lossy", "hostile"])
def test_every_profile_that_comes_along_can_be_played(faults: str, played: Callable[..., Trace]) -> None:
    """To the end of the episode, whatever goes wrong in it."""
    trace = played(*SIMULATED, "--faults", faults, "--contract", "deadline:6,misses:2,back:9", "--starts", "varied")

    assert trace.ended
    late = [event for event in trace.events if isinstance(event, OptionChosen | FaultInjected | OfferLapsed)]
    assert len(late) > 10


BAD = {
    "faults at another pace": (
        [*COOKS, "--faults", "hostile"],
        "--faults is 'hostile', but must be left out, or given with --pace simulated",
    ),
    "a fault at another pace": (
        [*COOKS, "--pace", "live", "--fault", "drop:0:1:offer"],
        "--fault is ['drop:0:1:offer'], but must be left out, or given with --pace simulated",
    ),
    "an unknown profile": (
        [*SIMULATED, "--faults", "lossi"],
        "there is no fault profile 'lossi' (nearest: lossy",
    ),
    "a profile that is not there": (
        [*SIMULATED, "--faults", "gone.toml"],
        "fault profile gone.toml: no such file or directory",
    ),
    "a profile that is a folder": (
        [*SIMULATED, "--faults", "folder.toml"],
        "fault profile folder.toml: is a directory",
    ),
    "a profile that is no TOML": ([*SIMULATED, "--faults", "prose.toml"], "fault profile prose.toml: is no TOML: "),
    "a misspelt key": (
        [*SIMULATED, "--faults", "key.toml"],
        "there is no key of link in key.toml 'dorp' (nearest: drop)",
    ),
    "a misspelt table": (
        [*SIMULATED, "--faults", "table.toml"],
        "there is no key of the profile in table.toml 'partitions' (nearest: partition)",
    ),
    "a misspelt bound": (
        [*SIMULATED, "--faults", "bound.toml"],
        "there is no key of a latency in bound.toml 'mots' (nearest: most)",
    ),
    "more than certain": (
        [*SIMULATED, "--faults", "above.toml"],
        "fault profile above.toml: agent[0].late: expected `float` <= 1.0",
    ),
    "less than impossible": (
        [*SIMULATED, "--faults", "below.toml"],
        "fault profile below.toml: link[0].drop: expected `float` >= 0.0",
    ),
    "chances of more than one": (
        [*SIMULATED, "--faults", "sum.toml"],
        "fault profile sum.toml: agent[0]: the chances of its faults add up to 1.4, which is more than 1",
    ),
    "a partition of a seat that is not there": (
        [*SIMULATED, "--faults", "seat.toml"],
        "a seat of the fault profile is 5, but must be 0 to 1, the seats of the game",
    ),
    "delays of a trace that is not there": (
        [*SIMULATED, "--faults", "delays.toml"],
        "gone.jsonl: no such file or directory",
    ),
    "a fault without a message": ([*SIMULATED, "--fault", "drop:0:1"], "fault is 'drop:0:1', but must be KIND:SEAT:"),
    "a fault of no kind": ([*SIMULATED, "--fault", "fire:0:1"], "fault is 'fire:0:1', but must be KIND:SEAT:"),
    "a fault without ticks": ([*SIMULATED, "--fault", "late:0:1"], "fault is 'late:0:1', but must be KIND:SEAT:"),
    "an empty fault": ([*SIMULATED, "--fault", ""], "fault is '', but must be KIND:SEAT:"),
    "a fault of a seat that is not there": (
        [*SIMULATED, "--fault", "never:2:1"],
        "seat 2 of never:2:1 is not there: pantry has seats 0 to 1",
    ),
    "a profile and a fault": (
        [*SIMULATED, "--faults", "lossy", "--fault", "never:0:1"],
        "--fault is ['never:0:1'], but must be left out with --faults: one or the other",
    ),
    "terms that are none": (
        [*SIMULATED, "--contract", "dedline:5"],
        "contract is 'dedline:5', but must be e.g. deadline:20,meanwhile:wait,misses:3,back:50",
    ),
    "a negative deadline": ([*SIMULATED, "--contract", "deadline:-1"], "contract is 'deadline:-1', but must be e.g."),
    "no miss at all": ([*SIMULATED, "--contract", "misses:0"], "contract is 'misses:0', but must be e.g."),
    "no terms": ([*SIMULATED, "--contract", "0="], "contract is '', but must be e.g."),
    "terms of nobody": (
        [*SIMULATED, "--contract", "ada=deadline:5"],
        "--contract is 'ada=deadline:5', but must be TERMS for every seat or N=TERMS for one",
    ),
    "terms of a seat that is not there": (
        [*SIMULATED, "--contract", "2=deadline:5"],
        "seat 2 is not there: pantry has seats 0 to 1",
    ),
    "terms given twice": (
        [*SIMULATED, "--contract", "0=deadline:5", "--contract", "0=misses:1"],
        "seat 0 is named twice: pantry has seats 0 to 1",
    ),
    "a rate in virtual time": ([*SIMULATED, "--hz", "8"], "--hz is 8.0, but must be left out in virtual time"),
    "a limit of nothing": ([*SIMULATED, "--limit", "0"], "limit is 0.0, but must be a number of seconds above 0"),
    "an unknown fallback": ([*SIMULATED, "--fallback", "idel"], "there is no agent 'idel' (nearest: idle)"),
    "a model for a fallback": (
        [*SIMULATED, "--fallback", "llm"],
        "fallback is 'llm', but must be an agent that is no language model",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_mistake_gives_one_sentence_and_touches_nothing(case: str, call: Call, kitchen: Path) -> None:
    """Before anything is played; exit code 2."""
    words, said = BAD[case]
    (kitchen / "folder.toml").mkdir()
    write(
        kitchen,
        prose="All went well.",
        key="[[link]]; dorp = 0.1",
        table="[[partitions]]; ticks = 3",
        bound='[[link]]; latency = { kind = "uniform", least = 1, mots = 3 }',
        above="[[agent]]; late = 1.01",
        below="[[link]]; drop = -0.01",
        sum="[[agent]]; late = 0.7; never = 0.7",
        seat="[[partition]]; seats = [5]; ticks = 3",
        delays='[[agent]]; latency = { kind = "recorded", trace = "gone.jsonl" }',
    )

    outcome = call("play", *words)

    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"hocket: {said}")
    assert outcome.err.count("\n") == 1
    assert not (kitchen / "ada.jsonl").exists()


def test_what_an_agent_plays_from_is_not_recorded_over(call: Call) -> None:
    """Also under another name of the same file."""
    call("play", "pantry", "--seat", "0=random", "--steps", "5", "--trace", "ada.jsonl")
    before = Path("ada.jsonl").read_bytes()
    Path("bo.jsonl").hardlink_to("ada.jsonl")

    over = call("play", "pantry", "--seat", "0=replayed:ada.jsonl", "--steps", "5", "--trace", "bo.jsonl")

    assert (over.code, over.out) == (2, "")
    assert over.err == "hocket: bo.jsonl: is what replayed:ada.jsonl plays from; record to another file\n"
    assert Path("ada.jsonl").read_bytes() == before
