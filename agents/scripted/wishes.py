"""What partners of Melting Pot wish to do, and what of it is offered."""

from collections.abc import Iterator, Sequence

from hocket.games.meltingpot.view import Seen
from hocket.runtime.policy import Choice, Offer

_PATCH = "go_to_patch"


def first(offer: Offer, *wishes: str) -> Choice:
    """Choose the first wish that is on the menu; wait, where none is."""
    keys = offer.menu.keys
    return Choice(next((keys.index(wish) for wish in wishes if wish in keys), keys.index("wait")))


def nearest(option: str, seen: Sequence[Seen]) -> Iterator[str]:
    """Wish for an option aimed at each of some things, the nearest first."""
    return (f"{option}@{thing.at[0]},{thing.at[1]}" for thing in seen)


def patches(offer: Offer) -> list[str]:
    """Wish to go to the patches on the menu, in an order drawn for this decision; the last one visited comes last."""
    found = sorted(key for key in offer.menu.keys if key.startswith(f"{_PATCH}@"))
    last = next((key for key in reversed(offer.recent.options) if key in found), None)
    turn = int(offer.draw * len(found))
    return sorted(found[turn:] + found[:turn], key=lambda key: key == last)
