"""Burn-in and synthesis against the harness as the paper describes it, decisions a second.

Ours: 2,000 solo and 2,000 team episodes of 150 steps on asymmetric_advantages, log
written, guards synthesised. Theirs, in turns with it and in the same process: the
same uniform play over an unguarded menu on overcooked-ai's own transition, a search
for each expansion, effects judged on snapshots before and after, a record a line;
fewer episodes, as it is slower. CPU seconds, one core.

Source: section 5.1, stages 1 and 2, of the PA-MAGRPO paper (`raw_expand`, effect
predicates over `pre` and `post`, one JSON record for each executed option).
"""

import json
import random
import resource
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, TextIO

from hocket.games.overcooked.package import load_package
from hocket.games.registry import library, make
from hocket.learners.burn_in import burn_in, manifest
from hocket.learners.burn_log import Log
from hocket.learners.guards import synthesize

LAYOUT, EPISODES, STEPS = "asymmetric_advantages", 2000, 150
BASELINE_EPISODES, ROUNDS = 60, 5
BAR, FLOOR = 10, 7000
"""How many times as many decisions a second; and what the baseline must reach, else the figure is void."""

Place = tuple[int, int]
STEP: tuple[Place, ...] = ((0, -1), (0, 1), (1, 0), (-1, 0))
STAY: Place = (0, 0)
TARGETS = {
    "pick_onion": "O",
    "pick_dish": "D",
    "place_in_pot": "P",
    "start_cooking": "P",
    "plate_soup": "P",
    "deliver": "S",
    "drop_held": "X",
}


@dataclass(frozen=True)
class Instance:
    opt: str
    target: Place | None


@dataclass(frozen=True)
class FailureReason:
    name: str
    detail: str = ""


@dataclass
class Expansion:
    actions: list[Any] | None = None
    failure: FailureReason | None = None


@dataclass
class Running:
    instance: Instance
    pre: dict[str, Any]
    features: dict[str, Any]
    step: int
    expansion: Expansion


class Harness:
    """One layout, its option instances, and the loop over the package's transition."""

    def __init__(self, layout: str, out: TextIO) -> None:
        self.mdp = load_package().OvercookedGridworld.from_layout_name(layout)
        self.out = out
        tiles = self.mdp.terrain_pos_dict
        self.walkable = frozenset(tiles[" "])
        self.tiles = {mark: [tile for tile in tiles[mark] if self.stands(tile)] for mark in "ODPSX"}

    def stands(self, tile: Place) -> bool:
        return any((tile[0] + dx, tile[1] + dy) in self.walkable for dx, dy in STEP)

    def snapshot(self, state: Any, seat: int) -> dict[str, Any]:
        """What effect predicates see of a state."""
        me = state.players[seat]
        pots = {}
        counters = {}
        for place, thing in state.objects.items():
            if thing.name == "soup" and self.mdp.get_terrain_type_at_pos(place) == "P":
                count = len(thing.ingredients)
                phase = (
                    "ready"
                    if thing.is_ready
                    else "cooking"
                    if thing.is_cooking
                    else "full"
                    if count == 3
                    else "filling"
                )
                pots[place] = (phase, count)
            else:
                counters[place] = thing.name
        return {
            "pos": me.position,
            "orient": me.orientation,
            "held": me.held_object.name if me.has_object() else None,
            "partner": state.players[1 - seat].position,
            "pots": pots,
            "counters": counters,
        }

    def menu(self, snap: dict[str, Any]) -> list[Instance]:
        """Instantiate every option once per target of its class."""
        found = [Instance("wait", None)]
        for opt, mark in TARGETS.items():
            found += [Instance(opt, tile) for tile in self.tiles[mark]]
        found += [Instance("pick_up_from_counter", tile) for tile in self.tiles["X"] if tile in snap["counters"]]
        return found

    def features(self, inst: Instance, snap: dict[str, Any]) -> dict[str, Any]:
        found = {"held": snap["held"]}
        if inst.opt in ("place_in_pot", "start_cooking", "plate_soup"):
            found["tgt_pot_state"] = snap["pots"].get(inst.target, ("empty", 0))[0]
        elif inst.opt in ("drop_held", "pick_up_from_counter"):
            found["tgt_item"] = snap["counters"].get(inst.target)
        return found

    def expand(self, inst: Instance, snap: dict[str, Any]) -> Expansion:
        if inst.opt == "wait":
            return Expansion(actions=[STAY, STAY, STAY])
        if inst.target is None:
            return Expansion(failure=FailureReason("TargetAbsent", inst.opt))
        if inst.opt == "drop_held" and snap["held"] is None:
            return Expansion(failure=FailureReason("NothingHeld"))
        plan = self.plan(inst.target, snap["pos"], snap["orient"], snap["partner"])
        if plan is None:
            return Expansion(failure=FailureReason("NoPath", str(inst.target)))
        return Expansion(actions=plan)

    def plan(self, target: Place, pos: Place, orient: Place, blocked: Place) -> list[Any] | None:
        """Search breadth first for a pose that faces the target; the plan is popped from its end."""
        start = (pos, orient)
        before: dict[tuple[Place, Place], tuple[Place, Place] | None] = {start: None}
        queue = deque([start])
        while queue:
            pose = queue.popleft()
            (x, y), (dx, dy) = pose
            if (x + dx, y + dy) == target:
                plan: list[Any] = ["interact"]
                while (earlier := before[pose]) is not None:
                    plan.append(pose[1])
                    pose = earlier
                return plan
            for move in STEP:
                there = (x + move[0], y + move[1])
                after = (there if there in self.walkable and there != blocked else (x, y), move)
                if after not in before:
                    before[after] = pose
                    queue.append(after)
        return None

    def effect(self, inst: Instance, pre: dict[str, Any], post: dict[str, Any]) -> bool:
        held: str | None = pre["held"]
        now: str | None = post["held"]
        idle = ("empty", "filling", "full")
        match inst.opt:
            case "wait":
                return True
            case "place_in_pot":
                return held in ("onion", "tomato") and now is None
            case "start_cooking":
                was = pre["pots"].get(inst.target, ("empty", 0))[0]
                return bool(was in idle and post["pots"].get(inst.target, ("empty", 0))[0] not in idle)
            case "plate_soup":
                return held == "dish" and now == "soup"
            case "deliver":
                return held == "soup" and now is None
            case "drop_held":
                return held is not None and now is None
            case "pick_up_from_counter":
                return held is None and now is not None
            case _:
                item = inst.opt.removeprefix("pick_")
                return now == item and held != item

    def episode(self, number: int, seats: tuple[int, ...], dice: random.Random) -> int:
        state = self.mdp.get_standard_start_state()
        running: list[Running | None] = [None] * len(state.players)
        decisions = 0
        for step in range(STEPS):
            joint: list[Any] = [STAY] * len(state.players)
            for seat in seats:
                run = running[seat]
                if run is None:
                    snap = self.snapshot(state, seat)
                    inst = dice.choice(self.menu(snap))
                    run = running[seat] = Running(inst, snap, self.features(inst, snap), step, self.expand(inst, snap))
                    decisions += 1
                if run.expansion.actions:
                    joint[seat] = run.expansion.actions.pop()
            state, _ = self.mdp.get_state_transition(state, tuple(joint))
            for seat in seats:
                run = running[seat]
                if run is not None and not run.expansion.actions:
                    self.record(number, run, state, seat)
                    running[seat] = None
        return decisions

    def record(self, number: int, run: Running, state: Any, seat: int) -> None:
        if run.expansion.failure is not None:
            outcome = f"explicit:{run.expansion.failure.name}"
        else:
            done = self.effect(run.instance, run.pre, self.snapshot(state, seat))
            outcome = "success" if done else "effect_fail"
        entry = {
            "ep": number,
            "step": run.step,
            "aid": seat,
            "opt": run.instance.opt,
            "target": run.instance.target,
            "features": run.features,
            "outcome": outcome,
        }
        self.out.write(json.dumps(entry) + "\n")


def baseline(folder: Path, seed: int) -> float:
    """Decisions a second of the harness, solo and team episodes alike in number."""
    dice = random.Random(seed)
    with (folder / "records.jsonl").open("w", encoding="utf-8") as out:
        harness = Harness(LAYOUT, out)
        began = time.process_time()
        decisions = sum(
            harness.episode(number, seats, dice)
            for number in range(BASELINE_EPISODES)
            for seats in ((number % 2,), (0, 1))
        )
        return decisions / (time.process_time() - began)


def ours(folder: Path, seed: int) -> tuple[float, float, float, int]:
    """Decisions a second with the log written and guards synthesised; seconds of each; decisions."""
    game = make(f"overcooked:{LAYOUT}")
    began = time.process_time()
    plan = manifest(
        game, library(game), seed=seed, solo=EPISODES, team=EPISODES, steps=STEPS, starts="varied", policy="uniform"
    )
    log = Log.begin(folder / f"log-{seed}", plan)
    burn_in(log)
    burned = time.process_time() - began
    records = synthesize(log).log.records
    mined = time.process_time() - began - burned
    return records / (burned + mined), burned, mined, records


def measure(fast: Callable[[int], Any], slow: Callable[[int], float]) -> Iterator[tuple[Any, float]]:
    """Take turns."""
    for seed in range(ROUNDS):
        yield fast(seed), slow(seed)


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rounds = list(measure(lambda seed: ours(folder, seed), lambda seed: baseline(folder, seed)))
    ratio = median(fast[0] / slow for fast, slow in rounds)
    floor = median(slow for _, slow in rounds)
    share = median(fast[2] / fast[1] for fast, _ in rounds)
    line = {
        "bench": "burn_in_vs_harness",
        "layout": LAYOUT,
        "decisions": rounds[0][0][3],
        "hocket_decisions_per_s": round(median(fast[0] for fast, _ in rounds)),
        "harness_decisions_per_s": round(floor),
        "ratio": round(ratio, 2),
        "bar": BAR,
        "harness_floor": FLOOR,
        "void": floor < FLOOR,
        "burn_in_s": round(median(fast[1] for fast, _ in rounds), 2),
        "synthesis_s": round(median(fast[2] for fast, _ in rounds), 3),
        "synthesis_share": round(share, 4),
        "synthesis_bar": 0.2,
        "peak_memory_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    print(json.dumps(line))
    return int(ratio < BAR or floor < FLOOR or share > 0.2)


if __name__ == "__main__":
    sys.exit(main())
