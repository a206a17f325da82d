"""The agent that picks uniformly."""

from collections import Counter
from math import log

from hypothesis import given
from hypothesis import strategies as st

from hocket.agents.random import Random
from hocket.games import registry
from hocket.runtime.events import Receipt
from hocket.runtime.policy import Offer
from hocket.runtime.scheduler import Scheduler


def offers(seed: int, ticks: int = 1) -> list[Offer]:
    """What a pantry of three offers while nobody does anything."""
    game = registry.make("pantry", {"seats": 3})
    scheduler = Scheduler(game, registry.library(game), seed=seed, holders=("ada", "bo", "cy"), steps=60)
    made = []
    for _ in range(ticks):
        made += scheduler.due()
        for seat in range(3):
            scheduler.lapse(seat, "timeout")
    return made


def test_every_option_is_picked_equally_often() -> None:
    """Burn-in counts what follows on a choice; a choice that is made more often would be counted for more."""
    made = offers(seed=0, ticks=2000)

    choices = Random().choose_many(made)

    picked = Counter(offer.menu.keys[choice.index] for offer, choice in zip(made, choices, strict=True))
    assert len(picked) == 6
    assert all(850 < count < 1150 for count in picked.values())


@given(st.integers(0, 1 << 40))
def test_a_choice_is_a_function_of_the_offer(seed: int) -> None:
    """Asked alone or with the others, now or again, it picks the same."""
    made = offers(seed, ticks=3)

    together = list(Random().choose_many(made))

    assert together == [Random().choose_many((offer,))[0] for offer in offers(seed, ticks=3)]
    assert all(0 <= choice.index < len(offer.menu) for choice, offer in zip(together, made, strict=True))


def test_the_receipt_says_how_likely_the_choice_was() -> None:
    """A learner can weigh random play like any other."""
    choices = Random().choose_many(offers(seed=0))

    assert {choice.receipt for choice in choices} == {Receipt(-log(6))}
