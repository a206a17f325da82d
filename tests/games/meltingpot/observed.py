"""A substrate played at random in a process of its own, each step from both sides.

The process is another one, since dmlab2d ends the one it is in where something goes wrong.
"""

import subprocess
import sys
from functools import cache
from random import Random as Dice

import msgspec
import numpy as np
from numpy.typing import NDArray

from hocket.games.meltingpot.facts import Moment
from hocket.games.meltingpot.order import Order, Start

BEGUN = Start(3, 4, 0.6, 0.2)
"""Seeds and shares of the start: apples to eat and dirt to clean from the first step on."""
STEPS, LOOK = 1000, 20
"""Length of a run, and steps from one look at what avatars see to the next."""
Colours = tuple[tuple[int, int, int], ...]
"""Red, green and blue of each cell of a picture, added up, which is the same however the cell is turned."""


class Step(msgspec.Struct, frozen=True, array_like=True):
    """One moment from both sides."""

    moment: Moment
    avatars: tuple[tuple[int, int, int, int], ...]
    """x, y, heading, and whether it is in the game, of every seat."""
    objects: tuple[tuple[int, int, int, int], ...]
    """x, y, kind (1 apple, 2 dirt), and whether it is there, of all that can be."""
    rewards: tuple[float, ...]
    ready: tuple[float, ...]
    """1 where a seat can zap, less while it cannot yet, 0 while it is out of the game."""
    picture: Colours = ()
    """Of the world; with every look alone, as are the next."""
    seen: tuple[Colours, ...] = ()
    """Of each seat's window, turned to where it looks."""


class Observed(msgspec.Struct, frozen=True):
    """A whole run."""

    width: int
    actions: int
    """How many there are."""
    walls: tuple[int, ...]
    water: tuple[int, ...]
    steps: tuple[Step, ...]
    """The start, then what each of `joints` came to."""


def joints(actions: int, seats: int) -> list[tuple[int, ...]]:
    """Random joint actions; every third step leads ahead, so that avatars get about and meet."""
    dice, choices = Dice(11), [*range(actions), 1, 1, 1, 1]
    return [tuple(dice.choice(choices) for _ in range(seats)) for _ in range(STEPS)]


@cache
def observed(order: Order) -> Observed:
    """Build a substrate in a fresh process and play it there."""
    command = [sys.executable, "-P", __file__, msgspec.json.encode(order).decode()]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return msgspec.msgpack.decode(done.stdout, type=Observed)


def _play(order: Order) -> Observed:
    from hocket.games.meltingpot.lab import Lab

    lab, seats = Lab(order), range(1, order.seats + 1)

    def step(moment: Moment, tick: int) -> Step:
        looks = tick % LOOK == 0
        return Step(
            moment,
            lab.read("WORLD.AVATARS").tolist(),
            lab.read("WORLD.OBJECTS").tolist(),
            tuple(float(lab.read(f"{seat}.REWARD")) for seat in seats),
            tuple(float(lab.read(f"{seat}.READY_TO_SHOOT")) for seat in seats),
            _colours(lab.rgb()) if looks else (),
            tuple(_colours(lab.read(f"{seat}.RGB")) for seat in seats) if looks else (),
        )

    steps, actions = [step(lab.begin(BEGUN), 0)], len(lab.actions)
    for tick, joint in enumerate(joints(actions, order.seats), 1):
        steps.append(step(lab.step(bytes(joint)), tick))
    names = lab.read("WORLD.SPRITE_NAMES").decode().split("\n")  # type: ignore[attr-defined]
    layers = lab.read("WORLD.LAYER").reshape(-1, lab.read("WORLD.LAYER").shape[2]).tolist()
    walls, water = (
        tuple(cell for cell, sprites in enumerate(layers) if any(names[each].startswith(kind) for each in sprites))
        for kind in ("Wall", "water")
    )
    return Observed(lab.width, actions, walls, water, tuple(steps))


def _colours(picture: NDArray[np.uint8]) -> Colours:
    """Add up the 8 by 8 pixels of each cell."""
    height, width, _ = picture.shape
    cells = picture.reshape(height // 8, 8, width // 8, 8, 3).astype(int).sum(axis=(1, 3))
    return tuple(map(tuple, cells.reshape(-1, 3).tolist()))


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.msgpack.encode(_play(msgspec.json.decode(sys.argv[1], type=Order))))
