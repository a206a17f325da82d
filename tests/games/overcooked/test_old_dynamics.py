"""The rules of 2019, in which the last ingredient starts the pot."""

import random
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.games.overcooked.recorded import RECORDED, facts_of, joint_of, layout_of, trials

from hocket.games.overcooked.grid import OFFSETS
from hocket.games.overcooked.items import item_code, pack
from hocket.games.overcooked.kitchen import INTERACT, STAY, Kitchen
from hocket.games.overcooked.layout import layout_names, load_layout
from hocket.games.overcooked.package import package_parameters
from hocket.games.overcooked.state_dict import to_dict
from hocket.runtime.events import GameEvent

Draw = Callable[[Kitchen, random.Random], tuple[int, ...]]

WALK = [*OFFSETS, (0, 0)]
THREE_EACH = [name for name in layout_names() if all(len(order) == 3 for order in load_layout(name).orders())]


def test_the_last_onion_starts_the_pot() -> None:
    """It has cooked for one tick when its step ends, and no seat is said to have started it."""
    kitchen = Kitchen(load_layout("cramped_room"), old_dynamics=True)
    ada_before_the_pot = [0, 7, 0, item_code("onion"), 13, 0, 0, pack(["onion", "onion"]), -1]
    kitchen.load([*ada_before_the_pot, *kitchen.facts()[kitchen.counter0 :]])

    _, events = kitchen.step((INTERACT, STAY))

    soup, pot = "soup:onion,onion,onion", (2, 0)
    assert events == (
        GameEvent(kind="potted", seat=0, what="onion", at=pot),
        GameEvent(kind="started_cooking", seat=-1, what=soup, at=pot),
    )
    assert kitchen.state[kitchen.pot0 : kitchen.pot0 + 2] == [pack(["onion"] * 3), 1]


def test_empty_hands_start_nothing() -> None:
    """An interact on a pot that is filling was without effect in 2019."""
    kitchen = Kitchen(load_layout("cramped_room"), old_dynamics=True)
    kitchen.load([0, 7, 0, 0, 13, 0, 0, pack(["onion"]), -1, *kitchen.facts()[kitchen.counter0 :]])
    before = kitchen.facts()

    _, events = kitchen.step((INTERACT, STAY))

    assert (events, kitchen.facts()[1:]) == ((), before[1:])


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(RECORDED.glob("*.jsonl.gz")), ids=lambda path: path.name.partition(".")[0])
def test_every_recorded_human_transition_is_reproduced(path: Path) -> None:
    """Each next state and reward of the recording follows from its state and joint action."""
    different = [(trial, number) for trial, number, recorded, ours in _replayed(path) if recorded != ours]

    assert different == []


def test_the_recordings_are_whole() -> None:
    """A file that got lost would make the test above pass."""
    found = [trial for path in RECORDED.glob("*.jsonl.gz") for trial in trials(path)]

    assert (len({trial["layout"] for trial in found}), sum(len(trial["steps"]) for trial in found)) == (5, 46_729)


def _replayed(path: Path) -> Iterator[tuple[int, int, object, object]]:
    for trial in trials(path):
        kitchen = Kitchen(layout_of(trial), old_dynamics=True)
        state: Mapping[str, Any] = {}
        for number, step in enumerate(trial["steps"]):
            state = step.get("state", state)
            kitchen.load(facts_of(kitchen, state))
            rewards, _ = kitchen.step(joint_of(step["joint_action"]))
            state = step["next_state"]
            yield (
                trial["trial"],
                number,
                (facts_of(kitchen, state), step["reward"]),
                ((0, *kitchen.state[1:]), sum(rewards)),
            )


@pytest.fixture(scope="module")
def fork() -> Any:
    """The rules of `overcooked` 0.2.1 without its packages for windows and video."""
    spec = find_spec("overcooked")
    if spec is None or spec.submodule_search_locations is None:
        pytest.skip("needs the oracle overcooked 0.2.1")
    [folder] = spec.submodule_search_locations
    before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "overcooked"}
    for name, path in (("overcooked", Path(folder)), ("overcooked.mdp", Path(folder, "mdp"))):
        sys.modules[name] = ModuleType(name)
        sys.modules[name].__path__ = [str(path)]
    try:
        yield import_module("overcooked.mdp.overcooked_mdp")
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "overcooked"]:
            del sys.modules[name]
        sys.modules.update(before)


@pytest.mark.parametrize("name", THREE_EACH)
def test_old_dynamics_are_those_of_the_maintained_fork(name: str, fork: Any, varied: Draw, busy: Draw) -> None:
    """It takes only orders of three ingredients under these rules; states and rewards agree."""
    layout, rng = load_layout(name), random.Random(name)
    kitchen = Kitchen(layout, old_dynamics=True)
    oracle = fork.OvercookedGridworld.from_grid(list(layout.grid), package_parameters(layout) | {"old_dynamics": True})
    actions = [*WALK, "interact"]
    state: Any = None
    for number in range(500):
        if number % 40 == 0:
            kitchen.load(varied(kitchen, rng))
            state = fork.OvercookedState.from_dict(to_dict(kitchen, kitchen.facts()))
        joint = busy(kitchen, rng)

        rewards, _ = kitchen.step(joint)
        state, info = oracle.get_state_transition(state, tuple(actions[action] for action in joint))

        written = state.to_dict()
        written["objects"].sort(key=lambda thing: thing["position"])
        assert (to_dict(kitchen, kitchen.facts()), list(rewards)) == (written, info["sparse_reward_by_agent"])
