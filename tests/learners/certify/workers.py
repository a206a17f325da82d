"""Workers of whom it is known beforehand what team they make."""

from collections.abc import Sequence

from hocket.games.overcooked.view import KitchenView
from hocket.games.pantry.world import PantryView
from hocket.runtime.policy import Choice, Offer


class Alone:
    """Makes its own soup in its own pot, and never looks at the others."""

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        """Do what comes next in that pot."""
        return [Choice(_index(offer, *_next(offer))) for offer in offers]


class Spoiler:
    """Lights every pot that is not full yet, so that its soup is worth nothing."""

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        """Light one, or wait for one."""
        return [Choice(_index(offer, "start_cooking", "")) for offer in offers]


class Hand:
    """Opens the hatch of a pantry, fetches a jar and serves it."""

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        """Do what comes next; a jar that cannot be served is put on the table."""
        return [Choice(_index(offer, _errand(offer.observation), "")) for offer in offers]


class Torn:
    """Fails at its first decision."""

    async def choose(self, offer: Offer) -> Choice:
        """Raise."""
        raise ValueError(f"nothing comes of {offer.decision}")


def _errand(view: PantryView) -> str:
    if view.held:
        return "serve" if view.hatch_open else "hand_over"
    return "fetch" if view.hatch_open else "open_hatch"


def _next(offer: Offer) -> tuple[str, str]:
    """Return an option, and its target where it matters."""
    view: KitchenView = offer.observation
    pot, held = view.pots[offer.seat % len(view.pots)], view.me.held.partition(":")[0]
    at = f"{pot.at[0]},{pot.at[1]}"
    match held, pot.state:
        case "nothing", "full":
            return "start_cooking", at
        case "nothing", "cooking" | "ready":
            return "pick_dish", ""
        case "nothing", _:
            return "pick_onion", ""
        case "onion", _:
            return "place_in_pot", at
        case "dish", "ready":
            return "plate_soup", at
        case "soup", _:
            return "deliver", ""
        case _:
            return "wait", ""


def _index(offer: Offer, option: str, at: str) -> int:
    """Return where an option stands on the menu; that of waiting where it does not."""
    keys = offer.menu.keys
    fits = [key for key in keys if key.partition("@")[0] == option and key.endswith(at)]
    return keys.index(min(fits, default="wait"))
