"""What a page draws: maps, and states as a seat may see them."""

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from hocket.games.meltingpot.facts import HEADINGS, OUT
from hocket.games.meltingpot.facts import Facts as WorldFacts
from hocket.games.meltingpot.world import MeltingPot
from hocket.games.overcooked.view import KitchenView
from hocket.games.overcooked.world import Overcooked
from hocket.runtime.game import Game

Json = dict[str, Any]


class Scenes(Protocol):
    """One game, for those who draw."""

    @property
    def map(self) -> Json:
        """What never changes."""
        ...

    def scene(self, facts: Any, seat: int | None) -> Json:
        """Return a state as `seat` may see it; None for those who see all."""
        ...


def scenes_of(game: Game[Any]) -> Scenes:
    """Return how a game is drawn; one that is not known here is drawn in its own characters."""
    if isinstance(game, Overcooked):
        return _Kitchen(game)
    return _World(game) if isinstance(game, MeltingPot) else _Text(game)


class _Kitchen:
    def __init__(self, game: Overcooked) -> None:
        self._game = game
        view = game.observe(game.facts(), 0)
        self.map: Json = {"kind": "kitchen", "grid": view.grid}

    def scene(self, facts: Any, seat: int | None) -> Json:
        """All of the kitchen: cooks see all of it."""
        view: KitchenView = self._game.observe(facts, 0)
        return {
            "cooks": [{"at": cook.place, "facing": cook.facing, "held": cook.held} for cook in (view.me, *view.others)],
            "pots": [msgspec.to_builtins(pot) for pot in view.pots],
            "counters": [{"at": at, "item": item} for at, item in view.counters],
        }


class _World:
    def __init__(self, game: MeltingPot) -> None:
        self._game = game
        terrain = game.terrain
        self.map: Json = {
            "kind": "world",
            "width": terrain.width,
            "height": terrain.height,
            "walls": self._places(sorted(terrain.walls)),
            "water": self._places(sorted(terrain.water)),
            "grass": self._places(sorted(terrain.grass)),
            "sites": self._places(terrain.apple_sites),
        }

    def scene(self, facts: Any, seat: int | None) -> Json:
        """All of it, or what is in the window of a seat."""
        known: WorldFacts = facts
        view = None if seat is None else self._view(known, seat)
        avatars = [
            {"seat": each, "at": self._at(cell), "facing": HEADINGS[heading]}
            for each, (cell, heading) in enumerate(zip(known.places, known.headings, strict=True))
            if view is None or each == seat or cell in view
        ]
        return {
            "avatars": avatars,
            "apples": self._places([cell for cell in known.apples if view is None or cell in view]),
            "dirt": self._places([cell for cell in known.dirt if view is None or cell in view]),
            "view": None if view is None else self._places(sorted(view)),
        }

    def _view(self, facts: WorldFacts, seat: int) -> frozenset[int]:
        cell = facts.places[seat]
        return frozenset() if cell == OUT else self._game.ground.windows.cells(cell, facts.headings[seat])

    def _at(self, cell: int) -> tuple[int, int] | None:
        return None if cell == OUT else self._game.terrain.place(cell)

    def _places(self, cells: Sequence[int]) -> list[tuple[int, int]]:
        return [self._game.terrain.place(cell) for cell in cells]


class _Text:
    def __init__(self, game: Game[Any]) -> None:
        self._game = game
        self.map: Json = {"kind": "text"}

    def scene(self, facts: Any, seat: int | None) -> Json:
        """Lines of text; a game that hides something from its seats is not drawn for them."""
        return {"picture": self._game.picture(facts)}
