"""Offers of one episode of random play: what prompts and models are tried on."""

from collections.abc import Sequence
from typing import Any

from hocket.agents.random import Random
from hocket.runtime.game import Game
from hocket.runtime.guard import Guard
from hocket.runtime.option import Library
from hocket.runtime.policy import Choice, Offer
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats


def random_offers(
    game: Game[Any], library: Library[Any], *, seed: int, steps: int, guards: Sequence[Guard] = ()
) -> list[Offer]:
    """Play one episode at random, from a varied start, and return every offer that was made, in order."""
    keeper = _Keeper()
    holder = Holder("random", keeper)
    names = [holder.name] * game.seats
    scheduler = Scheduler(game, library, seed=seed, holders=names, steps=steps, starts="varied", guards=guards)
    play([Rollout(scheduler, Seats([holder] * game.seats, holder))])
    return keeper.offers


class _Keeper:
    """Plays at random and keeps what it is offered."""

    def __init__(self) -> None:
        self.offers: list[Offer] = []
        self._random = Random()

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        """Draw once for each offer."""
        self.offers += offers
        return self._random.choose_many(offers)
