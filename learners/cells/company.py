"""From the entries of a plan to who plays: runs, presets and adapters, read and checked.

What the file says wrongly is the user's mistake, and stops everything. What is there but cannot
be played is told in its cell, and the others go on.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from hocket.agents.adapter import Adapter, read_adapter
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.models import Models
from hocket.agents.named_base import NO_ADAPTER, find_base, parse_model
from hocket.agents.shipped import shipped_adapter
from hocket.games import registry
from hocket.learners.asking import style_of
from hocket.learners.cells.contestant import Contestant
from hocket.learners.cells.place import Place, backbone
from hocket.learners.cells.plan import Entry, Plan
from hocket.learners.cells.trained import Seeds, Trained, read_trained, run_of, seeds_of
from hocket.learners.config import CellPart, Config
from hocket.learners.match import Match, Terms
from hocket.learners.origin import game_digest
from hocket.learners.preset import read_preset
from hocket.learners.stage import Stage
from hocket.replays.trace import LibraryMark
from hocket.runtime.errors import (
    AdapterMismatchError,
    MissingExtraError,
    ModelError,
    PresetError,
    SubstratesError,
    UsageError,
    WorldError,
)

_ABSENT = (MissingExtraError, ModelError, SubstratesError, WorldError)
"""What a preset may name that is not on this machine."""
_UNFIT = (UsageError, AdapterMismatchError, WorldError)
"""What may keep a checkpoint from being played here."""


def contestants(plan: Plan) -> list[Contestant]:
    """Find out who plays in the cells of a plan.

    Raises:
        UsageError: an entry that cannot be meant, or episodes that were learned from.
    """
    company = _Company(plan)
    return [each for number in range(len(plan.entries)) for each in company.of(number)]


class _Company:
    """Reads what entries name; a base is read once, since that is to hash its weights."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._bases: dict[str, FrozenBase] = {}
        self._models: Models | None = None
        """Those that were seated last."""
        self._kind, self._seen = b"", dict[str, str]()
        """What game and style they are for, and the digests of the adapters that they hold, by name."""

    def of(self, number: int) -> Iterator[Contestant]:
        """Yield the contestants of an entry."""
        entry = self._plan.entries[number]
        declared = None if entry.preset is None else self._declared(number, entry, entry.preset)
        for named in entry.folders:
            yield self._of_run(number, entry, named, None if declared is None else _place(declared))
        if not entry.folders and declared is not None:
            yield self._of_preset(number, entry, declared)

    def _declared(self, number: int, entry: Entry, name: str) -> Config:
        """Return what a preset says, in the cell and on the base that the entry names."""
        config = read_preset(str(self._plan.beside(name)) if name.endswith(".toml") else name).config
        if entry.game not in (None, config.game.name):
            raise self._plan.problem(number, f"game is {entry.game}, but {name} plays {config.game.name}")
        given = {"interface": entry.interface, "capacity": entry.capacity}
        cell = msgspec.to_builtins(config.cell) | {key: value for key, value in given.items() if value is not None}
        return _on(msgspec.structs.replace(config, cell=msgspec.convert(cell, CellPart)), entry.base)

    def _of_run(self, number: int, entry: Entry, named: str, declared: Place | None) -> Contestant:
        folder, blank = self._plan.beside(named), Contestant(entry=number, source=named, place=declared)
        if entry.missing is None and not folder.is_dir():
            problem = f"{named}: there is no such folder; a cell that nobody plays says missing and why"
            raise self._plan.problem(number, problem)
        try:
            run = read_trained(folder)
        except PresetError as error:
            return _missing(blank, entry.missing or f"{named}: {error.problem}")
        placed = msgspec.structs.replace(blank, place=self._agreed(number, entry, named, declared, run))
        if entry.missing is not None:
            return _missing(placed, entry.missing)
        if (lack := run.lack()) is not None:
            return _missing(placed, f"{named}: {lack.why}", collapsed=lack.collapsed)
        said = [f"{named} {run.unfinished}"] if run.unfinished else []
        if run.known.config.cell.capacity != "frozen":
            learned_from = None if entry.learned_from is None else self._plan.beside(entry.learned_from)
            said += self._apart(number, named, seeds_of(folder, learned_from))
        try:
            return msgspec.structs.replace(self._checkpoint(placed, entry, run), said=tuple(said))
        except _UNFIT as error:
            return _missing(placed, f"{named}: {error}")

    def _agreed(self, number: int, entry: Entry, named: str, declared: Place | None, run: Trained) -> Place:
        """Return the place of a run, which must be the one that the entry names.

        Raises:
            PresetError: it is another.
        """
        place = _place(run.known.config)
        for key in ("game", "interface", "capacity"):
            if getattr(entry, key) not in (None, getattr(place, key)):
                problem = f"{key} is {getattr(entry, key)}, but that of {named} is {getattr(place, key)}"
                raise self._plan.problem(number, problem)
        if declared is not None and entry.base is None and declared != place:
            raise self._plan.problem(number, f"{entry.preset} is {declared}, but {named} is {place}")
        return place

    def _checkpoint(self, placed: Contestant, entry: Entry, run: Trained) -> Contestant:
        """Let the checkpoint of a run play.

        Raises:
            PresetError: the run was of another base or game than what is here, or an adapter is not what it saved.
            UsageError: something of it does not read, or is not installed.
        """
        known, config = run.known, _on(run.known.config, entry.base)
        base = self._base(config)
        if base.digest != known.base:
            problem = f"was trained on base {known.base}, but {config.model.base} is {base.digest}"
            raise PresetError(preset=placed.source, problem=problem)
        stage = Stage(config)
        if (game_digest(stage.game.spec), stage.library) != (known.game, known.library):
            raise PresetError(preset=placed.source, problem=f"{config.game.name} is set otherwise here than there")
        adapters = run.checkpoint(base, stage.game.seats)
        style = msgspec.to_builtins(style_of(config, known.style or base.style))
        best = run.state.best if adapters else None
        found = self._seated(placed, config, stage, adapters, style)
        return msgspec.structs.replace(
            found, round=best and best.round, training_return=None if best is None else best.team_return
        )

    def _of_preset(self, number: int, entry: Entry, config: Config) -> Contestant:
        place = _place(config)
        source = "no adapter" if entry.adapters is None else "adapters that are named"
        blank = Contestant(entry=number, source=source, place=place)
        if entry.missing is not None:
            return _missing(blank, entry.missing)
        if (place.capacity == "frozen") != (entry.adapters is None):
            needs = "needs a run, adapters, or missing and why" if entry.adapters is None else "has no adapters"
            raise self._plan.problem(number, f"its capacity is {place.capacity}, so it {needs}")
        try:
            base, stage = self._base(config), Stage(config)
        except _ABSENT as error:
            return _missing(blank, str(error))
        adapters = self._named(number, entry, place, stage, base)
        style = self._style(number, config, base, adapters)
        said = [line for each in adapters.values() for line in self._learned(number, each)]
        try:
            found = self._seated(blank, config, stage, adapters, style)
        except _ABSENT as error:
            return _missing(blank, str(error))
        return msgspec.structs.replace(found, said=tuple(dict.fromkeys(said)))

    def _named(self, number: int, entry: Entry, place: Place, stage: Stage, base: FrozenBase) -> dict[int, Adapter]:
        """Return the adapter that an entry names for each seat.

        Raises:
            PresetError: not one a seat, or none comes with hocket.
            AdapterError: one cannot be read, or is not one of this base.
        """
        seats = range(stage.game.seats)
        if entry.adapters is None:
            return {}
        if isinstance(entry.adapters, str):
            folders = [shipped_adapter(stage.game.spec, stage.library, seat) for seat in seats]
        else:
            one = place.capacity == "shared" and len(entry.adapters) == 1
            folders = [self._plan.beside(each) for each in entry.adapters * (len(seats) if one else 1)]
        if len(folders) != len(seats):
            wanted = "1" if place.capacity == "shared" else str(len(seats))
            raise self._plan.problem(number, f"it names {len(folders)} adapters, but {place.game} takes {wanted}")
        found = {seat: read_adapter(folder, base) for seat, folder in enumerate(folders) if folder is not None}
        if len(found) < len(seats):
            problem = f"no adapters come with hocket for {place.game} with library {stage.library}"
            raise self._plan.problem(number, problem)
        return found

    def _style(self, number: int, config: Config, base: FrozenBase, adapters: Mapping[int, Adapter]) -> dict[str, Any]:
        """Return how adapters are asked: as they learned, at the preset's temperature.

        Raises:
            PresetError: they learned at another interface.
        """
        own = [each.style for each in adapters.values() if each.style is not None]
        if len(own) < len(adapters) or not own:
            asked: dict[str, Any] = msgspec.to_builtins(style_of(config, base.style))
            return asked
        written = config.cell.interface == "json"
        if any((each.scorer == "json") != written for each in own):
            problem = f"its interface is {config.cell.interface}, but its adapters learned with scorer {own[0].scorer}"
            raise self._plan.problem(number, problem)
        return {"temperature": config.rollouts.temperature}

    def _learned(self, number: int, adapter: Adapter) -> list[str]:
        """Return what must be said of the episodes that an adapter learned from."""
        run = run_of(adapter.folder)
        if run is None:
            return [f"{adapter.name}: its training seeds are not known: there is no run.json beside it"]
        return self._apart(number, adapter.name, seeds_of(run))

    def _apart(self, number: int, named: str, learned: Seeds) -> list[str]:
        """Refuse episodes that were learned from; say where that cannot be known.

        Raises:
            PresetError: one was.
        """
        if (shared := learned.shared(self._plan.protocol.seeds)) is not None:
            seed, trace = shared
            problem = f"{named} learned from seed {seed:,} ({trace}), which would be evaluated: change first_seed"
            raise self._plan.problem(number, problem)
        return [f"{named}: its training seeds are not known: {learned.unknown}"] if learned.unknown else []

    def _seated(
        self, blank: Contestant, config: Config, stage: Stage, adapters: Mapping[int, Adapter], style: dict[str, Any]
    ) -> Contestant:
        """Seat a team once, so that what cannot be loaded is told before anything is played.

        Raises:
            UsageError: an agent that cannot be loaded.
            AdapterMismatchError: an adapter that does not answer as its canary says.
        """
        protocol, game, base = self._plan.protocol, stage.game, config.model.base
        options = registry.library(game, stage.library)
        mark = LibraryMark(options.name, options.version, options.digest)
        steps = protocol.steps or config.evaluation.steps or game.steps
        folders = {seat: each.folder.resolve() for seat, each in adapters.items()}
        agents = tuple(f"{base}#{folders.get(seat, NO_ADAPTER)}" for seat in range(game.seats))
        models = self._asked(stage, style, adapters)
        for seat, agent in enumerate(agents):
            models.holder(agent, seat)
        terms = Terms(game.spec, mark, stage.guards, steps, protocol.starts, style)
        return msgspec.structs.replace(
            blank,
            match=Match(terms, agents, tuple(protocol.seeds)),
            seats=tuple(adapters[seat].digest if seat in adapters else "" for seat in range(game.seats)),
            base=self._base(config).digest,
            adapters={each.name: each.digest for each in adapters.values()},
        )

    def _asked(self, stage: Stage, style: dict[str, Any], adapters: Mapping[int, Adapter]) -> Models:
        """Return models to seat a team with: the last ones, unless a name stands for other weights there."""
        kind = msgspec.json.encode([stage.game.spec, style])
        named = {each.name: each.digest for each in adapters.values()}
        known = self._seen if self._kind == kind else None
        if self._models is None or known is None or any(known.get(name, it) != it for name, it in named.items()):
            self._models, self._kind, self._seen = Models(stage.game, style=style), kind, {}
        self._models.clear()
        self._seen |= named
        return self._models

    def _base(self, config: Config) -> FrozenBase:
        name, _ = parse_model(config.model.base)
        if name not in self._bases:
            self._bases[name] = find_base(name)
        return self._bases[name]


def _place(config: Config) -> Place:
    return Place(backbone(config.model.base), config.game.name, config.cell.interface, config.cell.capacity)


def _on(config: Config, base: str | None) -> Config:
    """Return a configuration on a base that lies elsewhere."""
    if base is None:
        return config
    return msgspec.structs.replace(config, model=msgspec.structs.replace(config.model, base=base))


def _missing(blank: Contestant, why: str, *, collapsed: bool = False) -> Contestant:
    return msgspec.structs.replace(blank, why=why, collapsed=collapsed)
