"""What is played at a table, and by whom."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from hocket.agents.web.line import Role
from hocket.agents.web.messages import Welcome
from hocket.runtime.game import Game
from hocket.runtime.guard import Guard
from hocket.runtime.option import Library
from hocket.runtime.seats import Holder

AWAITED = ("human", "remote")
"""Names of seats that are awaited: for a page, or for another process; one does for the other."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """One table."""

    game: Game[Any]
    library: Library[Any]
    guards: tuple[Guard, ...]
    interface: Literal["menu", "native"]
    outside: Mapping[int, str]
    """Seats that are awaited, each with the name that its holder has in traces: `human` or `remote`."""
    cast: Callable[[str, int], Holder]
    """Makes the agent of a name for a seat."""
    agents: Mapping[int, str]
    """Names for the other seats."""
    fallback: str
    seed: int
    steps: int
    starts: str
    hz: float
    grace: float
    """Seconds."""
    traces: Callable[[int], Path]
    """Where the trace of an episode goes, by its seed."""


def welcome(plan: Plan, role: Role, seat: int | None, drawn: dict[str, Any], links: Mapping[str, str]) -> Welcome:
    """Tell a newcomer what there is.

    Args:
        plan: of the table.
        role: of the newcomer.
        seat: the same, None but for a seat's.
        drawn: the map that never changes.
        links: paths, for the host to hand on.
    """
    return Welcome(
        role=role,
        seat=seat,
        game=plan.game.spec.name,
        seats=plan.game.seats,
        steps=plan.steps,
        hz=plan.hz,
        interface=plan.interface,
        map=drawn,
        links=dict(links) if role == "host" else {},
    )
