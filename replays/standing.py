"""How seats stand under their contracts, as the events of an episode tell it.

It is what `Seats` counts while it plays: an episode that goes on from a recorded
beginning goes on counting.
"""

from collections.abc import Iterable, Sequence

import msgspec

from hocket.runtime.events import Event, OfferLapsed, OptionChosen, SeatChanged
from hocket.runtime.swap import SWAP

REASON = "fork"
"""Why a seat changes hands where an episode goes on with other agents, in a trace."""


class Standing(msgspec.Struct):
    """One seat, after the events so far."""

    owner: str
    """Name of the agent that it goes back to; that holds it, unless it is relieved."""
    since: int = 0
    """Tick at which it last changed hands; while it is relieved, at which it was."""
    relieved: bool = False
    """Whether the fallback has taken it."""
    missed: int = 0
    """Offers in a row that its agent has missed."""

    def follow(self, event: Event) -> None:
        """Take an event of this seat."""
        match event:
            case OptionChosen():
                self.missed = 0
            case OfferLapsed(reason="timeout" | "rejected"):
                self.missed += 1
            case SeatChanged():
                self._change(event)

    def _change(self, event: SeatChanged) -> None:
        relieves = event.reason == "failed" or event.reason.startswith("missed ")
        if not (relieves and self.relieved):
            self.since = event.tick
        if event.reason in (REASON, SWAP):
            self.owner = event.holder
        self.relieved, self.missed = relieves, 0


def standings(names: Sequence[str], events: Iterable[Event]) -> list[Standing]:
    """Follow the beginning of an episode.

    Args:
        names: of the agent in each seat at the start, shape [seats].
        events: from the start on.

    Returns:
        How each seat stands behind them, shape [seats].
    """
    found = [Standing(name) for name in names]
    for event in events:
        if isinstance(event, OptionChosen | OfferLapsed | SeatChanged):
            found[event.seat].follow(event)
    return found
