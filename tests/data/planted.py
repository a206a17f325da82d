"""Agents and checks with a known fault, for `hocket explore` to find."""

from collections.abc import Sequence

from hocket.replays.trace import Trace
from hocket.runtime.events import OptionEnded
from hocket.runtime.menu import Menu
from hocket.runtime.policy import Choice, Offer


class PreviousMenu:
    """Answers the menu before the one that it was shown."""

    def __init__(self) -> None:
        self._before: dict[int, Menu] = {}

    def choose_many(self, offers: Sequence[Offer]) -> list[Choice]:
        """Draw from the menu of the decision before."""
        menus = [self._before.get(offer.seat, offer.menu) for offer in offers]
        self._before.update({offer.seat: offer.menu for offer in offers})
        return [Choice(int(offer.draw * len(menu))) for offer, menu in zip(offers, menus, strict=True)]


def all_is_done_in_five_ticks(trace: Trace) -> str | None:
    """An invariant of a user's own, which does not always hold."""
    slow = [event for event in trace.events if isinstance(event, OptionEnded) and event.ticks > 5]
    return f"{slow[0].option} took {slow[0].ticks} ticks" if slow else None
