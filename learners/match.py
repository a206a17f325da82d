"""Episodes of teams by names: played here, or shared out over processes, and kept.

A team is data, so it travels to another process and is known again in a folder of results.
Episodes are in lockstep and none is recorded; what is left is returns, by seat.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import anyio
import msgspec

from hocket.agents.idle import Idle
from hocket.agents.models import Models
from hocket.agents.spec import Cast
from hocket.games import registry
from hocket.replays.recording import play_live
from hocket.replays.trace import LibraryMark, installed_versions
from hocket.replays.workers import shared
from hocket.runtime.bus import Bus
from hocket.runtime.clock import Clock
from hocket.runtime.errors import SettingError
from hocket.runtime.events import AgentFailed, Event
from hocket.runtime.game import GameSpec
from hocket.runtime.guard import Guard
from hocket.runtime.option import Library
from hocket.runtime.pace import Lockstep
from hocket.runtime.policy import Chooser
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats
from hocket.runtime.whole_file import write_whole

AT_ONCE = 10
"""Episodes that advance together, so that a language model is asked for all of them at once."""


class Terms(msgspec.Struct, frozen=True):
    """What all episodes of a comparison have in common."""

    game: GameSpec
    library: LibraryMark
    guards: tuple[Guard, ...]
    steps: int
    starts: str = "standard"


class Match(msgspec.Struct, frozen=True):
    """One team, on some seeds."""

    terms: Terms
    agents: tuple[str, ...]
    """As on the command line, shape [seats]."""
    seeds: tuple[int, ...]


class Score(msgspec.Struct, frozen=True):
    """What came of a match."""

    returns: tuple[tuple[float, ...], ...]
    """Of each seat, in game points, shape [episodes, seats]."""
    names: tuple[str, ...]
    """Under which the agents played, shape [seats]; an adapter's is part of it."""
    failed: int = 0
    """Times that an agent failed, and its seat went to nobody."""

    @property
    def team(self) -> list[float]:
        """Team returns, shape [episodes]."""
        return [sum(each) for each in self.returns]


class Results:
    """Scores in a folder, each in a file that is named for its match."""

    def __init__(self, folder: Path) -> None:
        """Keep them there; the folder is made.

        Raises:
            SettingError: it cannot be.
        """
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            right = f"a folder that can be made ({(error.strerror or str(error)).lower()})"
            raise SettingError(setting="--out", value=str(folder), right=right) from error

    def read(self, match: Match) -> Score | None:
        """Return the score of a match that was played before, with these versions; None where there is none."""
        try:
            return msgspec.json.decode(self._path(match).read_bytes(), type=Score)
        except (OSError, msgspec.MsgspecError):
            return None

    def write(self, match: Match, score: Score) -> None:
        """Keep a score.

        Raises:
            SettingError: it cannot be written.
        """
        try:
            write_whole(self._path(match), msgspec.json.format(msgspec.json.encode(score)))
        except OSError as error:
            right = f"a folder that can be written ({(error.strerror or str(error)).lower()})"
            raise SettingError(setting="--out", value=str(self._folder), right=right) from error

    def _path(self, match: Match) -> Path:
        said = msgspec.json.encode([match, installed_versions(), _weights(match)], order="sorted")
        return self._folder / f"{blake2b(said, digest_size=8).hexdigest()}.json"


def play_all(
    matches: Sequence[Match],
    *,
    processes: int,
    kept: Results | None = None,
    progress: Callable[[int], object] = lambda number: None,
) -> list[Score]:
    """Play matches, each in one of several processes.

    Args:
        matches: of one game.
        processes: how many share the work; the scores are the same whatever their number.
        kept: results of an earlier run, which are not played again, and where new ones go.
        progress: called with the number of a match whenever some of its episodes are over.

    Raises:
        UsageError: an agent that cannot be loaded.
        HocketError: the game, the options or the scheduler failed.
    """
    pieces = [(number, piece) for number, match in enumerate(matches) for piece in _pieces(match)]
    scores = [None if kept is None else kept.read(piece) for _, piece in pieces]
    missing = [place for place, score in enumerate(scores) if score is None]
    for place, played in zip(missing, _played([pieces[each][1] for each in missing], processes), strict=True):
        scores[place] = played
        if kept is not None:
            kept.write(pieces[place][1], played)
        progress(pieces[place][0])
    found: list[list[Score]] = [[] for _ in matches]
    for (number, _), score in zip(pieces, scores, strict=True):
        if score is not None:
            found[number].append(score)
    return [_joined(each) for each in found]


def _pieces(match: Match) -> Iterator[Match]:
    """Cut a match into what is played at once, and kept as soon as it is."""
    for start in range(0, len(match.seeds), AT_ONCE):
        yield msgspec.structs.replace(match, seeds=match.seeds[start : start + AT_ONCE])


def _joined(scores: Sequence[Score]) -> Score:
    returns = tuple(each for score in scores for each in score.returns)
    return Score(returns, scores[-1].names, sum(score.failed for score in scores))


def play_match(match: Match) -> Score:
    """Play a match in this process, its episodes at once where all agents can be asked together.

    All agents but language models are made anew for each episode.

    Raises:
        UsageError: an agent that cannot be loaded.
        HocketError: the game, the options or the scheduler failed.
    """
    table = _table(msgspec.json.encode(match.terms.game), match.terms.library.name)
    teams = [table.seated(match.agents) for _ in match.seeds]
    names = tuple(holder.name for holder in teams[0])
    failures = _Failures()
    if all(isinstance(holder.agent, Chooser) for holder in teams[0]):
        rollouts = [
            Rollout(table.scheduler(place, match, seed, names), _seats(team), failures.take)
            for place, (seed, team) in enumerate(zip(match.seeds, teams, strict=True))
        ]
        returns = [result.returns for result in play(rollouts)]
    else:
        returns = [
            anyio.run(_in_their_own_time, table.scheduler(0, match, seed, names), _seats(team), failures)
            for seed, team in zip(match.seeds, teams, strict=True)
        ]
    return Score(tuple(returns), names, failures.count)


class _Failures:
    """Counts agents that fail."""

    def __init__(self) -> None:
        self.count = 0

    def take(self, events: Sequence[Event]) -> None:
        """Look through what happened."""
        self.count += sum(isinstance(event, AgentFailed) for event in events)

    def write(self, event: Event) -> None:
        """Look at one event, as a recorder's sink."""
        self.take((event,))

    def flush(self) -> None:
        """Keep nothing."""


class _Table:
    """A game as often as episodes go on at once, its library, and the language models that play it."""

    def __init__(self, spec: GameSpec, library: str) -> None:
        self._games = [registry.rebuild(spec)]
        self.library: Library[Any] = registry.library(self._games[0], library)
        self._models = Models(self._games[0], shipped=library)

    def seated(self, agents: Sequence[str]) -> list[Holder]:
        """Cast a team."""
        cast = Cast(self._games[0].spec.kind, self._models)
        return [cast.holder(agent, seat) for seat, agent in enumerate(agents)]

    def scheduler(self, place: int, match: Match, seed: int, names: Sequence[str]) -> Scheduler[Any]:
        """Begin an episode on the game of a place."""
        while len(self._games) <= place:
            self._games.append(registry.rebuild(self._games[0].spec))
        terms = match.terms
        length: dict[str, Any] = {"seed": seed, "steps": terms.steps, "starts": terms.starts, "guards": terms.guards}
        return Scheduler(self._games[place], self.library, holders=names, **length)


@cache
def _table(spec: bytes, library: str) -> _Table:
    return _Table(msgspec.json.decode(spec, type=GameSpec), library)


def _seats(team: Sequence[Holder]) -> Seats:
    return Seats(team, Holder("idle", Idle()))


async def _in_their_own_time(scheduler: Scheduler[Any], seats: Seats, failures: _Failures) -> tuple[float, ...]:
    """Play an episode with agents that answer one by one; the world waits for them."""
    clock = Clock()
    result = await play_live(scheduler, seats, Lockstep(), Bus(clock), clock, failures)
    return result.returns


def _played(matches: Sequence[Match], processes: int) -> Iterator[Score]:
    if processes < 2 or len(matches) < 2:
        return map(play_match, matches)
    return shared(play_match, matches, min(processes, len(matches)))


def _weights(match: Match) -> list[str]:
    """Digest the adapters that are named by their folders: other weights under the same name are other agents."""
    folders = [Path(agent.partition("#")[2]) for agent in dict.fromkeys(match.agents) if "#" in agent]
    files = [file for folder in folders if folder.is_dir() for file in sorted(folder.glob("*.safetensors"))]
    return [blake2b(file.read_bytes(), digest_size=8).hexdigest() for file in files]
