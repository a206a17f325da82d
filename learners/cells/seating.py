"""Teams seated once, so that what cannot be loaded is told before anything is played."""

from collections.abc import Mapping
from typing import Any

import msgspec

from hocket.agents.adapter import Adapter
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.models import Models
from hocket.agents.named_base import NO_ADAPTER, find_base, parse_model
from hocket.games import registry
from hocket.learners.cells.contestant import Contestant
from hocket.learners.cells.plan import Protocol
from hocket.learners.config import Config
from hocket.learners.match import Match, Terms
from hocket.learners.stage import Stage
from hocket.replays.trace import LibraryMark


def on_base(config: Config, base: str | None) -> Config:
    """Return a configuration on a base that lies elsewhere; None for its own."""
    if base is None:
        return config
    return msgspec.structs.replace(config, model=msgspec.structs.replace(config.model, base=base))


class Seating:
    """Seats teams; what one has loaded serves the next where it can."""

    def __init__(self, protocol: Protocol) -> None:
        """Seat for the episodes of a protocol."""
        self._protocol = protocol
        self._bases: dict[str, FrozenBase] = {}
        """By name: to read one is to hash its weights."""
        self._loaded: _Loaded | None = None

    def base(self, config: Config) -> FrozenBase:
        """Return the base of a configuration.

        Raises:
            ModelError: there is none.
        """
        name, _ = parse_model(config.model.base)
        if name not in self._bases:
            self._bases[name] = find_base(name)
        return self._bases[name]

    def seated(
        self, blank: Contestant, config: Config, stage: Stage, adapters: Mapping[int, Adapter], style: dict[str, Any]
    ) -> Contestant:
        """Seat a team.

        Args:
            blank: who is to play, without a match.
            config: what is played, on which base.
            stage: the same, built.
            adapters: by seat; none for the base itself.
            style: what each adapter's own style, or the base's, is changed in.

        Raises:
            UsageError: an agent that cannot be loaded.
            AdapterMismatchError: an adapter that does not answer as its canary says.
        """
        seats, folders = range(stage.game.seats), {seat: each.folder.resolve() for seat, each in adapters.items()}
        agents = tuple(f"{config.model.base}#{folders.get(seat, NO_ADAPTER)}" for seat in seats)
        models = self._models(stage, style, {each.name: each.digest for each in adapters.values()})
        for seat, agent in enumerate(agents):
            models.holder(agent, seat)
        return msgspec.structs.replace(
            blank,
            match=Match(self._terms(config, stage, style), agents, tuple(self._protocol.seeds)),
            weights=tuple(adapters[seat].digest if seat in adapters else "" for seat in seats),
            base=self.base(config).digest,
            adapters={each.name: each.digest for each in adapters.values()},
        )

    def _terms(self, config: Config, stage: Stage, style: dict[str, Any]) -> Terms:
        protocol, options = self._protocol, registry.library(stage.game, stage.library)
        mark = LibraryMark(options.name, options.version, options.digest)
        steps = protocol.steps or config.evaluation.steps or stage.game.steps
        return Terms(stage.game.spec, mark, stage.guards, steps, protocol.starts, style)

    def _models(self, stage: Stage, style: dict[str, Any], named: Mapping[str, str]) -> Models:
        if self._loaded is None or not self._loaded.serves(stage, style, named):
            self._loaded = _Loaded(stage, style)
        return self._loaded.take(named)


class _Loaded:
    """Models of one game and style, and the weights that they hold."""

    def __init__(self, stage: Stage, style: dict[str, Any]) -> None:
        self._spec, self._style, self._named = stage.game.spec, style, dict[str, str]()
        self._models = Models(stage.game, style=style)

    def serves(self, stage: Stage, style: dict[str, Any], named: Mapping[str, str]) -> bool:
        """Tell whether they can seat a team too: no name of its adapters stands for other weights here."""
        same = (stage.game.spec, style) == (self._spec, self._style)
        return same and all(self._named.get(name, digest) == digest for name, digest in named.items())

    def take(self, named: Mapping[str, str]) -> Models:
        """Return them with nobody seated, for a team with adapters of these names and digests."""
        self._models.clear()
        self._named |= named
        return self._models
