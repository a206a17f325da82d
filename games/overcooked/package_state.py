"""States and orders in the form of overcooked-ai's `to_dict()`, made plain.

Plain is the form of `StartState`: names for headings and items. What is in plain
form already passes through, and so does what is in neither form: the schema of
`StartState` refuses it later.
"""

from collections.abc import Callable
from typing import Any

from hocket.games.overcooked.grid import HEADINGS, OFFSETS

STATE_KEYS = {"timestep": "tick"}
REPEATED = ("_cooking_tick", "is_cooking", "is_ready", "is_idle", "cook_time")
"""Keys of a soup that say again what its ingredients and cooking tick say."""


def plain_orders(orders: Any) -> Any:
    """Orders with `{"ingredients": [...]}` made a list."""
    if not isinstance(orders, list | tuple):
        return orders
    return [
        order["ingredients"] if isinstance(order, dict) and set(order) == {"ingredients"} else order for order in orders
    ]


def plain_state(state: dict[str, Any]) -> dict[str, Any]:
    """A state in the fields of `StartState`, not yet checked.

    Raises:
        ValueError: something is of neither form; the text is half a sentence.
    """
    plain = {STATE_KEYS.get(key, key): value for key, value in state.items()}
    for key in ("all_orders", "bonus_orders"):
        if key in plain:
            plain[key] = plain_orders(plain[key])
    for key, made_plain in (("players", _player), ("objects", _object)):
        if isinstance(plain.get(key), list | tuple):
            plain[key] = [_plain_entry(made_plain, entry) for entry in plain[key]]
    return plain


def _plain_entry(made_plain: Callable[[dict[str, Any]], dict[str, Any]], entry: Any) -> Any:
    if not isinstance(entry, dict) or "position" not in entry:
        return entry
    try:
        return made_plain(entry)
    except KeyError as error:
        raise ValueError(f"the entry at {entry['position']} has no {error}") from None
    except (TypeError, AttributeError):
        raise ValueError(f"the entry at {entry['position']} is not in the form of a player or object") from None


def _player(entry: dict[str, Any]) -> dict[str, Any]:
    orientation = tuple(entry.get("orientation", OFFSETS[0]))
    if orientation not in OFFSETS:
        raise ValueError(f"a player faces {orientation}, which is no direction")
    plain = {"at": entry["position"], "facing": HEADINGS[OFFSETS.index(orientation)]}
    held = entry.get("held_object")
    if held is not None:
        thing = _object(held)
        if list(thing.pop("at")) != list(entry["position"]):
            raise ValueError(f"the player at {entry['position']} holds a thing that is somewhere else")
        plain |= {"holds": thing.pop("item"), **thing}
    unknown = set(entry) - {"position", "orientation", "held_object"}
    return plain | {key: entry[key] for key in sorted(unknown)}


def _object(entry: dict[str, Any]) -> dict[str, Any]:
    plain = {"at": entry["position"], "item": entry["name"]}
    known = {"name", "position"}
    if entry["name"] == "soup":
        ingredients = [ingredient["name"] for ingredient in entry["_ingredients"]]
        if any(list(ingredient["position"]) != list(entry["position"]) for ingredient in entry["_ingredients"]):
            raise ValueError(f"an ingredient of the soup at {entry['position']} is somewhere else")
        tick = entry.get("cooking_tick", -1)
        if entry.get("_cooking_tick", tick) != tick:
            raise ValueError(f"the soup at {entry['position']} has two cooking ticks")
        plain |= {"item": "soup:" + ",".join(ingredients), "cooking_tick": tick}
        known |= {"_ingredients", "cooking_tick", *REPEATED}
    return plain | {key: entry[key] for key in sorted(set(entry) - known)}
