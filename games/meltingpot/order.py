"""What it takes to build and to begin a world, as data."""

import msgspec

SUBSTRATES = {
    "cleanup": "clean_up",
    "harvest:open": "commons_harvest__open",
    "harvest:closed": "commons_harvest__closed",
    "harvest:partnership": "commons_harvest__partnership",
    "harvest:no_thinning": "commons_harvest__open",
}
"""Melting Pot's name of each of our games."""


class Order(msgspec.Struct, frozen=True):
    """One substrate with its number of seats."""

    folder: str
    """That holds the package `meltingpot`."""
    substrate: str
    """Melting Pot's name, e.g. `clean_up`."""
    level: str
    """Folder of its components, e.g. `commons_harvest`."""
    seats: int
    regrowth: tuple[float, ...] = ()
    """Chance of an apple to grow in a step, by live apples around it; empty for the substrate's own."""


class Start(msgspec.Struct, frozen=True, array_like=True):
    """How an episode begins."""

    start: int
    """Seed of where avatars stand, and of which apples and dirt there are."""
    play: int
    """Seed of all that comes after."""
    apples: float = -1.0
    """Share of the apple sites that bear one; negative for the substrate's own start."""
    dirt: float = -1.0
    """Share of the river's sites that are dirty; negative for the same."""
