"""Work beside a world, in its process: an episode without a message a step.

An errand is somebody else's function, named `module:function`: it gets a game that may be
reset once, and bytes, and returns bytes. Where its module has a function `prepare`, that
gets the game before copies are made, so that they share what it works out.
"""

import pickle
from functools import cache
from importlib import import_module
from typing import Any, cast

import msgspec

from hocket.games import registry
from hocket.games.meltingpot.world import MeltingPot, World
from hocket.runtime.game import GameSpec


class Errand(msgspec.Struct, frozen=True):
    """What is to be done."""

    spec: GameSpec
    """Of the game."""
    place: str
    """Of the function."""
    payload: bytes


def prepare(message: bytes) -> None:
    """Import a function, build its game and work out what never changes of its map, for copies to have."""
    errand = msgspec.msgpack.decode(message, type=Errand)
    ground = _game(msgspec.json.encode(errand.spec)).ground
    for cell in ground.terrain.floor:
        ground.walks.distances(cell)
        for heading in range(4):
            ground.windows.cells(cell, heading)
    for cell in ground.terrain.dirt_sites:
        ground.beams.poses(cell)
    _function(errand.place)
    ready = getattr(import_module(errand.place.partition(":")[0]), "prepare", None)
    if ready is not None:
        ready(_game(msgspec.json.encode(errand.spec)))


def run(world: World, message: bytes) -> bytes:
    """Run an errand beside a world; return whether it came to its end, and what it returned or raised."""
    errand = msgspec.msgpack.decode(message, type=Errand)
    try:
        game = _game(msgspec.json.encode(errand.spec))
        game.use(world)
        return pickle.dumps((True, _function(errand.place)(game, errand.payload)))
    except Exception as error:
        return pickle.dumps((False, error))


def beside(game: MeltingPot, place: str, payload: bytes) -> bytes:
    """Run a function in the process of a fresh world of a game.

    Args:
        game: of the same kind; what it plays itself is not touched.
        place: `module:function`, importable there.
        payload: handed on.

    Returns:
        What the function returns.

    Raises:
        WorldError: the process cannot be started, or has ended.
        Exception: whatever the function raised.
    """
    host = game.host()
    host.prepare(place, msgspec.msgpack.encode(Errand(game.spec, place, b"")))
    world = host.world()
    try:
        came, answer = pickle.loads(world.run(msgspec.msgpack.encode(Errand(game.spec, place, payload))))
    finally:
        world.close()
    if not came:
        raise cast(Exception, answer)
    return cast(bytes, answer)


@cache
def _game(spec: bytes) -> MeltingPot:
    return cast(MeltingPot, registry.rebuild(msgspec.json.decode(spec, type=GameSpec)))


@cache
def _function(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
