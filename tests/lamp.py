"""A game with a picture of its own: the pantry, lit by a lamp that wanders."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hocket.games.pantry.world import Pantry
from hocket.runtime.errors import WorldError
from hocket.runtime.events import GameEvent

HEIGHT, WIDTH = 3, 5


class Lamp(Pantry):
    """Draws every picture in the same array, as a fast game would."""

    def __init__(self, *, out_at: int | None = None) -> None:
        """Light the lamp; it goes out at a tick, if one is named."""
        super().__init__(2)
        self.tick, self.asked, self._out_at = 0, 0, out_at
        self._picture = np.zeros((HEIGHT, WIDTH, 3), dtype=np.uint8)

    def reset(self, seed: int, starts: str) -> None:
        super().reset(seed, starts)
        self.tick = 0

    def step(self, joint: Sequence[int]) -> tuple[tuple[float, ...], tuple[GameEvent, ...]]:
        self.tick += 1
        return super().step(joint)

    def rgb(self) -> NDArray[np.uint8]:
        """One cell is lit, the next one at each tick."""
        self.asked += 1
        if self.tick == self._out_at:
            raise WorldError(problem="the lamp is out")
        self._picture[:] = lit(self.tick)
        return self._picture


def lit(tick: int) -> NDArray[np.uint8]:
    """Return the picture of a tick."""
    picture = np.full((HEIGHT, WIDTH, 3), 30, dtype=np.uint8)
    picture[tick % HEIGHT, tick % WIDTH] = (250, 200, tick % 256)
    return picture
