"""What the paper reports for a cell, where its setting is the same as ours.

The same are backbone, game, interface, capacity, length, and a standard start; option libraries
are each one's own. The numbers stand in `published.toml`.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec

from hocket.learners.cells.place import Place
from hocket.learners.cells.plan import Protocol

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


def deviations(protocol: Protocol, steps: Mapping[str, int]) -> tuple[str, ...]:
    """Say in what an evaluation is not as the paper's.

    Args:
        protocol: of it.
        steps: length of the episodes of each game, in ticks. For a game that the paper does not have any is as good,
            unless the file sets it.
    """
    told = {
        "episodes": f"{protocol.episodes} episodes",
        "first_seed": f"seeds from {protocol.first_seed:,}",
        "starts": f"{protocol.starts} starts",
    }
    others = [said for key, said in told.items() if getattr(protocol, key) != getattr(Protocol(), key)]
    paper = _paper().steps
    wrong = {game: length for game, length in steps.items() if length != paper.get(game, length)}
    own = {game: length for game, length in steps.items() if game not in paper and protocol.steps is not None}
    lengths = [f"{length} ticks of {game} instead of {paper[game]}" for game, length in wrong.items()]
    return (*others, *lengths, *(f"{length} ticks of {game}" for game, length in own.items()))


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
