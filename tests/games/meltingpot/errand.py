"""Errands for tests: functions that a process of a world imports by name."""

import os
from random import Random as Dice

from hocket.games.meltingpot.world import MeltingPot
from hocket.runtime.errors import SettingError


def played(game: MeltingPot, payload: bytes) -> bytes:
    """Play sixty steps of the seed in the payload; return the facts of the last."""
    seed = int(payload)
    game.reset(seed, "varied")
    dice = Dice(seed)
    for _ in range(60):
        game.step([dice.randrange(len(game.actions)) for _ in range(game.seats)])
    return repr(game.facts()).encode()


def process(game: MeltingPot, payload: bytes) -> bytes:
    """Return the number of the process that this runs in."""
    return str(os.getpid()).encode()


def refused(game: MeltingPot, payload: bytes) -> bytes:
    """Fail."""
    raise SettingError(setting="errand", value=payload.decode(), right="another")


def deadly(game: MeltingPot, payload: bytes) -> bytes:
    """End the process."""
    os._exit(3)
