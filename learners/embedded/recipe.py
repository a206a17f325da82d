"""How a base is made, in numbers."""

import msgspec


class Recipe(msgspec.Struct, frozen=True):
    """How a base is made."""

    seed: int = 0
    steps: int = 1600
    """Of the optimiser; the first part on bare menus, the last on whole prompts."""
    rate: float = 1.5e-3
    hidden: int = 128
    inner: int = 384
    heads: int = 4
    episodes: int = 2
    """Played for each layout, library and number of seats."""
    easy: float = 0.06
    drill: float = 0.2
    short: float = 0.35
    """Shares of the steps after which bare menus are no longer easy, small, and bare."""
    layouts: tuple[str, ...] | None = None
    """That prompts are played on; None for all but those held out."""
