"""Matches played: here, or shared out over processes, and kept.

Episodes are in lockstep; what is left is returns, by seat, and their traces where a folder is given for them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import lru_cache
from pathlib import Path
from typing import Any

import anyio
import msgspec

from hocket.agents.idle import Idle
from hocket.agents.models import Models
from hocket.agents.named_base import names_model
from hocket.agents.spec import Cast
from hocket.games import registry
from hocket.learners.match import Match, Piece, Score, Terms, trace_of
from hocket.learners.results import Results
from hocket.replays.recording import play_live
from hocket.replays.trace import Header, make_header, read_trace
from hocket.replays.workers import shared
from hocket.replays.writer import TraceWriter
from hocket.runtime.bus import Bus
from hocket.runtime.clock import Clock
from hocket.runtime.errors import HocketError
from hocket.runtime.events import AgentFailed, Event
from hocket.runtime.game import GameSpec
from hocket.runtime.option import Library
from hocket.runtime.pace import Lockstep
from hocket.runtime.policy import Chooser
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

AT_ONCE = 10
"""Episodes that advance together, so that a language model is asked for all of them at once."""


def play_all(
    matches: Sequence[Match],
    *,
    processes: int,
    kept: Results | None = None,
    folders: Sequence[Path] = (),
    progress: Callable[[int], object] = lambda number: None,
) -> list[Score]:
    """Play matches, each in one of several processes.

    Args:
        matches: to play; those of one game one after the other.
        processes: how many share the work; the scores are the same whatever their number.
        kept: results of earlier runs, which are not played again, and where new ones go as soon as they are there.
        folders: for the traces of each match, which are there; empty where none are recorded.
        progress: called with the number of a match whenever some of its episodes are over.

    Raises:
        UsageError: an agent that cannot be loaded, or a trace that cannot be written.
        HocketError: the game, the options or the scheduler failed.
    """
    where: list[Path | None] = [*folders] or [None] * len(matches)
    known = [_known(match, folder, kept) for match, folder in zip(matches, where, strict=True)]
    cut = [
        (number, piece)
        for number, (match, folder) in enumerate(zip(matches, where, strict=True))
        for piece in pieces(_without(match, known[number]), folder, kept)
    ]
    for (number, piece), played in zip(cut, _played([piece for _, piece in cut], processes), strict=True):
        known[number].update(zip(piece.match.seeds, played.episodes(), strict=True))
        progress(number)
    return [_joined([known[number][seed] for seed in match.seeds]) for number, match in enumerate(matches)]


def pieces(match: Match, folder: Path | None = None, kept: Results | None = None) -> list[Piece]:
    """Cut a match into what is played at once.

    Args:
        match: to cut.
        folder: for its traces; None where none are kept.
        kept: where scores go; None where they are not kept.
    """
    starts = range(0, len(match.seeds), AT_ONCE)
    seeds = (match.seeds[start : start + AT_ONCE] for start in starts)
    places = "" if folder is None else str(folder), "" if kept is None else str(kept.folder)
    return [Piece(msgspec.structs.replace(match, seeds=each), *places) for each in seeds]


def _known(match: Match, folder: Path | None, kept: Results | None) -> dict[int, Score]:
    """Return the episodes that were played before: a score, and a whole trace where there is to be one."""
    found = {} if kept is None else kept.read(match)
    return {seed: score for seed, score in found.items() if folder is None or _is_whole(trace_of(folder, seed))}


def _without(match: Match, known: Mapping[int, Score]) -> Match:
    return msgspec.structs.replace(match, seeds=tuple(seed for seed in match.seeds if seed not in known))


def _is_whole(path: Path) -> bool:
    try:
        return read_trace(path).ended
    except HocketError:
        return False


def _joined(scores: Sequence[Score]) -> Score:
    returns = tuple(each for score in scores for each in score.returns)
    return Score(returns, scores[-1].names, tuple(each for score in scores for each in score.failures))


def play_piece(piece: Piece) -> Score:
    """Play episodes in this process, at once where all agents can be asked together.

    All agents but language models are made anew for each episode.

    Raises:
        UsageError: an agent that cannot be loaded, or a trace that cannot be written.
        HocketError: the game, the options or the scheduler failed.
    """
    match = piece.match
    table = _table_for(match.terms)
    teams = table.teams(match)
    names = tuple(holder.name for holder in teams[0])
    together = all(isinstance(holder.agent, Chooser) for holder in teams[0])
    places = range(len(teams)) if together else [0] * len(teams)
    with ExitStack() as opened:
        sinks = [_Sink() for _ in teams]
        for sink, seed, path in zip(sinks, match.seeds, piece.traces(), strict=False):
            sink.trace = opened.enter_context(closing(TraceWriter(path, table.header(match, seed, names))))
        schedulers = (
            table.scheduler(place, match, seed, names) for place, seed in zip(places, match.seeds, strict=True)
        )
        if together:
            rollouts = [
                Rollout(scheduler, _seats(team), sink.take)
                for scheduler, team, sink in zip(schedulers, teams, sinks, strict=True)
            ]
            returns = [result.returns for result in play(rollouts)]
        else:
            returns = [
                anyio.run(_in_their_own_time, scheduler, _seats(team), sink)
                for scheduler, team, sink in zip(schedulers, teams, sinks, strict=True)
            ]
    score = Score(tuple(returns), names, tuple(sink.failures for sink in sinks))
    if piece.scores:
        Results(Path(piece.scores)).write(match, score)
    return score


class _Sink:
    """Counts agents that fail in an episode, and records it where there is a trace."""

    def __init__(self) -> None:
        self.failures = 0
        self.trace: TraceWriter | None = None

    def take(self, events: Sequence[Event]) -> None:
        """Look through what happened."""
        for event in events:
            self.write(event)
        self.flush()

    def write(self, event: Event) -> None:
        """Look at one event."""
        self.failures += isinstance(event, AgentFailed)
        if self.trace is not None:
            self.trace.write(event)

    def flush(self) -> None:
        """Hand on what is recorded."""
        if self.trace is not None:
            self.trace.flush()


class _Table:
    """A game as often as episodes go on at once, its library, and the language models that play it."""

    def __init__(self, spec: GameSpec, library: str, style: Mapping[str, object]) -> None:
        self._games = [registry.rebuild(spec)]
        self.library: Library[Any] = registry.library(self._games[0], library)
        self._models = Models(self._games[0], shipped=library, style=style)

    def teams(self, match: Match) -> list[list[Holder]]:
        """Cast the team of a match once for each of its episodes, and its language models once for all of them."""
        self._models.clear()
        models = {
            seat: self._models.holder(agent, seat) for seat, agent in enumerate(match.agents) if names_model(agent)
        }
        return [self._seated(match.agents, models) for _ in match.seeds]

    def _seated(self, agents: Sequence[str], models: Mapping[int, Holder]) -> list[Holder]:
        cast = Cast(self._games[0].spec.kind)
        return [models[seat] if seat in models else cast.holder(agent, seat) for seat, agent in enumerate(agents)]

    def scheduler(self, place: int, match: Match, seed: int, names: Sequence[str]) -> Scheduler[Any]:
        """Begin an episode on the game of a place."""
        while len(self._games) <= place:
            self._games.append(registry.rebuild(self._games[0].spec))
        terms = match.terms
        length: dict[str, Any] = {"seed": seed, "steps": terms.steps, "starts": terms.starts, "guards": terms.guards}
        return Scheduler(self._games[place], self.library, holders=names, **length)

    def header(self, match: Match, seed: int, names: Sequence[str]) -> Header:
        """Write down what an episode depends on."""
        terms, marks = match.terms, self._models.marks()
        return make_header(
            self._games[0],
            self.library,
            seed=seed,
            starts=terms.starts,
            steps=terms.steps,
            seats=names,
            guards=terms.guards,
            agents={name: mark for name, mark in marks.items() if name in names},
        )


def cast(match: Match) -> list[Holder]:
    """Cast the team of a match, as it plays its episodes; its language models are loaded once.

    Raises:
        UsageError: an agent that cannot be loaded.
    """
    [team] = _table_for(match.terms).teams(msgspec.structs.replace(match, seeds=match.seeds[:1]))
    return team


def _table_for(terms: Terms) -> _Table:
    return _table(msgspec.json.encode([terms.game, terms.library.name, terms.style]))


@lru_cache(maxsize=1)
def _table(terms: bytes) -> _Table:
    return _Table(*msgspec.json.decode(terms, type=tuple[GameSpec, str, dict[str, Any]]))


def _seats(team: Sequence[Holder]) -> Seats:
    return Seats(team, Holder("idle", Idle()))


async def _in_their_own_time(scheduler: Scheduler[Any], seats: Seats, sink: _Sink) -> tuple[float, ...]:
    """Play an episode with agents that answer one by one; the world waits for them."""
    clock = Clock()
    result = await play_live(scheduler, seats, Lockstep(), Bus(clock), clock, sink)
    return result.returns


def _played(cut: Sequence[Piece], processes: int) -> Iterator[Score]:
    if processes < 2 or len(cut) < 2:
        return map(play_piece, cut)
    return shared(play_piece, cut, min(processes, len(cut)))
