"""The game, library and scheduler of a recorded episode, built from its header alone."""

from collections.abc import Iterator
from typing import Any

from hocket.games import registry
from hocket.replays.difference import Difference
from hocket.replays.trace import Trace, installed_versions
from hocket.runtime.errors import HocketError, TraceError
from hocket.runtime.game import Game
from hocket.runtime.option import Library
from hocket.runtime.scheduler import Scheduler


class Rebuilt:
    """What a recorded episode was played on, here and now."""

    def __init__(self, trace: Trace) -> None:
        """Build it.

        Raises:
            UsageError: its game or library is not installed here, or cannot be built from its header.
        """
        self._trace = trace
        self.game = _game(trace)
        self.library: Library[Any] = registry.library(self.game, trace.header.library.name)

    def scheduler(self) -> Scheduler[Any]:
        """Return the episode at its start; the game is reset, so one at a time."""
        header = self._trace.header
        return Scheduler(
            self.game,
            self.library,
            seed=header.seed,
            holders=header.seats,
            steps=header.steps,
            starts=header.starts,
            guards=header.guards,
        )

    def difference(self) -> Difference | None:
        """Compare what the header says beside the game's settings with the game that was built from them."""
        header, game = self._trace.header, self.game
        if header.actions != game.actions:
            return Difference(0, None, "actions", list(header.actions), list(game.actions))
        if len(header.seats) != game.seats:
            return Difference(0, None, "seats", len(header.seats), game.seats)
        return None

    def notes(self) -> Iterator[str]:
        """Say what is no difference but worth knowing."""
        trace, library = self._trace, self.library
        header, installed = trace.header, installed_versions()
        for name, version in header.versions.items():
            if version != installed.get(name):
                yield f"{name} was {version}, and is {installed.get(name, 'not installed')}"
        if (library.version, library.digest) != (header.library.version, header.library.digest):
            yield f"the option library {library.name!r} has changed since the trace was recorded"
        if trace.torn:
            yield f"the trace is torn: it was cut after event {len(trace.events)}"
        elif not trace.ended:
            yield "the trace has no end: its episode did not finish"


def _game(trace: Trace) -> Game[Any]:
    """Build the trace's game; a header that a game cannot make sense of is the user's mistake."""
    try:
        return registry.rebuild(trace.header.game)
    except HocketError:
        raise
    except Exception as error:
        problem = f"no {trace.header.game.kind} can be built from it: {type(error).__name__}: {error}"
        raise TraceError(path=trace.path, number=0, field="game", problem=problem) from error
