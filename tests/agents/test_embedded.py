"""The committed base reads menus, and prefers nothing."""

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from random import Random

import pytest
import torch

from hocket.learners.embedded.figures import Base, Figures, figures
from hocket.learners.embedded.prompts import play_offers, sketch
from hocket.runtime.policy import Offer

SEED = 2_000_000
"""Of prompts that the base was not trained on."""


@pytest.fixture(scope="module")
def base() -> Iterator[Base]:
    """The committed one, on one thread: two busy cores are slower than one."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield Base(Path(str(files("hocket.agents") / "embedded")))
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def offers() -> list[Offer]:
    """A hundred: kitchens that it knows and one that it does not, pantries, and a game that is not there."""
    dice = Random(SEED)
    kitchens = [
        each
        for name, library in (
            ("asymmetric_advantages", "default"),
            ("forced_coordination", "stations"),
            ("coordination_ring", "errands"),
        )
        for each in dice.sample(play_offers(f"overcooked:{name}", library, dice, share=1), 20)
    ]
    crowd = dice.sample(play_offers("pantry", "default", dice, seats=5, share=1), 20)
    return [*kitchens, *crowd, *(sketch(dice) for _ in range(20))]


@pytest.fixture(scope="module")
def found(base: Base, offers: list[Offer]) -> Figures:
    """All that is measured, once."""
    return figures(base, offers)


def test_a_letter_follows_the_option_that_was_named(found: Figures) -> None:
    """Without this the two lines of a reply say two things, and nothing can be learned from either."""
    assert found.prompts >= 95
    assert found.bound >= 0.99
    assert found.chance >= 0.97


def test_no_other_letter_follows(base: Base, offers: list[Offer]) -> None:
    """The measure can fail: where the letters of a turned menu are taken for right, it does."""
    right = 0
    for offer in offers[:20]:
        _, rows = base.read(offer)
        size = len(rows)
        right += sum(row[(place + 1) % size] == max(row) for place, row in enumerate(rows)) if size > 1 else 0

    assert right <= 2


def test_no_option_is_preferred(found: Figures) -> None:
    """What is good to do is left to be learned: each name is intended about as often as it is offered."""
    leaning = {name: pair for name, pair in found.shares.items() if abs(pair[0] - pair[1]) > 0.02}

    assert not leaning
    assert found.lean <= 2


def test_a_reply_that_is_written_out_is_well_formed(found: Figures) -> None:
    """Intent and letter are of one entry of the menu."""
    assert found.written >= 0.97
