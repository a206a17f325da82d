"""`--png` and `--gif`: whether an episode is filmed, and what is said of it."""

import math
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from hocket.film import Film, PicturedGame, Reel, spoken
from hocket.runtime.errors import FilmError, MissingExtraError, SettingError
from hocket.runtime.game import Game, Pictured

F = TypeVar("F")

PngFolder = Annotated[
    Path | None,
    typer.Option("--png", metavar="FOLDER", help="Write the game's own picture of each tick there, as 00000.png, ..."),
]
GifFile = Annotated[
    Path | None,
    typer.Option("--gif", metavar="FILE", help="Write the game's own pictures there, as one film, --hz a second."),
]
_HZ = 8.0


class Camera:
    """What one episode is filmed with, or nothing."""

    def __init__(self, png: Path | None, gif: Path | None, hz: float | None) -> None:
        """Note what was asked for; nothing is written yet.

        Args:
            png: a folder for frames.
            gif: a file for a film; one of the two, or neither.
            hz: of the film, in frames a second; None for 8.

        Raises:
            SettingError: both, or a rate that makes no sense.
        """
        if png is not None and gif is not None:
            raise SettingError(setting="--gif", value=str(gif), right="left out with --png: one or the other")
        self._png, self._gif, self._hz = png, gif, _HZ if hz is None else hz
        if gif is not None and not 1e-6 <= self._hz < math.inf:
            raise SettingError(setting="hz", value=hz, right="a finite number of frames a second above 0")
        self._film: Film[Any] | None = None

    def check(self, game: Game[Any]) -> None:
        """Refuse a game that has no picture of its own.

        Raises:
            SettingError: it has none, and was to be filmed.
        """
        for setting, path in (("--png", self._png), ("--gif", self._gif)):
            if path is not None and not isinstance(game, Pictured):
                right = f"left out: {game.spec.name} has no picture of its own"
                raise SettingError(setting=setting, value=str(path), right=right)

    def on(self, game: Game[F]) -> Game[F]:
        """Return the game, with its film if there is to be one.

        Raises:
            SettingError: it has no picture of its own.
            FilmError: the film cannot be begun there.
            MissingExtraError: pillow is not installed.
        """
        self.check(game)
        if (self._png is None and self._gif is None) or not isinstance(game, Pictured):
            return game
        pictured: PicturedGame[F] = game
        self._film = film = Film(pictured, self._reel())
        return film

    def close(self) -> None:
        """End the film."""
        if self._film is not None:
            self._film.close()

    def lines(self) -> list[str]:
        """Say what was filmed, in a line at most."""
        film = self._film
        return [f"film: {film.path}, {film.frames} frames"] if film is not None and film.frames else []

    def code(self, otherwise: int = 0) -> int:
        """Return an exit code: where the film failed, that is said, and it is 2."""
        if self._film is None or self._film.problem is None:
            return otherwise
        typer.echo(f"hocket: {self._film.problem}", err=True)
        return 2

    def _reel(self) -> Reel:
        try:
            from hocket.gif import Gif
            from hocket.pngs import Pngs
        except ImportError as error:
            raise MissingExtraError(extra="meltingpot", needed_for="a film") from error
        path = self._png or self._gif or Path()
        try:
            return Pngs(path) if self._png is not None else Gif(path, self._hz)
        except FileNotFoundError as error:
            raise FilmError(path=path, problem=f"the folder {path.parent} is not there") from error
        except OSError as error:
            raise FilmError(path=path, problem=f"cannot be written: {spoken(error)}") from error
