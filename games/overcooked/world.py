"""A kitchen as a game, and its line in the table of games."""

import re
from collections.abc import Callable, Mapping
from typing import Any, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from hocket.games.guard_files import committed_guards
from hocket.games.overcooked.errands import errands_library
from hocket.games.overcooked.features import planes
from hocket.games.overcooked.kitchen import ACTIONS, STAY, Kitchen
from hocket.games.overcooked.layout import Layout, layout_names, load_layout
from hocket.games.overcooked.options import default_library
from hocket.games.overcooked.picture import picture
from hocket.games.overcooked.recipes import Recipes
from hocket.games.overcooked.reference import ReferenceKitchen
from hocket.games.overcooked.starts import VariedStarts, kitchen_paths
from hocket.games.overcooked.stations import stations_library
from hocket.games.overcooked.view import KitchenView, Viewer
from hocket.games.overcooked.words import KitchenWords
from hocket.runtime.errors import SettingError, UnknownNameError
from hocket.runtime.events import Cell
from hocket.runtime.game import Game, GameSpec, read_starts
from hocket.runtime.option import Library
from hocket.runtime.seed import Streams

ENGINES = ("kitchen", "reference")
INFINITE_BONUS = 1e9
"""Stands for an infinite bonus (tutorial_3 has one): JSON has no number for infinity."""

Facts = tuple[int, ...]
LIBRARIES: Mapping[str, Callable[[Kitchen], Library[Facts]]] = {
    "default": default_library,
    "stations": stations_library,
    "errands": errands_library,
}


class Overcooked:
    """One kitchen, with as many seats as its layout has cooks."""

    actions = ACTIONS
    noop = STAY
    steps = 400

    def __init__(self, layout: Layout, *, old_dynamics: bool = False, engine: object = "kitchen") -> None:
        """Build a kitchen.

        Args:
            layout: floor plan, orders and prices.
            old_dynamics: the last ingredient that fits starts the pot.
            engine: `kitchen`, or `reference` to step overcooked-ai itself.

        Raises:
            SettingError: an unknown engine, or old dynamics on the reference.
            MissingExtraError: overcooked-ai is not installed.
        """
        if engine not in ENGINES:
            raise SettingError(setting="engine", value=engine, right=" or ".join(ENGINES))
        if layout.order_bonus == "inf":
            layout = msgspec.structs.replace(layout, order_bonus=INFINITE_BONUS)
        self.kitchen = (Kitchen if engine == "kitchen" else ReferenceKitchen)(layout, old_dynamics)
        self.seats = self.kitchen.players
        settings = {"layout": msgspec.to_builtins(layout), "old_dynamics": old_dynamics, "engine": engine}
        self.spec = GameSpec("overcooked", f"overcooked:{layout.name}", settings)
        self._viewer = Viewer(self.kitchen)
        self.words = KitchenWords(self.kitchen, self._viewer)
        self._starts = VariedStarts(self.kitchen)
        self.step = self.kitchen.step
        """The kitchen's own; one joint action, in place."""
        self.facts = self.kitchen.facts
        """The kitchen's own; the whole state, in the form that kitchen.py describes."""

    def reset(self, seed: int, starts: str) -> None:
        """Go to the layout's start, or to one drawn from the seed."""
        kind, drawn_from = read_starts(starts, seed)
        self.kitchen.reset()
        if kind != "standard":
            dice = Streams(drawn_from).dice("start")
            self.kitchen.load(self._starts.draw(dice) if kind == "varied" else self._starts.scatter(dice))

    def landmarks(self) -> dict[str, tuple[Cell, ...]]:
        """Return dispensers, pots, windows and counters that have floor beside them."""
        paths, grid = kitchen_paths(self.kitchen), self.kitchen.tables.grid
        names = {"O": "onions", "T": "tomatoes", "D": "dishes", "P": "pots", "S": "windows", "X": "counters"}
        return {
            name: tuple(grid.place(cell) for cell in self.kitchen.tiles(letter) if paths.reachable(cell))
            for letter, name in names.items()
        }

    @property
    def size(self) -> Cell:
        """Width and height of the kitchen, in cells."""
        return self.kitchen.width, self.kitchen.height

    def apart(self) -> bool:
        """Tell whether cooks start in several rooms."""
        paths = kitchen_paths(self.kitchen)
        return len({paths.room(cell) for cell in self.kitchen.tables.grid.starts}) > 1

    def places(self, facts: Facts) -> tuple[Cell, ...]:
        """Return where each cook stands."""
        first, width = self.kitchen.seat0, self.kitchen.width
        return tuple((cell % width, cell // width) for cell in facts[first : first + 3 * self.seats : 3])

    def observe(self, facts: Facts, seat: int) -> KitchenView:
        """Return the kitchen as the cook in `seat` sees it."""
        return self._viewer.view(facts, seat)

    def array(self, facts: Facts, seat: int) -> NDArray[np.float32]:
        """Return the planes of features.py, shape [22, height, width], float32 in 0..1."""
        return planes(self.kitchen, facts, seat)

    def picture(self, facts: Facts) -> str:
        """Draw the kitchen, four characters a cell, with a legend."""
        return picture(self.kitchen, self._viewer, facts)


class OvercookedKind:
    """All kitchens."""

    name = "overcooked"
    about = "Overcooked-AI: cooks fill pots, plate soups and deliver them"

    def variants(self) -> tuple[str, ...]:
        """Return the names of the layouts that come with hocket."""
        return layout_names()

    def make(self, variant: str, settings: Mapping[str, object]) -> Game[Any]:
        """Build a kitchen by the name of its layout, or from a layout file.

        Settings: `old_dynamics`, `engine`, and every price and time of `Recipes`.
        """
        if not variant:
            raise SettingError(setting="game", value=self.name, right="overcooked:LAYOUT, e.g. overcooked:cramped_room")
        own = ("old_dynamics", "engine")
        known = (*own, *Recipes.__struct_fields__)
        for setting in settings:
            if setting not in known:
                raise UnknownNameError(kind=f"setting of {self.name}", name=setting, known=known)
        changed = {key: value for key, value in settings.items() if key not in own}
        fields = msgspec.to_builtins(load_layout(variant)) | changed
        return _build(fields, settings.get("old_dynamics", False), settings.get("engine", "kitchen"))

    def rebuild(self, spec: GameSpec) -> Game[Any]:
        """Build the kitchen of a trace."""
        settings = spec.settings
        return _build(settings["layout"], settings["old_dynamics"], settings["engine"])

    def rules(self, spec: GameSpec) -> GameSpec:
        """Return the spec with the kitchen's own engine, which is proven equal to the package."""
        return GameSpec(spec.kind, spec.name, spec.settings | {"engine": "kitchen"})

    def guards(self, game: Game[Any], library: str) -> bytes | None:
        """Return the guard file of a layout, where one is committed."""
        return committed_guards("hocket.games.overcooked", library, game.spec.name)

    def library(self, game: Game[Any], name: str) -> Library[Any]:
        """Return an option library, with tables for this kitchen."""
        if name not in LIBRARIES:
            raise UnknownNameError(kind="option library", name=name, known=tuple(LIBRARIES))
        return LIBRARIES[name](cast(Overcooked, game).kitchen)


def _build(fields: Mapping[str, object], old_dynamics: object, engine: object) -> Overcooked:
    if not isinstance(old_dynamics, bool):
        raise SettingError(setting="old_dynamics", value=old_dynamics, right="true or false")
    try:
        layout = msgspec.convert(dict(fields), Layout)
    except (msgspec.ValidationError, OverflowError) as error:
        named = re.search(r"`\$\.(\w+)", str(error))
        key = named[1] if named else "layout"
        right = f"what a layout takes: {str(error).partition(' - at')[0]}"
        raise SettingError(setting=key, value=fields.get(key), right=right) from error
    return Overcooked(layout, old_dynamics=old_dynamics, engine=engine)


KIND = OvercookedKind()
