"""Traces by team: the same agents in the same seats, on the same terms."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

import msgspec

from hocket.learners.report.contents import Contents
from hocket.replays.audits.audit import Audited, audit
from hocket.replays.trace import Header, Trace, read_trace
from hocket.runtime.events import Stepped


class Episode(msgspec.Struct, frozen=True):
    """What is kept of a trace once it has been read."""

    path: Path
    name: str
    """Where it is, seen from the folder."""
    seed: int
    starts: str
    points: float
    """Of the team."""
    ticks: int
    whole: bool
    """Whether it was played, and recorded, to its end."""
    digest: str


class Team(msgspec.Struct, frozen=True):
    """Episodes that can be counted together."""

    number: int
    """From 1, in the order of the page."""
    episodes: tuple[Episode, ...]
    """In order of seed."""
    audited: Audited
    folders: tuple[str, ...]
    """Where its traces are, seen from the folder."""
    twice: int
    """Traces that were left out, since they are those of others."""

    @property
    def header(self) -> Header:
        """Of its first episode."""
        return self.audited.header

    @property
    def name(self) -> str:
        """What the page calls it."""
        return f"Team {self.number}"

    @property
    def who(self) -> str:
        """Who holds its seats, each once, and not more than three."""
        holders = list(dict.fromkeys(self.header.seats))
        return ", ".join(holders[:3]) + (" and others" if len(holders) > 3 else "")

    @property
    def typical(self) -> Episode:
        """The episode whose return is nearest to the median; of several, the first."""
        middle = median(each.points for each in self.episodes)
        return min(self.episodes, key=lambda each: abs(each.points - middle))

    @property
    def starts(self) -> str:
        """How its episodes begin."""
        return _kind_of(self.header)

    @property
    def terms(self) -> str:
        """On what it was played, in a line."""
        header = self.header
        count = len(header.guards)
        guards = f"{count or 'no'} guard{'' if count == 1 else 's'}"
        return f"{header.steps} ticks, {self.starts} starts, library {header.library.name}, {guards}, {_pace(header)}"


def teams(found: Contents) -> list[Team]:
    """Group the traces of a folder and audit each group, with one trace in memory at a time.

    Raises:
        TracePathError: a trace cannot be read.
        TraceError: a trace is damaged.
    """
    groups: dict[bytes, dict[str, Episode]] = {}
    names: dict[bytes, list[str]] = {}
    for path in found.traces:
        trace = read_trace(path)
        key = _key(trace.header)
        episode = _episode(trace, path, found.within(path))
        groups.setdefault(key, {}).setdefault(episode.digest, episode)
        names.setdefault(key, []).append(episode.name)
    made = []
    for number, (key, group) in enumerate(groups.items(), 1):
        episodes = sorted(group.values(), key=lambda each: (each.seed, each.name))
        folders = tuple(dict.fromkeys(name.rpartition("/")[0] or "." for name in names[key]))
        twice = len(names[key]) - len(episodes)
        made.append(Team(number, tuple(episodes), audit(_read(episodes)), folders, twice))
    return made


def read_episode(episode: Episode) -> Trace:
    """Read a trace again; its path is as the page has it, so that nothing on the page says where the folder is."""
    return msgspec.structs.replace(read_trace(episode.path), path=episode.name)


def _read(episodes: Sequence[Episode]) -> Iterator[Trace]:
    return map(read_episode, episodes)


def _episode(trace: Trace, path: Path, name: str) -> Episode:
    steps = [event for event in trace.events if isinstance(event, Stepped)]
    return Episode(
        path=path,
        name=name,
        seed=trace.header.seed,
        starts=trace.header.starts,
        points=float(sum(sum(step.rewards) for step in steps)),
        ticks=len(steps),
        whole=trace.ended and not trace.torn,
        digest=trace.digest,
    )


def _key(header: Header) -> bytes:
    """What must be the same in all episodes of a team: other weights under one name are another team."""
    weights = {name: mark.adapter_digest for name, mark in header.agents.items()}
    said = [header.game, header.library, header.steps, header.seats, weights, header.guards, _kind_of(header)]
    return msgspec.json.encode([*said, _pace(header)], order="sorted")


def _kind_of(header: Header) -> str:
    return header.starts.partition(":")[0]


def _pace(header: Header) -> str:
    return "lockstep" if header.terms is msgspec.UNSET else header.terms.pace
