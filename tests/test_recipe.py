"""Simulated episodes: a pure function of the seed, and none that does not end."""

import json
import os
import subprocess
import sys
from itertools import combinations_with_replacement
from typing import Any

import msgspec
import pytest

from hocket.recipe import Recipe, Simulation
from hocket.replays.explore import explore
from hocket.replays.fault_file import profile_names, read_profile
from hocket.replays.trace import encode_trace
from hocket.runtime.contract import Contract
from hocket.runtime.events import FaultInjected, SeatChanged
from hocket.runtime.fault_profile import FaultProfile

TERMS = {seat: Contract(deadline=12, meanwhile="wait", misses=3, back=15) for seat in range(2)}
RANDOM = {0: "random", 1: "random"}
KINDS: dict[str, dict[str, Any]] = {
    "latency": {"link": [{"latency": {"kind": "log_normal", "median": 3, "sigma": 1.0, "most": 30}, "jitter": 3}]},
    "drop": {"link": [{"drop": 0.4}]},
    "duplicate": {"link": [{"duplicate": 0.5, "latency": {"kind": "uniform", "least": 0, "most": 4}}]},
    "reorder": {"link": [{"reorder": 0.5}]},
    "partition": {"partition": [{"every": 15, "ticks": 7, "spread": 5}]},
    "hold": {"hold": [{"every": 20, "ticks": 9, "spread": 5}]},
    "crash": {"crash": [{"every": 18, "ticks": 8, "spread": 5}]},
    **{
        spoil: {"agent": [{spoil: 0.5, "latency": {"kind": "uniform", "least": 0, "most": 3}}]}
        for spoil in ("late", "never", "twice", "malformed", "cut_off", "other_menu", "other_seat", "base", "stale")
    },
}
DIGESTS = """
import sys
from hashlib import blake2b
from hocket.recipe import Recipe, Simulation
from hocket.replays.fault_file import read_profile
from hocket.replays.trace import encode_trace

game, agent, seeds, steps = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
recipe = Recipe(game=game, seats={0: agent, 1: agent}, steps=steps, profile=read_profile("hostile"))
simulation = Simulation(recipe)
for seed in range(seeds):
    trace = simulation.play(seed)[0].trace
    print(blake2b(encode_trace(trace.header, trace.events), digest_size=16).hexdigest())
"""


def _digests(hash_seed: int, *what: object) -> list[str]:
    command = [sys.executable, "-c", DIGESTS, *map(str, what)]
    environment = os.environ | {"PYTHONHASHSEED": str(hash_seed)}
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.split()


def test_one_seed_gives_one_trace_in_any_process() -> None:
    """Promise 1, under everything that can go wrong at once; the benchmark does it for a thousand seeds."""
    pantry = [_digests(hash_seed, "pantry", "random", 25, 60) for hash_seed in (1, 2)]
    kitchen = [_digests(hash_seed, "overcooked:asymmetric_advantages", "scripted:cook", 2, 150) for hash_seed in (1, 2)]

    assert pantry[0] == pantry[1]
    assert kitchen[0] == kitchen[1]
    assert len(set(pantry[0])) == 25
    assert len(set(kitchen[0])) == 2


@pytest.mark.parametrize("kinds", list(combinations_with_replacement(KINDS, 2)), ids=" and ".join)
def test_no_two_kinds_of_faults_keep_an_episode_from_its_end(kinds: tuple[str, str]) -> None:
    """Nothing hangs: every episode ends within its ticks, and keeps what every episode keeps."""
    first, second = (KINDS[kind] for kind in kinds)
    both = {key: [*first.get(key, []), *second.get(key, [])] for key in first | second}
    if "agent" in first and "agent" in second:
        both["agent"] = [each | {"seats": [seat]} for seat, each in enumerate(both["agent"])]
    profile = msgspec.convert(both, FaultProfile)
    recipe = Recipe(game="pantry", seats=RANDOM, steps=50, profile=profile, contracts=TERMS)

    found = explore(lambda: Simulation(recipe), range(3))

    assert not found, found


@pytest.mark.parametrize("name", profile_names())
def test_a_list_of_what_happened_happens_again(name: str) -> None:
    """What a profile drew, given one by one, makes the same episode: that is what can be made smaller."""
    simulation = Simulation(Recipe(game="pantry", seats=RANDOM, profile=read_profile(name), contracts=TERMS))

    for seed in range(10):
        drawn, incidents = simulation.play(seed)
        listed, again = simulation.play(seed, incidents)
        assert listed.trace.events == drawn.trace.events
        assert again == incidents


def test_an_episode_leaves_nothing_behind_for_the_next() -> None:
    """Seeds can be played in any order, and shared out among processes."""
    recipe = Recipe(game="pantry", seats=RANDOM, profile=read_profile("hostile"), contracts=TERMS)
    one = Simulation(recipe)
    forwards = [one.play(seed)[0].trace for seed in range(6)]
    other = Simulation(recipe)
    backwards = [other.play(seed)[0].trace for seed in reversed(range(6))]

    assert [encode_trace(each.header, each.events) for each in forwards] == [
        encode_trace(each.header, each.events) for each in reversed(backwards)
    ]


def test_hostile_is_hostile() -> None:
    """Every kind of fault does come about, or the tests above would show little; two take an agent with an adapter."""
    simulation = Simulation(
        Recipe(game="pantry", seats=RANDOM, steps=200, profile=read_profile("hostile"), contracts=TERMS)
    )

    events = [event for seed in range(40) for event in simulation.play(seed)[0].trace.events]

    faults = {event.fault for event in events if isinstance(event, FaultInjected)}
    assert faults == {
        *("drop", "duplicate", "reorder", "partition", "hold", "crash"),
        *("late", "never", "twice", "malformed", "cut_off", "other_menu", "other_seat"),
    }
    assert {event.reason for event in events if isinstance(event, SeatChanged)} == {"missed 3 offers in a row", "back"}


def test_nothing_takes_time_in_an_ideal_network() -> None:
    """Then it is lockstep in virtual time: the same events."""
    recipe = Recipe(game="pantry", seats=RANDOM, steps=60, profile=read_profile("ideal"))
    ideal = Simulation(recipe).play(3)[0].trace
    command = [sys.executable, "-m", "hocket", "play", "pantry", "--seat", "0=random", "--seat", "1=random"]
    script = [*command, "--seed", "3", "--steps", "60", "--json", "--trace", "/dev/stderr"]
    played = subprocess.run(script, check=True, capture_output=True, text=True)

    lockstep = [json.loads(line)["event"] for line in played.stderr.splitlines()[1:]]
    assert [json.loads(msgspec.json.encode(event)) for event in ideal.events] == lockstep
