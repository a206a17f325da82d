"""The agent that waits."""

from hocket.agents.idle import Idle
from hocket.games import registry
from hocket.runtime.scheduler import Scheduler


def test_an_idle_seat_waits_whatever_the_letters() -> None:
    """It is what a failed agent's seat goes to, so it must be able to play any menu of any game."""
    for name in ("pantry", "pantry:roles", "overcooked:cramped_room"):
        game = registry.make(name)
        scheduler = Scheduler(game, registry.library(game), seed=3, holders=["idle"] * game.seats, steps=60)
        offers = scheduler.due()

        choices = Idle().choose_many(offers)

        assert [offer.menu.keys[choice.index] for offer, choice in zip(offers, choices, strict=True)] == [
            "wait",
            "wait",
        ]
        assert all(choice.receipt is None for choice in choices)
