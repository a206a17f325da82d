"""What is said of starts is what the game does with them."""

import pytest

from hocket.games import registry
from hocket.learners.certify.starts import starts_because

SEEDS = range(10_000, 10_004)


@pytest.mark.parametrize(
    ("game", "starts", "said"),
    [
        ("overcooked:cramped_room", "scattered", "each seat begins anywhere in its own room"),
        ("overcooked:cramped_room", "standard", "the game's usual one, which is fixed"),
        ("overcooked:cramped_room", "varied", "drawn from all that there may be"),
        ("overcooked:cramped_room", "scattered:7", "all begin alike"),
        ("pantry", "scattered", "the game draws its usual start"),
        ("pantry", "standard", "the game draws its usual start"),
        ("pantry", "standard:7", "all begin alike"),
    ],
)
def test_a_reason_is_told_from_the_game(game: str, starts: str, said: str) -> None:
    """Whatever it is called: one of somebody else's is told as well as ours."""
    spec = registry.make(game).spec

    assert starts_because(spec, starts, SEEDS).startswith(said)


def test_melting_pot_draws_its_start_anyway() -> None:
    """Avatars begin on drawn spawn points."""
    pytest.importorskip("dmlab2d")
    spec = registry.make("cleanup").spec

    assert starts_because(spec, "scattered", SEEDS).startswith("the game draws its usual start")
