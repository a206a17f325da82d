"""A kitchen as data: its floor plan, its orders and what its soups are worth.

A layout is checked when it is made, from wherever it comes, so one that exists
can be played. It goes into the header of a trace as it is.
"""

from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from hocket.games.overcooked.grid import Grid, grid_problem
from hocket.games.overcooked.layout_file import layout_fields, read_text
from hocket.games.overcooked.recipes import Recipes, Soup, all_soups, recipe_problem, sorted_orders, soup_key
from hocket.games.overcooked.start_state import StartState, start_problem
from hocket.runtime.errors import LayoutError, UnknownNameError

ALIASES = {
    "simple": "cramped_room",
    "unident_s": "asymmetric_advantages",
    "random0": "forced_coordination",
    "random1": "coordination_ring",
    "random3": "counter_circuit_o_1order",
}
"""Names from the papers and recordings of 2019, before the layouts were renamed."""


class Layout(Recipes, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One kitchen.

    Raises:
        LayoutError: it cannot be played.
    """

    name: str
    grid: tuple[str, ...]
    """Rows from north to south: X counter, P pot, O onions, T tomatoes, D dishes, S serving counter, 1 to 9 players."""
    start_state: StartState | None = None
    """Where an episode starts if not with an empty kitchen; its orders replace those above."""

    def __post_init__(self) -> None:
        """Refuse what cannot be played."""
        problem = grid_problem(self.grid) or recipe_problem(self)
        if problem is None and self.start_state is not None:
            problem = start_problem(self.start_state, Grid(self.grid), self)
        if problem is not None:
            raise LayoutError(layout=self.name, problem=problem)

    @property
    def players(self) -> int:
        """How many players it has."""
        return len(Grid(self.grid).starts)

    def orders(self) -> tuple[Soup, ...]:
        """The soups that are paid for, each with sorted ingredients, in a fixed order."""
        orders = (self.start_state or self).all_orders
        return sorted_orders(orders, self.max_num_ingredients) or all_soups(self.max_num_ingredients)

    def bonuses(self) -> tuple[Soup, ...]:
        """The soups that are paid with a bonus, in the same form."""
        return sorted_orders((self.start_state or self).bonus_orders, self.max_num_ingredients)

    def points(self, soup: Soup) -> float:
        """Game points for delivering a soup: 0 if it is not ordered."""
        key = soup_key(soup)
        if key not in self.orders():
            return 0.0
        return self.value(key) * (float(self.order_bonus) if key in self.bonuses() else 1)


def layout_names() -> tuple[str, ...]:
    """Names of the layouts that come with hocket, sorted."""
    names = (entry.name for entry in _folder().iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in names if name.endswith(".json")))


def load_layout(name_or_path: str | Path) -> Layout:
    """A layout by its name, or from a file.

    Args:
        name_or_path: a name of `layout_names()`, one of `ALIASES`, or the path of
            a file: it has a slash, or ends in `.layout` or `.json`.

    Raises:
        UnknownNameError: no layout has that name.
        LayoutError: the file cannot be read, or the kitchen not be played.
    """
    asked = str(name_or_path)
    if isinstance(name_or_path, Path) or "/" in asked or asked.endswith((".layout", ".json")):
        return _parse(read_text(Path(name_or_path)), source=asked, name=Path(name_or_path).stem)
    name = ALIASES.get(asked, asked)
    if name not in layout_names():
        raise UnknownNameError(kind="layout", name=asked, known=(*layout_names(), *ALIASES))
    return _parse(_folder().joinpath(f"{name}.json").read_text("utf-8"), source=name, name=name)


def _folder() -> Any:
    return files("hocket.games.overcooked") / "layouts"


def _parse(text: str, *, source: str, name: str) -> Layout:
    fields = layout_fields(text, source=source)
    fields.setdefault("name", name)
    for key in fields:
        if key not in Layout.__struct_fields__:
            near = get_close_matches(key, Layout.__struct_fields__, n=1, cutoff=0.5)
            hint = f"; did you mean {near[0]!r}?" if near else f"; known keys: {', '.join(Layout.__struct_fields__)}"
            raise LayoutError(layout=source, problem=f"it has an unknown key {key!r}{hint}")
    try:
        return msgspec.convert(fields, Layout)
    except (msgspec.ValidationError, OverflowError) as error:
        raise LayoutError(layout=source, problem=f"it does not read as a layout: {error}") from None
