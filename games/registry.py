"""The table of games: from a name, or a trace's header, to a game.

Games are found by the entry point `hocket.games`, so that a game of somebody
else's needs no change here. A name is `kind` or `kind:variant`.
"""

from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any, cast

import structlog

from hocket.games.primitives import NAME as PRIMITIVES
from hocket.games.primitives import primitives_library
from hocket.runtime.errors import UnknownNameError
from hocket.runtime.game import Game, GameSpec, Kind
from hocket.runtime.option import Library

_log = structlog.get_logger(__name__)


def kinds() -> dict[str, Kind]:
    """Return every installed kind of game that can be loaded, by name, in order of name."""
    found: dict[str, Kind] = {}
    for name, point in sorted(_points().items()):
        try:
            found[name] = cast(Kind, point.load())
        except Exception as error:
            _log.warning("a game cannot be loaded", game=name, error=f"{type(error).__name__}: {error}")
    return found


def kind(name: str) -> Kind:
    """Return one kind of game.

    Raises:
        UnknownNameError: none of that name is installed.
    """
    points = _points()
    if name not in points:
        raise UnknownNameError(kind="game", name=name, known=points)
    return cast(Kind, points[name].load())


def make(name: str, settings: Mapping[str, object] | None = None) -> Game[Any]:
    """Build a game by name, e.g. `overcooked:forced_coordination`.

    Raises:
        UnknownNameError: no such game or variant.
        SettingError: a setting that the game does not have, or a value that it cannot take.
    """
    family, _, variant = name.partition(":")
    if family not in _points():
        found = kinds()
        full = [f"{known}:{each}" for known, its in found.items() for each in its.variants() if each]
        raise UnknownNameError(kind="game", name=name, known=[*found, *full])
    return kind(family).make(variant, settings or {})


def rebuild(spec: GameSpec) -> Game[Any]:
    """Build the game that a trace was recorded on, from its header alone."""
    return kind(spec.kind).rebuild(spec)


def library(game: Game[Any], name: str = "default") -> Library[Any]:
    """Return one of a game's option libraries, or its primitive actions, which every game has."""
    if name == PRIMITIVES:
        return primitives_library(game)
    return kind(game.spec.kind).library(game, name)


def rules(spec: GameSpec) -> GameSpec:
    """Return a spec of the same rules, with whatever changes nothing but the speed at its fastest."""
    return kind(spec.kind).rules(spec)


def guards(game: Game[Any], library: str = "default") -> bytes | None:
    """Return the guard file that comes with a game, None where none does."""
    return kind(game.spec.kind).guards(game, library)


def _points() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group="hocket.games")}
