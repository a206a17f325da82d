"""The rollout on our kitchen, and the same options on the package's own.

Random agents, unguarded menus, every event built, asymmetric_advantages, 400 ticks
an episode; the two sides play in turns in one process and are timed in CPU seconds.
"""

import json
import sys
import time
from collections.abc import Callable
from statistics import median

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.games.registry import library, make
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

ROUNDS, EPISODES = 9, 3
BAR = 2.5
FLOOR = 7000
"""Decisions a second that the package's side must reach, else the figure is void."""


def side(engine: str) -> Callable[[int], float]:
    """Return a function that plays episodes from a seed on and says how many decisions a second it made."""
    game = make("overcooked:asymmetric_advantages", {"engine": engine})
    options = library(game)
    holder, fallback = Holder("random", Random()), Holder("idle", Idle())

    def decisions_a_second(seed: int) -> float:
        decisions = 0
        began = time.process_time()
        for episode in range(EPISODES):
            scheduler = Scheduler(game, options, seed=seed + episode, holders=["random"] * 2, steps=400)
            [result] = play([Rollout(scheduler, Seats([holder] * 2, fallback))])
            decisions += sum(result.decisions)
        return decisions / (time.process_time() - began)

    return decisions_a_second


def main() -> int:
    ours, theirs = side("kitchen"), side("reference")
    ours(0)
    theirs(0)
    pairs = [(ours(seed), theirs(seed)) for seed in range(0, ROUNDS * EPISODES, EPISODES)]
    ratio, floor = median(one / other for one, other in pairs), median(other for _, other in pairs)
    line = {
        "bench": "rollout_vs_package",
        "layout": "asymmetric_advantages",
        "hocket_decisions_per_s": round(median(one for one, _ in pairs)),
        "package_decisions_per_s": round(floor),
        "ratio": round(ratio, 2),
        "bar": BAR,
        "package_floor": FLOOR,
        "void": floor < FLOOR,
    }
    print(json.dumps(line))
    return int(ratio < BAR or floor < FLOOR)


if __name__ == "__main__":
    sys.exit(main())
