"""What commands that compare agents over many episodes have in common."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.progress import Progress

from hocket.agents.models import Models
from hocket.agents.spec import Cast
from hocket.commands.arguments import checked_steps, parse_settings
from hocket.games import registry
from hocket.guarding import hidden_by
from hocket.learners.contest import pieces, play_all
from hocket.learners.match import Match, Score, Terms
from hocket.learners.results import Results
from hocket.replays.statistics import scipy_stats
from hocket.replays.trace import LibraryMark
from hocket.runtime.errors import MissingError, SettingError
from hocket.runtime.game import Game, read_starts

GameName = Annotated[str, typer.Argument(metavar="GAME", help="e.g. overcooked:cramped_room; see `hocket games`.")]
Seed = Annotated[int, typer.Option(help="The first seed.")]
Steps = Annotated[int | None, typer.Option(help="Length in ticks; by default the game's usual one.")]
Starts = Annotated[str, typer.Option(help="standard, varied or scattered, as for `hocket play`.")]
LibraryName = Annotated[str, typer.Option(help="The option library to play with.")]
Guards = Annotated[str, typer.Option(metavar="own|none|FILE", help="As for `hocket play`.")]
Agents = Annotated[
    list[str], typer.Option("--agent", metavar="AGENT", help="As for a seat of `hocket play`; once for each.")
]
Episodes = Annotated[int, typer.Option(help="How many of each pairing, on the same seeds.")]
Processes = Annotated[int | None, typer.Option(help="How many share the work.  [default: one a core]")]
Out = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Keep each score there; what is there already is not played again."),
]
Settings = Annotated[list[str], typer.Option("--set", metavar="KEY=VALUE", help="A setting of the game.")]
_MOST = 100_000


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """What was given on the command line."""

    game: str
    episodes: int
    seed: int
    steps: int | None
    starts: str
    settings: Sequence[str]
    library: str
    guards: str


class Comparison:
    """One game, and the episodes that are compared on it."""

    def __init__(self, given: Given) -> None:
        """Check what was given.

        Raises:
            UsageError: something that makes no sense, or SciPy is not installed.
        """
        if not 1 <= given.episodes <= _MOST:
            raise SettingError(setting="--episodes", value=given.episodes, right=f"1 to {_MOST:,}")
        if not 0 <= given.seed < 2**62:
            raise SettingError(setting="--seed", value=given.seed, right="0 or more, below 2^62")
        read_starts(given.starts, given.seed)
        scipy_stats()
        self.game: Game[Any] = registry.make(given.game, parse_settings(given.settings))
        library = registry.library(self.game, given.library)
        steps = checked_steps(self.game.steps if given.steps is None else given.steps)
        mark = LibraryMark(library.name, library.version, library.digest)
        guards = hidden_by(given.guards, self.game, library)
        self.terms = Terms(self.game.spec, mark, guards, steps, given.starts)
        self.seeds = range(given.seed, given.seed + given.episodes)
        self._cast = Cast(self.game.spec.kind, Models(self.game, shipped=given.library))

    def check(self, agent: str, seats: Iterable[int]) -> None:
        """Check that an agent can play in these seats.

        Raises:
            UsageError: a person, or one that cannot be loaded.
        """
        if agent.partition(":")[0] == "human":
            raise SettingError(setting="agent", value=agent, right="one that plays by itself")
        with redirect_stdout(sys.stderr):  # agents may print; what is asked for is not theirs
            for seat in seats:
                self._cast.holder(agent, seat)

    def check_all(self, agents: Sequence[str]) -> None:
        """Check that there are agents, each of them once, and that they can play in every seat.

        Raises:
            UsageError: they cannot.
        """
        if not agents:
            raise MissingError(argument="--agent AGENT", what="it says who plays")
        twice = [agent for place, agent in enumerate(agents) if agent in agents[:place]]
        if twice:
            raise SettingError(setting="--agent", value=twice[0], right="given once")
        for agent in agents:
            self.check(agent, range(self.game.seats))


def checked_processes(processes: int | None) -> int:
    """Return how many processes share the work: one a core where that is left open."""
    if processes is not None and not 1 <= processes <= 256:
        raise SettingError(setting="--processes", value=processes, right="1 to 256")
    return processes or os.cpu_count() or 1


def play(matches: Sequence[Match], processes: int | None, out: Path | None) -> list[Score]:
    """Play matches under a bar.

    Args:
        matches: to play.
        processes: how many share the work; one a core where that is left open.
        out: where each score is kept, and what is there already is not played again; None for nowhere.

    Raises:
        UsageError: a number of processes or a folder that cannot be.
        HocketError: an agent that cannot be loaded, or a game that failed.
    """
    share, kept = checked_processes(processes), None if out is None else Results(out)
    with bar(sum(len(pieces(match)) for match in matches)) as advance:
        return play_all(matches, processes=share, kept=kept, progress=lambda number: advance())


@contextmanager
def bar(total: int) -> Iterator[Callable[[], object]]:
    """Show on stderr how much of so many pieces is over; what agents print goes there too.

    Args:
        total: how many there are.

    Yields:
        What is to be called whenever one is over.
    """
    console = Console(stderr=True)
    with (
        Progress(console=console, transient=True, disable=not console.is_terminal) as progress,
        redirect_stdout(sys.stderr),
    ):
        task = progress.add_task("playing", total=total)
        yield lambda: progress.advance(task)
