"""A game that is filmed: its own picture after the reset and after each step.

A film looks on and must not cost the episode that it looks at. Where a frame cannot be kept in
mid-episode (the disk is full, the folder is gone) the film ends before it, and the game is played
and recorded to its last tick; whoever made the film asks for its `problem` then. What can be known
before is told before: a reel that cannot be begun is an error while nothing has been played.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from hocket.runtime.errors import FilmError, HocketError
from hocket.runtime.events import GameEvent
from hocket.runtime.game import Game, Pictured

F = TypeVar("F")


class PicturedGame(Game[F], Pictured, Protocol[F]):
    """A game with a picture of its own."""


class Reel(Protocol):
    """Where the frames of a film go."""

    @property
    def path(self) -> Path:
        """The file or folder, as it was named."""
        ...

    def take(self, tick: int, frame: NDArray[np.uint8]) -> None:
        """Keep a frame, shape [height, width, 3].

        Args:
            tick: from 0, one after the other.
            frame: of that tick; the game may draw the next one in the same array.

        Raises:
            OSError: it cannot be kept; those before it still are.
        """
        ...

    def close(self) -> None:
        """End the film, if it has not ended; of one without a frame nothing is left.

        Raises:
            OSError: what was taken cannot be put in its place.
        """
        ...


class Film(Generic[F]):
    """A game, and the camera before it: for one episode. An episode without a step leaves no film."""

    def __init__(self, game: PicturedGame[F], reel: Reel) -> None:
        self._game, self._reel = game, reel
        self.spec, self.seats, self.steps, self.words = game.spec, game.seats, game.steps, game.words
        self.actions, self.noop = game.actions, game.noop
        self.facts, self.landmarks, self.observe = game.facts, game.landmarks, game.observe
        self.array, self.picture, self.rgb = game.array, game.picture, game.rgb
        self.problem: FilmError | None = None
        """Why the film is shorter than the episode."""
        self.frames = 0
        """How many have been kept."""
        self._start: NDArray[np.uint8] | None = None

    @property
    def path(self) -> Path:
        """Where the film goes."""
        return self._reel.path

    def reset(self, seed: int, starts: str) -> None:
        """Go to the start of an episode; its picture is kept with the first step."""
        self._game.reset(seed, starts)
        self._start = np.array(self._game.rgb())

    def step(self, joint: Sequence[int]) -> tuple[tuple[float, ...], tuple[GameEvent, ...]]:
        """Carry out one action a seat, and film what comes of it."""
        moved = self._game.step(joint)
        if self.problem is None:
            self._film()
        return moved

    def close(self) -> None:
        """End the film; what goes wrong is its `problem`."""
        try:
            self._reel.close()
        except OSError as error:
            self.frames = 0
            self._fail(error)

    def _film(self) -> None:
        try:
            if self._start is not None:
                self._keep(self._start)
                self._start = None
            self._keep(self._game.rgb())
        except (OSError, HocketError) as error:
            self._fail(error)

    def _keep(self, frame: NDArray[np.uint8]) -> None:
        self._reel.take(self.frames, frame)
        self.frames += 1

    def _fail(self, error: OSError | HocketError) -> None:
        """Note the first thing that went wrong."""
        rest = f"the film ends before tick {self.frames}" if self.frames else "there is no film"
        said = f"cannot be written: {spoken(error)}" if isinstance(error, OSError) else str(error)
        self.problem = self.problem or FilmError(path=self.path, problem=f"{said}; {rest}")


def spoken(error: OSError) -> str:
    """Return what the system says, as part of a sentence."""
    return (error.strerror or str(error)).lower()
