"""A seat that is awaited: who holds it, and whether they are there."""

import asyncio
from collections.abc import Callable

from hocket.agents.outside import Outside
from hocket.agents.web.line import Line
from hocket.runtime.policy import Offer
from hocket.runtime.seats import Holder


class Door:
    """One seat, and the connection of whoever has its link."""

    def __init__(self, name: str, told: Callable[[Offer | None], object]) -> None:
        """Wait for somebody; `name` is what traces call them, and `told` hears of their offers."""
        self.line: Line | None = None
        self.outside = Outside(told)
        self.holder = Holder(name, self.outside)
        self.leaving: asyncio.TimerHandle | None = None
        """Ends the grace time."""
        self.away = False
        """Whether the fallback has been called for."""
