"""A filmed game is the game, and no film costs it its episode."""

import os
from errno import ENOSPC
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.lamp import Lamp, lit

from hocket.film import Film
from hocket.games.pantry.options import default_library
from hocket.runtime.events import Event
from hocket.runtime.game import Game
from hocket.runtime.scheduler import Scheduler

TICKS = 6


class Box:
    """Keeps frames in memory, as many as it holds."""

    path = Path("box")

    def __init__(self, room: int = 99, *, shuts: bool = True) -> None:
        self.frames: list[NDArray[np.uint8]] = []
        self._room, self._shuts = room, shuts

    def take(self, tick: int, frame: NDArray[np.uint8]) -> None:
        assert tick == len(self.frames)
        if tick == self._room:
            raise OSError(ENOSPC, os.strerror(ENOSPC))
        self.frames.append(frame.copy())

    def close(self) -> None:
        if not self._shuts:
            raise OSError(ENOSPC, os.strerror(ENOSPC))


def _played(game: Game[Any]) -> list[Event]:
    """Play a few ticks; return all that happened."""
    scheduler = Scheduler(game, default_library(), seed=7, holders=("ada", "bo"), steps=TICKS)
    for _ in range(TICKS):
        for offer in scheduler.due():
            scheduler.choose(offer.seat, offer.decision % len(offer.menu))
        scheduler.tick()
    scheduler.end("horizon")
    return scheduler.take()


def test_a_filmed_episode_is_the_same_episode() -> None:
    """With a frame of its start and one of each step, though the game draws them all in one array."""
    box = Box()

    events = _played(Film(Lamp(), box))

    assert events == _played(Lamp())
    assert len(box.frames) == TICKS + 1
    assert all(np.array_equal(frame, lit(tick)) for tick, frame in enumerate(box.frames))


def test_a_film_has_the_type_of_its_game() -> None:
    """Whatever a game is asked, a filmed one answers."""
    game = Lamp()
    film = Film(game, Box())
    film.reset(3, "varied")

    facts = film.facts()

    assert (film.spec, film.seats, film.steps, film.noop) == (game.spec, game.seats, game.steps, game.noop)
    assert (film.actions, film.words, film.landmarks()) == (game.actions, game.words, game.landmarks())
    assert (facts, film.observe(facts, 1), film.picture(facts)) == (
        game.facts(),
        game.observe(facts, 1),
        game.picture(facts),
    )
    assert np.array_equal(film.array(facts, 0), game.array(facts, 0))
    assert np.array_equal(film.rgb(), game.rgb())


def test_a_full_disk_ends_the_film_and_not_the_episode() -> None:
    """What was filmed stays; the game is asked for no more pictures, and the first thing that went wrong is told."""
    game, box = Lamp(), Box(room=3, shuts=False)
    film = Film(game, box)

    events = _played(film)
    film.close()

    assert events == _played(Lamp())
    assert (len(box.frames), game.asked) == (3, 4)
    assert str(film.problem) == "box: cannot be written: no space left on device; the film ends before tick 3"


def test_a_picture_that_fails_ends_the_film_and_not_the_episode() -> None:
    """Where the world itself is at its end, its next step says so."""
    film = Film(Lamp(out_at=2), Box())

    events = _played(film)

    assert events == _played(Lamp())
    assert str(film.problem) == "box: the Melting Pot world: the lamp is out; the film ends before tick 2"


@pytest.mark.parametrize("box", [Box(room=0), Box(shuts=False)])
def test_where_nothing_is_left_of_a_film_that_is_told(box: Box) -> None:
    """Not one frame could be kept, or the film could not be put in its place."""
    film = Film(Lamp(), box)

    _played(film)
    film.close()

    assert (str(film.problem), film.frames) == ("box: cannot be written: no space left on device; there is no film", 0)


def test_an_episode_without_a_step_leaves_no_film() -> None:
    """It may have been refused by whoever writes its trace."""
    box = Box()
    film = Film(Lamp(), box)

    film.reset(0, "standard")
    film.close()

    assert (box.frames, film.problem) == ([], None)
