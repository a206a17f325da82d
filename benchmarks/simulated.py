"""Simulated episodes: the same bytes anywhere, their speed, and that of a rerun.

same_bytes      seeds under `hostile`, each in two processes with different hash seeds: traces that differ
ticks           simulated ticks a second, without faults and with all of them, in turns, CPU seconds
explore         seeds a second: played, every invariant asked, run again
rerun           a rerun beside the lockstep episode that it is of, recorded; CPU seconds, in turns

python benchmarks/simulated.py [PANTRY_SEEDS [KITCHEN_SEEDS]]
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from hashlib import blake2b
from pathlib import Path
from statistics import median

import anyio

from hocket.agents.scripted.cook import Cook
from hocket.games.registry import library, make
from hocket.recipe import Recipe, Simulation
from hocket.replays.explore import explore
from hocket.replays.fault_file import read_profile
from hocket.replays.recording import record
from hocket.replays.rerun import rerun
from hocket.replays.trace import encode_trace, make_header, read_trace
from hocket.runtime.pace import Lockstep
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

ROUNDS = 9
GAMES = {"pantry": ("random", 60), "overcooked:asymmetric_advantages": ("scripted:cook", 400)}


def recipe(game: str, profile: str) -> Recipe:
    agent, steps = GAMES[game]
    return Recipe(game=game, seats={0: agent, 1: agent}, steps=steps, profile=read_profile(profile))


def digests(game: str, seeds: int) -> None:
    """Print the digest of each seed's trace; what the two processes do."""
    simulation = Simulation(recipe(game, "hostile"))
    for seed in range(seeds):
        trace = simulation.play(seed)[0].trace
        print(blake2b(encode_trace(trace.header, trace.events), digest_size=16).hexdigest())


def same_bytes(game: str, seeds: int) -> int:
    """Compare two processes; return how many traces differ."""
    began = time.perf_counter()
    running = [
        subprocess.Popen(
            [sys.executable, __file__, "--digests", game, str(seeds)],
            env=os.environ | {"PYTHONHASHSEED": str(hash_seed)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for hash_seed in (1, 2)
    ]
    one, other = (process.communicate()[0].split() for process in running)
    differ = sum(left != right for left, right in zip(one, other, strict=True))
    seconds = round(time.perf_counter() - began, 1)
    line = {"bench": "same_bytes", "game": game, "seeds": len(one), "distinct": len(set(one)), "differ": differ}
    print(json.dumps(line | {"seconds": seconds}))
    return differ + (len(one) != seeds)


def ticks(game: str) -> None:
    """Time episodes without faults and with all of them, in turns."""
    sides = {name: Simulation(recipe(game, name)) for name in ("ideal", "hostile")}
    found: dict[str, list[float]] = {name: [] for name in sides}
    for seed in range(ROUNDS + 1):
        for name, simulation in sides.items():
            began = time.process_time()
            simulation.play(seed)
            found[name].append(simulation.steps / (time.process_time() - began))
    rates = {f"{name}_ticks_per_s": round(median(rates[1:])) for name, rates in found.items()}
    print(json.dumps({"bench": "simulated_ticks", "game": game} | rates))


def explored(game: str, seeds: int) -> int:
    """Time exploration in one process; return the number of findings."""
    began = time.process_time()
    found = explore(partial(Simulation, recipe(game, "hostile")), range(seeds))
    rate = round(seeds / (time.process_time() - began), 1)
    print(json.dumps({"bench": "explore", "game": game, "seeds_per_s": rate, "findings": len(found)}))
    return len(found)


def rerun_speed(game: str) -> None:
    """Time a rerun, read from disk, beside the episode, over the bus and recorded."""
    world = make(game)
    options = library(world)
    steps = 400
    played, again = [], []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(ROUNDS + 1):
            cook = Holder("scripted:cook", Cook())
            seats = Seats([cook] * 2, cook)
            names = seats.names
            header = make_header(world, options, seed=seed, starts="standard", steps=steps, seats=names)
            began = time.process_time()
            scheduler = Scheduler(world, options, seed=seed, holders=names, steps=steps)
            trace = anyio.run(record, header, scheduler, seats, Lockstep()).trace
            path = Path(folder) / "trace.jsonl"
            path.write_bytes(encode_trace(trace.header, trace.events))
            between = time.process_time()
            if not rerun(read_trace(path)).agrees:
                raise SystemExit("a rerun does not agree")
            played.append(between - began)
            again.append(time.process_time() - between)
    ratio = median(one / other for one, other in zip(played[1:], again[1:], strict=True))
    line = {
        "bench": "rerun",
        "game": game,
        "live_s": round(median(played[1:]), 4),
        "rerun_s": round(median(again[1:]), 4),
    }
    print(json.dumps(line | {"times_faster": round(ratio, 2)}))


def main(words: list[str]) -> int:
    if words[:1] == ["--digests"]:
        digests(words[1], int(words[2]))
        return 0
    pantry, kitchen = (int(word) for word in (*words, *("1000", "50")[len(words) :]))
    failed = same_bytes("pantry", pantry) + same_bytes("overcooked:asymmetric_advantages", kitchen)
    for game in GAMES:
        ticks(game)
    failed += explored("pantry", 100) + explored("overcooked:asymmetric_advantages", 10)
    rerun_speed("overcooked:asymmetric_advantages")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
