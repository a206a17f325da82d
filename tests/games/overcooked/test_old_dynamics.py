"""The rules of 2019, in which the last ingredient starts the pot."""

import gzip
import json
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hocket.games.overcooked.grid import OFFSETS
from hocket.games.overcooked.items import SOUP, item_code, pack
from hocket.games.overcooked.kitchen import INTERACT, STAY, Kitchen
from hocket.games.overcooked.layout import Layout, layout_names, load_layout
from hocket.games.overcooked.package import package_parameters
from hocket.games.overcooked.state_dict import to_dict
from hocket.runtime.events import GameEvent

Draw = Callable[[Kitchen, random.Random], tuple[int, ...]]

RECORDED = Path(__file__).parents[2] / "data" / "overcooked_human_2019"
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
    trials = [trial for path in RECORDED.glob("*.jsonl.gz") for trial in _trials(path)]

    assert (len({trial["layout"] for trial in trials}), sum(len(trial["steps"]) for trial in trials)) == (5, 46_729)


def _trials(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _replayed(path: Path) -> Iterator[tuple[int, int, object, object]]:
    for trial in _trials(path):
        layout = Layout(
            name=trial["layout"], grid=trial["grid"], all_orders=(("onion",) * 3,), delivery_reward=5, cook_time=20
        )
        kitchen = Kitchen(layout, old_dynamics=True)
        state: Mapping[str, Any] = {}
        for number, step in enumerate(trial["steps"]):
            state = step.get("state", state)
            kitchen.load(_facts(kitchen, state))
            joint = [
                INTERACT if isinstance(action, str) else WALK.index(tuple(action)) for action in step["joint_action"]
            ]
            rewards, _ = kitchen.step(joint)
            state = step["next_state"]
            yield (
                trial["trial"],
                number,
                (_facts(kitchen, state), step["reward"]),
                ((0, *kitchen.state[1:]), sum(rewards)),
            )


def _facts(kitchen: Kitchen, state: Mapping[str, Any]) -> tuple[int, ...]:
    """A recorded state as facts: a soup cooks on for ever there, and has time 0 before it is full."""
    facts = list(kitchen.tables.blank())
    for seat, player in enumerate(state["players"]):
        heading, held = OFFSETS.index(tuple(player["orientation"])), player["held_object"]
        facts[1 + 3 * seat : 4 + 3 * seat] = [_cell(kitchen, player), heading, _item(held) if held else 0]
    for thing in state["objects"]:
        slot = kitchen.tables.slots[_cell(kitchen, thing)]
        if slot < kitchen.counter0:
            facts[slot : slot + 2] = [_item(thing) - SOUP, min(thing["state"][2], 20) or -1]
        else:
            facts[slot] = _item(thing)
    return tuple(facts)


def _cell(kitchen: Kitchen, thing: Mapping[str, Any]) -> int:
    x, y = thing["position"]
    return int(y * kitchen.width + x)


def _item(thing: Mapping[str, Any]) -> int:
    if thing["name"] == "soup":
        kind, size, _ = thing["state"]
        return SOUP + pack([kind] * size)
    return item_code(thing["name"])


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
