"""An episode by names: all that it takes to play it, here or elsewhere.

A recipe is data, and a simulation is made from it once a process: the game, its options
and guards, and the language models among its agents; everything else is made anew for
each episode, so that one leaves nothing behind for the next.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

import anyio
import msgspec

from hocket.agents.models import Models
from hocket.agents.named_base import names_model
from hocket.agents.spec import Cast
from hocket.games import registry
from hocket.guarding import hidden_by
from hocket.replays.recording import Recording, record
from hocket.replays.trace import Terms, Trace, make_header
from hocket.runtime.contract import Contract
from hocket.runtime.drawn import Drawn
from hocket.runtime.errors import EpisodeError
from hocket.runtime.fault_profile import FaultProfile
from hocket.runtime.incident import Faults, Incident
from hocket.runtime.ledger import Counts
from hocket.runtime.listed import Listed
from hocket.runtime.pace import Simulated
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats, spoilt


class Recipe(msgspec.Struct, frozen=True, kw_only=True):
    """What is played, and by whom."""

    game: str
    settings: dict[str, Any] = {}
    library: str = "default"
    guards: str = "own"
    seats: dict[int, str] = {}
    """Agents by seat, as on the command line; a seat that is not named is idle."""
    steps: int | None = None
    """Length in ticks; None for the game's usual one."""
    starts: str = "standard"
    profile: FaultProfile = FaultProfile()
    contracts: dict[int, Contract] = {}
    fallback: str = "idle"


class Simulation:
    """Simulated episodes of one recipe."""

    def __init__(self, recipe: Recipe) -> None:
        """Get everything ready.

        Raises:
            UsageError: a name that leads to nothing.
        """
        self.recipe = recipe
        self._game = registry.make(recipe.game, recipe.settings)
        self._library = registry.library(self._game, recipe.library)
        self.steps = self._game.steps if recipe.steps is None else recipe.steps
        self._hidden = hidden_by(recipe.guards, self._game, self._library)
        self._models = Models(self._game, shipped=recipe.library)
        cast = Cast(self._game.spec.kind, self._models)
        self._kept = {seat: cast.holder(spec, seat) for seat, spec in sorted(recipe.seats.items()) if names_model(spec)}
        self._cast()

    def play(self, seed: int, incidents: Sequence[Incident] | None = None) -> tuple[Recording, tuple[Incident, ...]]:
        """Play an episode; return what it left, and what went wrong in it.

        Args:
            seed: of the episode.
            incidents: what is to go wrong; None for what the profile and the seed say.
        """
        if incidents is not None:
            given = tuple(incidents)
            return self._play(seed, Listed(given), given), given
        drawn = Drawn(self.recipe.profile, seed=seed, seats=self._game.seats, steps=self.steps)
        return self._play(seed, drawn, None), drawn.incidents

    def _play(self, seed: int, faults: Faults, incidents: tuple[Incident, ...] | None) -> Recording:
        recipe, game = self.recipe, self._game
        holders, fallback = self._cast()
        contracts = tuple(recipe.contracts.get(seat, Contract()) for seat in range(game.seats))
        terms = Terms(
            "simulated",
            contracts if any(each != Contract() for each in contracts) else (),
            fallback.name,
            recipe.profile if incidents is None else None,
            tuple(map(str, incidents or ())),
        )
        names = [holder.name for holder in holders]
        length: dict[str, Any] = {"seed": seed, "steps": self.steps, "starts": recipe.starts, "guards": self._hidden}
        header = make_header(game, self._library, seats=names, agents=self._models.marks(), terms=terms, **length)
        scheduler = Scheduler(game, self._library, holders=names, **length)
        seats = Seats(spoilt(holders, faults), fallback, contracts)
        try:
            return anyio.run(partial(record, header, scheduler, seats, Simulated(faults)))
        except (RuntimeError, asyncio.CancelledError) as error:
            problem = f"an agent has stopped it: {type(error).__name__}: {error}"
            stopped = EpisodeError(part="event loop", tick=scheduler.now, problem=problem)
            return Recording(Trace(header, ()), Counts(0, 0, 0, {}), (), (), stopped)

    def _cast(self) -> tuple[list[Holder], Holder]:
        """Seat the agents, anew but for language models."""
        recipe = self.recipe
        cast = Cast(self._game.spec.kind)
        named = [(seat, recipe.seats.get(seat, "idle")) for seat in range(self._game.seats)]
        holders = [self._kept.get(seat) or cast.holder(spec, seat) for seat, spec in named]
        return holders, cast.fallback(recipe.fallback)
