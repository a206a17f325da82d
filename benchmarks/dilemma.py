"""The two dilemmas of Melting Pot with scripted teams of seven: apples, and what is left.

Twenty seeds a team, standard starts, the usual lengths. Prints one JSON line a team; the
exit code is 1 where a team stays outside of its bounds. A patch is dead once its last
apple is eaten, for good.
"""

import json
import statistics
import sys
from collections.abc import Sequence

from hocket.agents.spec import Cast
from hocket.games import registry
from hocket.guarding import hidden_by
from hocket.runtime.events import Event, Stepped
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Seats

SEEDS = 20
EATER, CLEANER, FORAGER = "scripted:eater", "scripted:cleaner", "scripted:forager"
TRAINED = 93.25
"""Apples of the PA-MAGRPO paper's trained team on Cleanup."""
TEAMS: dict[str, tuple[str, tuple[str, ...], dict[str, float]]] = {
    "seven eaters": ("cleanup", (EATER,) * 7, {"most_apples": 0}),
    "four eaters, three cleaners": ("cleanup", (EATER,) * 4 + (CLEANER,) * 3, {"fewest_apples": TRAINED}),
    "seven cleaners": ("cleanup", (CLEANER,) * 7, {"most_apples": 5}),
    "seven at random on Cleanup": ("cleanup", ("random",) * 7, {}),
    "seven greedy harvesters": ("harvest:no_thinning", (EATER,) * 7, {"most_alive": 0}),
    "seven foragers": ("harvest:no_thinning", (FORAGER,) * 7, {"fewest_alive": 2.5}),
    "seven at random on Harvest": ("harvest:no_thinning", ("random",) * 7, {}),
}


def alive(steps: Sequence[Stepped]) -> list[int]:
    """Patches with apples after each step; all six until one is heard of."""
    live: dict[str, float] = {}
    counts = []
    for step in steps:
        live |= {event.what: event.amount for event in step.events if event.kind == "apples"}
        counts.append(6 - sum(amount == 0 for amount in live.values()))
    return counts


def episode(name: str, agents: tuple[str, ...], seed: int) -> tuple[tuple[float, ...], list[int]]:
    """Apples of each seat, and the patches that are alive after each step."""
    game = registry.make(name)
    library = registry.library(game)
    cast = Cast(game.spec.kind)
    seats = Seats([cast.holder(agent, seat) for seat, agent in enumerate(agents)], cast.fallback("idle"))
    guards = hidden_by("own", game, library)
    scheduler = Scheduler(game, library, seed=seed, holders=agents, steps=game.steps, guards=guards)
    events: list[Event] = []
    [result] = play([Rollout(scheduler, seats, events.extend)])
    return result.returns, alive([event for event in events if isinstance(event, Stepped)])


def measure(team: str) -> dict[str, object]:
    """One line."""
    name, agents, bounds = TEAMS[team]
    played = [episode(name, agents, seed) for seed in range(SEEDS)]
    apples = [sum(returns) for returns, _ in played]
    line: dict[str, object] = {
        "bench": "dilemma",
        "game": name,
        "team": team,
        "apples": round(statistics.mean(apples), 2),
        "std": round(statistics.pstdev(apples), 2),
        "fewest": min(apples),
        "by_seat": [round(statistics.mean(returns[seat] for returns, _ in played), 1) for seat in range(7)],
    }
    if name.startswith("harvest"):
        ends = [counts.index(0) + 1 for _, counts in played if 0 in counts]
        line["patches_alive_at_the_end"] = round(statistics.mean(counts[-1] for _, counts in played), 2)
        line["all_dead_by_step"] = round(statistics.mean(ends)) if len(ends) == SEEDS else None
    return line | bounds


def within(line: dict[str, object]) -> bool:
    """Whether a team is within its bounds."""
    apples, left = float(str(line["apples"])), float(str(line.get("patches_alive_at_the_end", 0)))
    bound = {
        key: float(str(line[key]))
        for key in ("most_apples", "fewest_apples", "most_alive", "fewest_alive")
        if key in line
    }
    return bound.get("fewest_apples", 0) <= apples <= bound.get("most_apples", apples) and bound.get(
        "fewest_alive", 0
    ) <= left <= bound.get("most_alive", left)


def main() -> int:
    """Play every team; restrained harvesters must eat as much as greedy ones at least."""
    lines = {team: measure(team) for team in TEAMS}
    for line in lines.values():
        print(json.dumps(line))
    greedy, restrained = (float(str(lines[team]["apples"])) for team in ("seven greedy harvesters", "seven foragers"))
    return int(not all(map(within, lines.values())) or restrained < greedy)


if __name__ == "__main__":
    sys.exit(main())
