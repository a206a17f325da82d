"""Steps a second of the kitchen, beside those of overcooked-ai's own transition.

Both sides play the same uniformly random joint actions, 400 from each standard start,
in turns in one process; process CPU time, and the median of the rounds' ratios.
Prints one JSON line a layout; the exit code is 1 where one stays below the bar.
Needs the extra `overcooked`.
"""

import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence

from hocket.games.overcooked.kitchen import Kitchen
from hocket.games.overcooked.layout import load_layout
from hocket.games.overcooked.package import load_package

LAYOUTS = ("asymmetric_advantages", "asymmetric_advantages_tomato", "forced_coordination")
BAR = 30
EPISODE = 400
"""Steps from one standard start to the next, on both sides: left to itself, a kitchen fills up and falls still."""
ROUNDS = 7
OURS, THEIRS = 400_000, 6_000
"""Steps of each side in one round."""


def ours(name: str, joints: Sequence[tuple[int, int]]) -> Callable[[], None]:
    """All the joint actions on our kitchen, events and rewards included."""
    kitchen = Kitchen(load_layout(name))

    def play() -> None:
        step = kitchen.step
        for start in range(0, len(joints), EPISODE):
            kitchen.reset()
            for joint in joints[start : start + EPISODE]:
                step(joint)

    return play


def theirs(name: str, joints: Sequence[tuple[int, int]]) -> Callable[[], None]:
    """The first of them on the package's transition, and nothing else."""
    package = load_package()
    mdp = package.OvercookedGridworld.from_layout_name(name)
    actions = [tuple(package.Action.ALL_ACTIONS[action] for action in joint) for joint in joints[:THEIRS]]

    def play() -> None:
        transition = mdp.get_state_transition
        for start in range(0, len(actions), EPISODE):
            state = mdp.get_standard_start_state()
            for joint in actions[start : start + EPISODE]:
                state, _ = transition(state, joint)

    return play


def steps_per_s(play: Callable[[], None], steps: int) -> float:
    """Steps a second of CPU time."""
    began = time.process_time()
    play()
    return steps / (time.process_time() - began)


def measure(name: str) -> dict[str, object]:
    """One line of the benchmark."""
    rng = random.Random(0)
    joints = [(rng.randrange(6), rng.randrange(6)) for _ in range(OURS)]
    fast, slow = ours(name, joints), theirs(name, joints)
    rounds = [(steps_per_s(fast, OURS), steps_per_s(slow, THEIRS)) for _ in range(ROUNDS)]
    return {
        "bench": "kitchen",
        "layout": name,
        "hocket_steps_per_s": round(statistics.median(mine for mine, _ in rounds)),
        "package_steps_per_s": round(statistics.median(other for _, other in rounds)),
        "ratio": round(statistics.median(mine / other for mine, other in rounds), 1),
        "bar": BAR,
    }


def main() -> int:
    """Measure every layout."""
    lines = [measure(name) for name in LAYOUTS]
    for line in lines:
        print(json.dumps(line))
    return int(any(float(str(line["ratio"])) < BAR for line in lines))


if __name__ == "__main__":
    sys.exit(main())
