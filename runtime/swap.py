"""A seat that is to change hands at a tick, whoever holds it then."""

import msgspec

from hocket.runtime.policy import Agent

SWAP = "swap"
"""Why such a seat changes hands, in a trace."""


class Swap(msgspec.Struct, frozen=True):
    """Carried out before the offers of the first tick on which its seat is between two options."""

    tick: int
    """From which on."""
    seat: int
    name: str
    """Of the agent that takes the seat, as the trace knows it."""
    agent: Agent
    adapter: str | None = None
    """As a holder's."""
