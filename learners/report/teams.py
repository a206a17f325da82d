"""Traces by team: the same agents in the same seats, on the same terms."""

from pathlib import Path
from statistics import median

import msgspec

from hocket.learners.report.contents import Contents
from hocket.replays.audits.audit import Audited, Tally
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

    @property
    def header(self) -> Header:
        """Of its first trace, by path."""
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
        return self.header.kind_of_start

    @property
    def terms(self) -> str:
        """On what it was played, in a line."""
        header = self.header
        count = len(header.guards)
        guards = f"{count or 'no'} guard{'' if count == 1 else 's'}"
        return f"{header.steps} ticks, {self.starts} starts, library {header.library.name}, {guards}, {header.pace}"


def teams(found: Contents) -> list[Team]:
    """Group the traces of a folder and audit each group; each is read once, with one in memory at a time.

    Raises:
        TracePathError: a trace cannot be read.
        TraceError: a trace is damaged.
    """
    groups: dict[bytes, _Group] = {}
    for path in found.traces:
        trace = _named(read_trace(path), found.within(path))
        key = _key(trace.header)
        if key not in groups:
            groups[key] = _Group(trace)
        groups[key].take(trace, path)
    return [group.team(number) for number, group in enumerate(groups.values(), 1)]


def read_episode(episode: Episode) -> Trace:
    """Read a trace again.

    Raises:
        TracePathError: it is not there any more.
        TraceError: it was damaged since.
    """
    return _named(read_trace(episode.path), episode.name)


class _Group:
    """A team while its traces are read."""

    def __init__(self, first: Trace) -> None:
        self._tally = Tally(first)
        self._episodes: dict[str, Episode] = {}
        """By digest of the trace."""
        self._names: list[str] = []

    def take(self, trace: Trace, path: Path) -> None:
        """Add a trace; a copy is no further episode."""
        self._names.append(trace.path)
        self._episodes.setdefault(trace.digest, _episode(trace, path))
        self._tally.take(trace)

    def team(self, number: int) -> Team:
        """Return the team, with its returns in order of seed."""
        episodes = tuple(sorted(self._episodes.values(), key=lambda each: (each.seed, each.name)))
        return Team(
            number,
            episodes,
            msgspec.structs.replace(self._tally.audited(), returns=tuple(each.points for each in episodes)),
            tuple(dict.fromkeys(name.rpartition("/")[0] or "." for name in self._names)),
        )


def _named(trace: Trace, name: str) -> Trace:
    """Let a trace be where the page has it, so that nothing on the page says where the folder is."""
    return msgspec.structs.replace(trace, path=name)


def _episode(trace: Trace, path: Path) -> Episode:
    steps = [event for event in trace.events if isinstance(event, Stepped)]
    return Episode(
        path=path,
        name=trace.path,
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
    said = [header.game, header.library, header.steps, header.seats, weights, header.guards, header.kind_of_start]
    return msgspec.json.encode([*said, header.pace], order="sorted")
