"""Human games of 2019: trials, and their states as a kitchen's facts."""

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hocket.games.overcooked.grid import OFFSETS
from hocket.games.overcooked.items import SOUP, item_code, pack
from hocket.games.overcooked.kitchen import INTERACT, Kitchen
from hocket.games.overcooked.layout import Layout

RECORDED = Path(__file__).parents[2] / "data" / "overcooked_human_2019"
_WALK = [*OFFSETS, (0, 0)]


def trials(path: Path) -> list[dict[str, Any]]:
    """Read the trials of a layout."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def layout_of(trial: Mapping[str, Any]) -> Layout:
    """Return the kitchen of a trial, with the prices of 2019."""
    return Layout(
        name=trial["layout"], grid=trial["grid"], all_orders=(("onion",) * 3,), delivery_reward=5, cook_time=20
    )


def joint_of(actions: Sequence[Any]) -> tuple[int, ...]:
    """Return a recorded joint action as one of ours."""
    return tuple(INTERACT if isinstance(action, str) else _WALK.index(tuple(action)) for action in actions)


def facts_of(kitchen: Kitchen, state: Mapping[str, Any]) -> tuple[int, ...]:
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
