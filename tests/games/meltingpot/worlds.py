"""Melting Pot worlds for tests, where this machine has its packages and substrates."""

from collections.abc import Iterable, Sequence
from random import Random as Dice
from typing import Any, cast

import pytest

from hocket.games import registry
from hocket.games.meltingpot.facts import OUT, Facts
from hocket.games.meltingpot.machine import needed
from hocket.games.meltingpot.order import Order
from hocket.games.meltingpot.sources import substrates
from hocket.games.meltingpot.world import MeltingPot, order_of
from hocket.runtime.errors import UsageError
from hocket.runtime.events import Cell
from hocket.runtime.game import Game

NORTH, EAST, SOUTH, WEST = range(4)
STEP = ((0, -1), (1, 0), (0, 1), (-1, 0))
"""A step ahead as x and y, by heading."""


def _missing() -> str:
    """Say what is not here; nothing where all of it is."""
    try:
        needed()
        substrates()
    except UsageError as error:
        return str(error)
    return ""


needs_substrates = pytest.mark.skipif(bool(_missing()), reason=_missing() or "nothing is missing")


def world(name: str = "cleanup", **settings: object) -> MeltingPot:
    """Build a world anew; the process behind it is one for all worlds of a substrate and number of seats."""
    return cast(MeltingPot, registry.make(name, settings))


def order(game: MeltingPot) -> Order:
    """What the process of a world is told to build."""
    return order_of(game.spec.name, substrates(), game.spec.settings)


def joints(game: Game[Any], ticks: int, seed: int = 7, *, zap: bool = True) -> list[tuple[int, ...]]:
    """Random joint actions, in which everything that can be done is done now and then."""
    dice, actions = Dice(seed), [action for action, name in enumerate(game.actions) if zap or name != "fire_zap"]
    return [tuple(dice.choice(actions) for _ in range(game.seats)) for _ in range(ticks)]


def standing(
    game: MeltingPot,
    poses: Sequence[tuple[Cell, int] | None],
    *,
    apples: Iterable[Cell] = (),
    dirt: Iterable[Cell] = (),
    zap_wait: Sequence[int] = (),
    clean_wait: Sequence[int] = (),
    eaten: Sequence[int] = (),
) -> Facts:
    """Facts with avatars at these places and headings, None for one that is out of the game; nobody else has any."""
    cell, seats = game.terrain.cell, len(poses)
    return Facts(
        places=tuple(OUT if pose is None else cell(pose[0]) for pose in poses),
        headings=tuple(NORTH if pose is None else pose[1] for pose in poses),
        zap_wait=(*zap_wait, *(0,) * seats)[:seats],
        clean_wait=(*clean_wait, *(0,) * seats)[:seats],
        apples=tuple(sorted(map(cell, apples))),
        dirt=tuple(sorted(map(cell, dirt))),
        eaten=(*eaten, *(0,) * seats)[:seats],
        cleaned=(0,) * seats,
        zapped=(0,) * seats,
    )
