"""An open offer as a message, with the way that each entry would take."""

from typing import Any

from hocket.agents.web.messages import Entry, Offered
from hocket.agents.web.plan import Plan
from hocket.agents.web.routes import path_of
from hocket.runtime.policy import Offer


def offered(plan: Plan, facts: Any, offer: Offer) -> Offered:
    """Put an offer into a message; `facts` are those of this moment, from which ways begin."""
    entries = tuple(
        Entry(
            letter,
            entry.key,
            entry.option,
            entry.target,
            entry.words,
            path_of(plan.game, plan.library, facts, offer.seat, entry),
        )
        for letter, entry in zip(offer.menu.letters, offer.menu.entries, strict=True)
    )
    return Offered(offer.seat, offer.decision, offer.tick, entries, offer.observation, offer.draw)
