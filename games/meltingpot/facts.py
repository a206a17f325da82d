"""The whole symbolic state of a Melting Pot world.

A cell is y * width + x, (0, 0) in the upper left corner. Headings are 0 north, 1 east,
2 south, 3 west, as in Melting Pot itself.
"""

import msgspec

HEADINGS = ("north", "east", "south", "west")
OUT = -1
"""The place of a seat that has been zapped out of the game for a while."""


class Facts(msgspec.Struct, frozen=True, array_like=True):
    """Axes: one entry a seat, but for apples and dirt, which are cells in reading order."""

    places: tuple[int, ...]
    """Cell of each seat, `OUT` while it is out of the game."""
    headings: tuple[int, ...]
    zap_wait: tuple[int, ...]
    """Steps until a seat can zap again."""
    clean_wait: tuple[int, ...]
    """Steps until a seat can clean again; always 0 where nobody cleans."""
    apples: tuple[int, ...]
    dirt: tuple[int, ...]
    eaten: tuple[int, ...]
    """Apples that each seat has eaten so far."""
    cleaned: tuple[int, ...]
    """Dirt that each seat has cleaned away so far."""
    zapped: tuple[int, ...]
    """How often each seat has zapped another so far."""


class Happening(msgspec.Struct, frozen=True, array_like=True):
    """Something that the substrate reports of one step."""

    kind: str
    """`ate`, `cleaned` or `zapped`."""
    seat: int
    at: int
    """Cell of the apple, of the dirt, or where whoever was zapped stood."""
    other: int = -1
    """The seat that was zapped."""


class Moment(msgspec.Struct, frozen=True, array_like=True):
    """What a step comes to."""

    facts: Facts
    rewards: tuple[float, ...]
    """Apples eaten in this step, by seat."""
    happenings: tuple[Happening, ...]
    """In the order in which they happened."""
