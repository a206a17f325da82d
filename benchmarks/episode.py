"""What the bus costs: a live lockstep episode against the synchronous rollout of the same choices.

Two scripted cooks on asymmetric_advantages, 400 ticks; one subscriber takes every
event, in a second figure it is the recorder and writes the trace. The sides play in
turns in one process and are timed in CPU seconds.
"""

import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import anyio

from hocket.agents.idle import Idle
from hocket.agents.scripted.cook import Cook
from hocket.games.registry import library, make
from hocket.replays.recorder import RECORDED, Recorder
from hocket.replays.trace import make_header
from hocket.replays.writer import TraceWriter
from hocket.runtime.actor import Actor, Group
from hocket.runtime.bus import Bus
from hocket.runtime.clock import Clock
from hocket.runtime.episode import Episode
from hocket.runtime.pace import Lockstep
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

ROUNDS, BAR = 11, 150
GAME = make("overcooked:asymmetric_advantages")
OPTIONS = library(GAME)
COOK, IDLE = Holder("scripted:cook", Cook()), Holder("idle", Idle())


def start(seed: int) -> tuple[Scheduler[object], Seats]:
    """Reset the game for an episode of two cooks."""
    return Scheduler(GAME, OPTIONS, seed=seed, holders=[COOK.name] * 2, steps=400), Seats([COOK] * 2, IDLE)


def rollout(seed: int) -> float:
    """Play without a bus; return microseconds a decision."""
    scheduler, seats = start(seed)
    began = time.process_time()
    play([Rollout(scheduler, seats)])
    return 1e6 * (time.process_time() - began) / sum(scheduler.decisions)


def episode(seed: int, folder: Path | None) -> float:
    """Play over the bus, recorded where a folder is given; return microseconds a decision."""
    scheduler, seats = start(seed)
    header = make_header(GAME, OPTIONS, seed=seed, starts="standard", steps=400, seats=seats.names)
    began = time.process_time()
    anyio.run(_play, scheduler, seats, None if folder is None else TraceWriter(folder / "trace.jsonl", header))
    return 1e6 * (time.process_time() - began) / sum(scheduler.decisions)


async def _play(scheduler: Scheduler[object], seats: Seats, writer: TraceWriter | None) -> None:
    clock = Clock()
    bus = Bus(clock)
    async with Group() as group:
        if writer is None:
            group.start(Actor(bus.subscribe(RECORDED, name="taker", capacity=1024, overflow="wait"), _take))
        else:
            group.start(Recorder(bus, writer).actor)
        await Episode(scheduler, seats, bus, Lockstep(), clock=clock).run()
        await bus.stop()
    if writer is not None:
        writer.close()


async def _take(event: object) -> None:
    pass


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for warm in range(2):
            rollout(warm)
            episode(warm, None)
            episode(warm, folder)
        rounds = [(rollout(seed), episode(seed, None), episode(seed, folder)) for seed in range(ROUNDS)]
    worst = 0.0
    for bench, place in (("episode_over_bus", 1), ("episode_over_bus_recorded", 2)):
        line = {
            "bench": bench,
            "rollout_us_per_decision": round(median(each[0] for each in rounds), 1),
            "episode_us_per_decision": round(median(each[place] for each in rounds), 1),
            "added_us_per_decision": round(median(each[place] - each[0] for each in rounds), 1),
            "bar": BAR,
        }
        print(json.dumps(line))
        worst = max(worst, median(each[place] - each[0] for each in rounds))
    return int(worst > BAR)


if __name__ == "__main__":
    sys.exit(main())
