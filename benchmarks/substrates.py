"""Melting Pot: whole episodes of seven scripted agents, beside bare dmlab2d at random actions.

One side is an episode from its start to its end, played beside its world (`errands.py`),
forked anew each time: menus, guards, scheduler, agents and exact facts of every step. The
other is dmlab2d with the same level script, WORLD.LAYER read and nothing else, in one long
episode, its compiler warm. In turns, in one run; wall time, and the median of the rounds'
ratios. The exit code is 1 where Cleanup stays below the bar, or a start takes too long.
"""

import json
import os
import random
import statistics
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np

from hocket.agents.spec import Cast
from hocket.games import registry
from hocket.games.meltingpot.errands import beside
from hocket.games.meltingpot.lab import Lab
from hocket.games.meltingpot.order import Start
from hocket.games.meltingpot.world import MeltingPot
from hocket.guarding import hidden_by
from hocket.learners.burn_in import burn_in, manifest
from hocket.learners.burn_log import Log
from hocket.runtime.guard import Guard
from hocket.runtime.option import Library
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Seats

TEAMS = {
    "cleanup": ("scripted:eater",) * 4 + ("scripted:cleaner",) * 3,
    "harvest:no_thinning": ("scripted:forager",) * 7,
}
BAR, SLOWEST_START = 0.25, 0.1
ROUNDS, EPISODES = 5, 6
WARM, STEPS = 300, 1_000
BURNT = 60
"""Episodes of burn-in, half of them solo."""


@cache
def kit(game: MeltingPot) -> tuple[Library[Any], tuple[Guard, ...]]:
    """What every episode has in common."""
    library: Library[Any] = registry.library(game)
    return library, hidden_by("own", game, library)


def prepare(game: MeltingPot) -> None:
    """Have it before copies are made."""
    kit(game)


def episode(game: MeltingPot, payload: bytes) -> bytes:
    """The errand: play an episode beside the world; return what the world's own steps took, in seconds."""
    seed, agents = msgspec.json.decode(payload, type=tuple[int, tuple[str, ...]])
    library, guards = kit(game)
    cast_ = Cast(game.spec.kind)
    seats = Seats([cast_.holder(name, seat) for seat, name in enumerate(agents)], cast_.fallback("idle"))
    spent, step = 0.0, game.step

    def timed(joint: Any) -> Any:
        nonlocal spent
        began = time.perf_counter()
        moved = step(joint)
        spent += time.perf_counter() - began
        return moved

    game.step = timed  # type: ignore[method-assign]
    scheduler = Scheduler(game, library, seed=seed, holders=agents, steps=game.steps, guards=guards)
    play([Rollout(scheduler, seats)])
    return msgspec.json.encode(spent)


def ours(game: MeltingPot, agents: tuple[str, ...], first: int) -> tuple[float, float]:
    """Steps a second of whole episodes, and the share of the time that the world's own steps take."""
    began, world = time.perf_counter(), 0.0
    for seed in range(first, first + EPISODES):
        world += msgspec.json.decode(beside(game, "substrates:episode", msgspec.json.encode((seed, agents))))
    seconds = time.perf_counter() - began
    return EPISODES * game.steps / seconds, world / seconds


def bare(game: MeltingPot, seed: int) -> float:
    """Steps a second of dmlab2d alone."""
    lab = Lab(game.host().order)
    lab.begin(Start(seed, seed))
    names, dice = lab.raw.action_discrete_names(), random.Random(seed)
    parts = {"move": (0, 4), "turn": (-1, 1), "fireZap": (0, 1), "fireClean": (0, 1)}
    spans = [parts[name.partition(".")[2]] for name in names]
    joints = [np.array([dice.randint(*span) for span in spans], dtype=np.int32) for _ in range(WARM + STEPS)]
    began = 0.0
    for tick, joint in enumerate(joints):
        if tick == WARM:
            began = time.perf_counter()
        lab.raw.act_discrete(joint)
        lab.raw.advance()
        lab.raw.observation("WORLD.LAYER")
    return STEPS / (time.perf_counter() - began)


def start_s(game: MeltingPot) -> float:
    """Seconds that an episode takes to start."""
    began = time.perf_counter()
    for seed in range(20):
        game.reset(seed, "standard")
    return (time.perf_counter() - began) / 20


def burnt(game: MeltingPot) -> float:
    """Decisions a second of a burn-in with two jobs, what its processes take to start left in."""
    library = registry.library(game)
    plan = manifest(
        game, library, seed=1, solo=BURNT // 2, team=BURNT // 2, steps=150, starts="varied", policy="uniform"
    )
    with tempfile.TemporaryDirectory() as folder:
        log = Log.begin(Path(folder) / "log", plan)
        began = time.perf_counter()
        burn_in(log, jobs=2)
        seconds = time.perf_counter() - began
        return sum(len(columns["outcome"]) for columns in log.chunks()) / seconds


def memory_mb(game: MeltingPot) -> dict[str, float]:
    """Memory of the process that forks, and what an episode adds to it, in MiB; Linux alone tells."""
    game.reset(0, "standard")
    for _ in range(game.steps):
        game.step((1,) * game.seats)
    host = game.host().pid
    tasks = Path(f"/proc/{host}/task/{host}/children")
    if not tasks.exists():
        return {}
    [copy, *_] = tasks.read_text().split()
    return {"host": _kept(host, "Rss"), "episode": _kept(int(copy), "Private_Dirty")}


def _kept(process: int, what: str) -> float:
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return round(sum(int(line.split()[1]) for line in lines if line.startswith(f"{what}:")) / 1024, 1)


def measure(name: str, agents: tuple[str, ...]) -> dict[str, object]:
    """One line of the benchmark."""
    game = cast(MeltingPot, registry.make(name))
    ours(game, agents, 0)
    rounds = [(ours(game, agents, 100 * number), bare(game, number)) for number in range(ROUNDS)]
    return {
        "bench": "substrates",
        "game": name,
        "hocket_steps_per_s": round(statistics.median(mine for (mine, _), _ in rounds)),
        "dmlab2d_steps_per_s": round(statistics.median(other for _, other in rounds)),
        "ratio": round(statistics.median(mine / other for (mine, _), other in rounds), 2),
        "world_share": round(statistics.median(share for (_, share), _ in rounds), 2),
        "start_s": round(start_s(game), 4),
        "memory_mb": memory_mb(game),
        "burn_in_decisions_per_s": round(burnt(game)),
        **({"bar": BAR, "slowest_start_s": SLOWEST_START} if name == "cleanup" else {}),
    }


def main() -> int:
    """Measure both games."""
    here = os.fspath(Path(__file__).parent)
    os.environ["PYTHONPATH"] = os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])
    lines = [measure(name, agents) for name, agents in TEAMS.items()]
    for line in lines:
        print(json.dumps(line))
    cleanup = lines[0]
    return int(float(str(cleanup["ratio"])) < BAR or float(str(cleanup["start_s"])) > SLOWEST_START)


if __name__ == "__main__":
    sys.exit(main())
