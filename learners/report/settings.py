"""All that a team's episodes depend on: settings, versions, digests."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import msgspec

from hocket.learners.report.parts import Fold, Table
from hocket.learners.report.teams import Team
from hocket.replays.audits.text import NOTHING
from hocket.replays.trace import AgentMark


def settings(team: Team) -> Fold:
    """Write down what it takes to play a team's episodes again."""
    parts = [
        Table("Settings", ("setting", "value"), tuple(_of_all(team)), plain=True),
        Table(
            "Traces",
            ("trace", "seed", "starts", "ticks", "return", "digest"),
            tuple(
                (each.name, str(each.seed), each.starts, str(each.ticks), f"{each.points:g}", each.digest)
                for each in team.episodes
            ),
        ),
    ]
    if team.header.agents:
        marks = tuple(row for name, mark in team.header.agents.items() for row in _of_agent(name, mark))
        parts.append(Table("Language models", ("agent", "what", "value"), marks, plain=True))
    if team.header.guards:
        guards = tuple((each.words(), each.channel, str(each.support)) for each in team.header.guards)
        parts.append(Table("Guards: what menus do not show", ("hidden", "channel", "support"), guards, plain=True))
    return Fold("Settings and digests", tuple(parts))


def _of_all(team: Team) -> Iterator[tuple[str, str]]:
    header = team.header
    yield "game", header.game.name
    yield from flat(header.game.settings, "game.")
    yield "length", f"{header.steps} ticks"
    yield "actions", ", ".join(header.actions)
    yield "option library", f"{header.library.name}, version {header.library.version}, digest {header.library.digest}"
    yield "seeds", _seeds([each.seed for each in team.episodes])
    yield "starts", ", ".join(dict.fromkeys(each.starts for each in team.episodes))
    if header.terms is msgspec.UNSET:
        yield "pace", "lockstep: the world waits for every seat"
    else:
        yield from flat(msgspec.to_builtins(header.terms))
    yield "versions", ", ".join(f"{name} {version}" for name, version in header.versions.items())
    yield "schema of traces", str(header.schema)
    yield "folders", ", ".join(team.folders)


def _of_agent(name: str, mark: AgentMark) -> Iterator[tuple[str, str, str]]:
    yield name, "base", f"{mark.base}, digest {mark.base_digest}"
    yield name, "adapter", f"{mark.adapter}, digest {mark.adapter_digest}" if mark.adapter else "none: the base itself"
    yield name, "computed by", ", ".join([mark.backend, *(f"{key} {each}" for key, each in mark.versions.items())])
    yield name, "style", plain(mark.style)
    yield name, "fixed beginning of its prompts", f"{len(mark.prefix)} tokens"


def _seeds(seeds: list[int]) -> str:
    if len(seeds) > 2 and all(after - before == 1 for before, after in pairwise(seeds)):
        return f"{seeds[0]} to {seeds[-1]}"
    return ", ".join(map(str, seeds))


def flat(tree: Mapping[str, Any], where: str = "") -> Iterator[tuple[str, str]]:
    """List every key of a tree with its value."""
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            yield from flat(value, f"{where}{key}.")
        else:
            yield f"{where}{key}", plain(value)


def plain(value: object) -> str:
    """Write any value: text as it is, a list of lines as lines, the rest as JSON."""
    value = msgspec.to_builtins(value)
    if isinstance(value, str):
        return value or NOTHING
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return "\n".join(value)
    if isinstance(value, Mapping) and not value:
        return NOTHING
    return msgspec.json.encode(value).decode()
