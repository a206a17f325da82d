"""A place in the ablation grid: what a team chooses from, and who learns."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from hocket.agents.named_base import EMBEDDED, SMOLLM2, parse_model
from hocket.learners.config import Config

INTERFACES = ("menu", "json", "native")
CAPACITIES = ("private", "shared", "frozen")
ROWS = {
    ("native", "frozen"): "Frozen + native (Abl. C)",
    ("menu", "frozen"): "Frozen + option menu (base)",
    ("native", "private"): "Native + MAGRPO (Abl. A)",
    ("json", "private"): "Compound-JSON + MAGRPO (Abl. D)",
    ("menu", "shared"): "Shared-LoRA + option menu (Abl. B)",
    ("menu", "private"): "Full method",
    ("json", "frozen"): "Frozen + compound-JSON",
    ("native", "shared"): "Shared-LoRA + native",
    ("json", "shared"): "Shared-LoRA + compound-JSON",
}
"""The whole grid by interface and capacity: six rows of the paper's Table 2 in its order, and below them the rest."""


class Place(msgspec.Struct, frozen=True):
    """Where a cell stands."""

    backbone: str
    """Name of the base."""
    game: str
    interface: str
    capacity: str

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.backbone}, {self.game}, {self.interface}, {self.capacity}"


def grid(places: Iterable[Place]) -> Iterator[Place]:
    """Yield every cell of every backbone and game that there is anything of, row by row as they are printed."""
    teams = dict.fromkeys((each.backbone, each.game) for each in places)
    for backbone, game in teams:
        for interface, capacity in ROWS:
            yield Place(backbone, game, interface, capacity)


def place_of(config: Config) -> Place:
    """Return where a team of a configuration stands.

    Raises:
        SettingError: its base is none.
    """
    return Place(backbone(config.model.base), config.game.name, config.cell.interface, config.cell.capacity)


def backbone(base: str) -> str:
    """Return the name of a base, whether it is there or not.

    Args:
        base: as for a seat: `llm`, `llm:smollm2`, `llm:FOLDER`.

    Raises:
        SettingError: it is none of these.
    """
    name, _ = parse_model(base)
    if name == EMBEDDED:
        return "embedded"
    return name if name == SMOLLM2 else re.sub(r"[^\w.-]", "-", Path(name).resolve().name)
