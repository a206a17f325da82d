"""A small real model, adapters of its own, and offers to put to it."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from hocket.agents.adapter import Adapter, read_adapter
from hocket.agents.fresh import fresh_adapter
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.named_base import find_base
from hocket.agents.offers import random_offers
from hocket.games import registry
from hocket.learners.guard_file import decode_guards
from hocket.runtime.policy import Offer

Offered = Callable[..., list[Offer]]


@cache
def _offered(name: str, library: str, steps: int, seed: int) -> tuple[Offer, ...]:
    game = registry.make(name)
    options = registry.library(game, library)
    committed = registry.guards(game, library) if library != "primitives" else None
    guards = decode_guards(committed, name).guards if committed is not None else ()
    return tuple(random_offers(game, options, seed=seed, steps=steps, guards=guards))


@pytest.fixture(scope="session")
def offered() -> Offered:
    """Offers of an episode of random play, by game, library, length and seed; guarded where guards are committed."""

    def offers(name: str = "pantry", library: str = "default", steps: int = 60, seed: int = 1) -> list[Offer]:
        return list(_offered(name, library, steps, seed))

    return offers


@pytest.fixture(scope="session")
def embedded() -> FrozenBase:
    """The base that comes with hocket."""
    return find_base("")


@pytest.fixture(scope="session")
def adapters(embedded: FrozenBase, tmp_path_factory: pytest.TempPathFactory) -> list[Adapter]:
    """Three adapters of it that answer at random, and one that was never trained."""
    folder = tmp_path_factory.mktemp("adapters")
    for seat in range(3):
        fresh_adapter(folder / f"seat{seat}@v1", embedded, rank=8, seed=seat, spread=0.05)
    fresh_adapter(folder / "new@v0", embedded, rank=8, seed=9)
    return [read_adapter(Path(folder / name), embedded) for name in ("seat0@v1", "seat1@v1", "seat2@v1", "new@v0")]
