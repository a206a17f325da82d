"""What the starts of a certificate are, and what for: told from the game."""

from collections.abc import Sequence
from typing import Any

from hocket.games import registry
from hocket.runtime.game import Game, GameSpec

_ONE = "from one fixed start, fixed scripts would play one episode"


def starts_because(spec: GameSpec, starts: str, seeds: Sequence[int]) -> str:
    """Say what starts are in a game, and why.

    Args:
        spec: of the game.
        starts: of the episodes, as `read_starts` has it.
        seeds: of the episodes.

    Raises:
        UsageError: the game is not installed.
        WorldError: a world cannot be built.
    """
    form, fixed, _ = starts.partition(":")
    if fixed:
        return "all begin alike: fixed scripts then play one episode again and again"
    if form == "varied":
        return "drawn from all that there may be, things half done included, which a seat may then finish alone"
    game = registry.rebuild(spec)
    if _differ(game, "standard", seeds):
        return f"the game draws its usual start: {_ONE}"
    if form == "scattered" and _differ(game, form, seeds):
        return f"each seat begins anywhere in its own room: {_ONE}"
    return "the game's usual one, which is fixed: fixed scripts play one episode again and again"


def _differ(game: Game[Any], starts: str, seeds: Sequence[int]) -> bool:
    """Tell whether not all episodes begin alike."""
    first, *others = seeds
    begun = _begun(game, starts, first)
    return any(_begun(game, starts, seed) != begun for seed in others)


def _begun(game: Game[Any], starts: str, seed: int) -> Any:
    game.reset(seed, starts)
    return game.facts()
