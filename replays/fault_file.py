"""Fault profiles as files: those that come with hocket, and one's own.

A latency may be `{ kind = "recorded", trace = "FILE", seat = 1 }`: the delays between
that seat's offers and its choices, as the trace has them, in ticks.
"""

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

import msgspec

from hocket.replays.trace import read_trace
from hocket.runtime.errors import ProfileError, UnknownNameError
from hocket.runtime.events import MenuOffered, OptionChosen
from hocket.runtime.fault_profile import AgentFaults, FaultProfile, Link, Window
from hocket.runtime.latency import Latency

_PARTS: dict[str, type[msgspec.Struct]] = {
    "link": Link,
    "partition": Window,
    "hold": Window,
    "crash": Window,
    "agent": AgentFaults,
}
_LATENCY = tuple(dict.fromkeys(["kind", *(key for kind in get_args(Latency) for key in kind.__struct_fields__)]))
_UNKNOWN = re.compile(r"unknown field `(.*?)`(?: - at `\$\.?(.*)`)?")


def profile_names() -> tuple[str, ...]:
    """Return the profiles that come with hocket."""
    folder = files("hocket.runtime") / "profiles"
    return tuple(sorted(each.name.removesuffix(".toml") for each in folder.iterdir() if each.name.endswith(".toml")))


def read_profile(name: str) -> FaultProfile:
    """Read a profile by name, or a file of one's own.

    Args:
        name: of one that comes with hocket, or a path that ends in `.toml`.

    Raises:
        UnknownNameError: no such profile, or a key that there is not.
        ProfileError: it does not read, or a number of it makes no sense.
        TraceError: a trace that it takes delays from is none.
    """
    try:
        if name.endswith(".toml"):
            content = Path(name).read_bytes()
        elif name in profile_names():
            content = (files("hocket.runtime") / "profiles" / f"{name}.toml").read_bytes()
        else:
            raise UnknownNameError(kind="fault profile", name=name, known=profile_names())
        tree = tomllib.loads(content.decode())
    except OSError as error:
        raise ProfileError(profile=name, problem=(error.strerror or "cannot be read").lower()) from error
    except (ValueError, RecursionError) as error:
        raise ProfileError(profile=name, problem=f"is no TOML: {error}") from error
    try:
        return msgspec.convert(_with_recorded(tree, name), FaultProfile)
    except msgspec.ValidationError as error:
        raise _told(error, name) from error
    except RecursionError as error:
        raise ProfileError(profile=name, problem="is nested too deeply") from error


def _with_recorded(tree: Any, name: str) -> Any:
    """Put recorded delays in the place of the traces that they are to be taken from."""
    if isinstance(tree, Mapping):
        if tree.get("kind") == "recorded" and "trace" in tree:
            return {"kind": "recorded", "ticks": _delays(tree, name)}
        return {key: _with_recorded(each, name) for key, each in tree.items()}
    return [_with_recorded(each, name) for each in tree] if isinstance(tree, list) else tree


def _delays(tree: Mapping[str, Any], name: str) -> list[int]:
    path, seat = tree["trace"], tree.get("seat", 0)
    if set(tree) - {"kind", "trace", "seat"} or type(path) is not str or type(seat) is not int:
        raise ProfileError(profile=name, problem="a recorded latency has a trace, a seat, and nothing else")
    offered: dict[int, int] = {}
    delays: list[int] = []
    if "\0" in path:
        raise ProfileError(profile=name, problem=f"{path!r} is no name of a trace")
    for event in read_trace(Path(name).parent / path if name.endswith(".toml") else path).events:
        if isinstance(event, MenuOffered) and event.seat == seat:
            offered[event.decision] = event.tick
        elif isinstance(event, OptionChosen) and event.seat == seat:
            delays.append(event.tick - offered.get(event.decision, event.tick))
    if not delays:
        raise ProfileError(profile=name, problem=f"{path} has no choice of seat {seat}")
    return delays


def _told(error: msgspec.ValidationError, name: str) -> ProfileError | UnknownNameError:
    unknown = _UNKNOWN.search(str(error))
    if unknown is not None:
        part, known = _keys(unknown[2] or "")
        return UnknownNameError(kind=f"key of {part} in {name}", name=unknown[1], known=known)
    said, _, at = str(error).partition(" - at `$")
    where = at.rstrip("`").lstrip(".") or "it"
    return ProfileError(profile=name, problem=f"{where}: {said[:1].lower()}{said[1:]}")


def _keys(place: str) -> tuple[str, tuple[str, ...]]:
    """Say what stands at a place of a profile, and which keys it may have."""
    if place.endswith(("latency", "lateness")):
        return "a latency", _LATENCY
    part = place.partition("[")[0]
    return (part, _PARTS[part].__struct_fields__) if part in _PARTS else ("the profile", ("about", *_PARTS))
