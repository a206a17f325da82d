"""What the paper reports for a cell, where its setting is the same as ours.

The same are backbone, game, interface, capacity, length, and a standard start; option libraries
are each one's own. The numbers stand in `published.toml`.
"""

from functools import cache
from importlib.resources import files

import msgspec

from hocket.learners.cells.place import Place

OVER_SEEDS, OVER_EPISODES = 1, 2
"""Numbers of the paper's tables."""


class Published(msgspec.Struct, frozen=True):
    """One value of the paper."""

    text: str
    """As it is printed: `6.80 ± 1.89`, or `0.00†` where training collapsed."""
    where: str
    about: str = ""
    """What it leaves open."""

    @property
    def mean(self) -> str:
        """The mean, as it is printed."""
        return self.text.partition(" ± ")[0].rstrip("†")

    @property
    def std(self) -> str:
        """The standard deviation, as it is printed; empty where there is none."""
        return self.text.partition(" ± ")[2]


class _Value(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    table: int
    where: str
    backbone: str
    interface: str
    capacity: str
    games: dict[str, str]
    about: str = ""


class _Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    source: str
    about: dict[str, str]
    steps: dict[str, int]
    value: tuple[_Value, ...]


def published(table: int, place: Place, steps: int | None, starts: str) -> Published | None:
    """Return what the paper reports of a cell.

    Args:
        table: 1 for a mean over training seeds, 2 for one over evaluation episodes.
        place: of the cell.
        steps: length of its episodes, in ticks; None where nobody played them.
        starts: of them.

    Returns:
        The value; None where the paper has none, or one of another setting.
    """
    paper = _paper()
    if starts != "standard" or steps not in (None, paper.steps.get(place.game)):
        return None
    for each in paper.value:
        there = (each.table, each.backbone, each.interface, each.capacity)
        if there == (table, place.backbone, place.interface, place.capacity) and place.game in each.games:
            return Published(each.games[place.game], each.where, paper.about.get(each.about, ""))
    return None


@cache
def _paper() -> _Paper:
    content = (files("hocket.learners.cells") / "published.toml").read_bytes()
    return msgspec.toml.decode(content, type=_Paper)
