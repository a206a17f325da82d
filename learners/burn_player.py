"""Plays the episodes of one chunk of a burn-in log, uniformly over unguarded menus.

The inner loop is one long function, since burn-in is a million decisions: it does what
`runtime/execution.py` does, and a test holds the two together record for record.

Source: section 5.1, stage 2, of the PA-MAGRPO paper.
"""

import gc
from array import array
from collections.abc import Callable, Sequence
from hashlib import blake2b
from itertools import product
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hocket.games import registry
from hocket.learners.burn_log import COLUMNS, EFFECT_FAIL, EXPLICIT, SUCCESS, TIMEOUT, Columns, Log
from hocket.replays.trace import LibraryMark
from hocket.runtime.errors import EpisodeError, HocketError, LogError, SettingError
from hocket.runtime.game import Game
from hocket.runtime.option import Failure, Feature, Instance, Library, Option, Plan

NARROW_CHANCE = 0.05
"""How often the narrow policy picks uniformly instead of its favourite."""


def world_of(log: Log) -> tuple[Game[Any], Library[Any]]:
    """Build the game and the library that a log was played with.

    Raises:
        UnknownNameError: no such game or library is installed.
        LogError: the library is not the one that it was.
    """
    plan = log.manifest
    game = registry.rebuild(plan.game)
    library = registry.library(game, plan.library.name)
    mark = LibraryMark(library.name, library.version, library.digest)
    if mark != plan.library:
        was = plan.library
        problem = (
            f"was played with the library {was.name!r} version {was.version} ({was.digest}), "
            f"but installed is version {mark.version} ({mark.digest})"
        )
        raise LogError(log=log.path, problem=problem)
    return game, library


class _Kit:
    """One option, with all that the inner loop asks of it at hand."""

    __slots__ = ("effect", "expand", "number", "own", "read", "reads", "replans", "sense", "senses", "slack")

    def __init__(self, number: int, option: Option[Any]) -> None:
        self.number = number
        self.expand, self.effect = option.expand, option.effect
        self.read, self.sense = option.read, option.sense
        self.slack, self.replans = option.slack, option.replans
        self.reads, self.senses = _codes(option.reads), _codes(option.senses)
        """Values of the features, to their code in the log."""
        self.own = _own_parts(option.reads)


class ChunkPlayer:
    """One process's game, and what it has looked up about the library."""

    def __init__(self, log: Log) -> None:
        self._plan = log.manifest
        self._game, self._library = world_of(log)
        options = self._library.options
        facts = self._game.facts()
        self._kits = {option.name: _Kit(number, option) for number, option in enumerate(options)}
        self._fixed = [each for option in options if option.fixed for each in option.instances(facts, 0)]
        self._moving = _moving([option for option in options if not option.fixed])

    def chunk(self, number: int) -> Columns:
        """Play the episodes of one chunk; the collector of garbage rests, as nothing here makes cycles."""
        records: list[int] = []
        targets: dict[str, int] = {}
        reasons: dict[str, int] = {}
        collecting = gc.isenabled()
        gc.disable()
        try:
            for episode in self._plan.episodes(number):
                try:
                    self._episode(episode, records, targets, reasons)
                except HocketError:
                    raise
                except Exception as error:
                    raise _failure(episode, error) from error
        finally:
            if collecting:
                gc.enable()
        table = np.frombuffer(array("I", records), dtype=np.uint32).reshape(-1, len(COLUMNS))
        columns: Columns = {name: _column(name, table[:, place]) for place, name in enumerate(COLUMNS)}
        return columns | {"targets": _texts(targets), "reasons": _texts(reasons)}

    def _episode(self, episode: int, records: list[int], targets: dict[str, int], reasons: dict[str, int]) -> None:
        """Play one episode: `Execution` written out, for the seats that act."""
        plan, game, kits = self._plan, self._game, self._kits
        seed = episode_seed(plan.seed, episode)
        game.reset(seed, plan.starts)
        chance = Random(episode_seed(seed, episode)).random
        seats = (episode % game.seats,) if episode < plan.solo else tuple(range(game.seats))
        fixed, moving, width = self._fixed, self._moving, len(self._fixed)
        narrow = _Narrow(plan.seed) if plan.policy == "narrow" else None
        going: list[_Going | None] = [None] * game.seats
        still = [game.noop] * game.seats
        move, look = game.step, game.facts
        facts = look()
        for now in range(plan.steps):
            joint = still[:]
            ending = False
            over = now + 1
            for seat in seats:
                run = going[seat]
                if run is None:
                    others = moving(facts, seat)
                    size = width + len(others)
                    place = int(chance() * size) if narrow is None else narrow.pick([*fixed, *others], chance)
                    aim = fixed[place] if place < width else others[place - width]
                    kit = kits[aim.option]
                    steps: Any = kit.expand(aim, facts, seat)
                    run = going[seat] = _Going(kit, aim, facts, now, steps)
                    if size > 1:
                        run.features = kit.reads[kit.read(aim, facts, seat)], kit.senses[kit.sense(aim, facts, seat)]
                elif run.kit.replans:
                    steps = run.kit.expand(run.aim, facts, seat)
                else:
                    steps = run.plan[-run.left :]
                if steps.__class__ is Failure:
                    if run.started == now or not steps.passing:
                        run.failure, run.left = steps.reason, 0
                elif steps:
                    joint[seat] = steps[0]
                    run.left = len(steps) - 1
                else:
                    run.left = 0
                if not run.left or over >= run.ends:
                    ending = True
            move(joint)
            facts = look()
            if ending:
                for seat in seats:
                    run = going[seat]
                    if run is not None and (not run.left or over >= run.ends):
                        going[seat] = None
                        if run.features is None:
                            continue
                        kit, aim, changed = run.kit, run.aim, False
                        if run.left:
                            code = TIMEOUT
                        elif run.failure is not None:
                            code = EXPLICIT + reasons.setdefault(run.failure, len(reasons))
                        elif kit.effect(aim, run.before, facts, seat):
                            code = SUCCESS
                            after = kit.reads[kit.read(aim, facts, seat)]
                            changed = kit.own[run.features[0]] != kit.own[after]
                        else:
                            code = EFFECT_FAIL
                        records += (
                            episode,
                            run.started,
                            seat,
                            kit.number,
                            targets.setdefault(aim.key, len(targets)),
                            *run.features,
                            changed,
                            code,
                            over - run.started,
                        )


class _Going:
    """An option under way."""

    __slots__ = ("aim", "before", "ends", "failure", "features", "kit", "left", "plan", "started")

    def __init__(self, kit: _Kit, aim: Instance, before: Any, started: int, steps: Any) -> None:
        self.kit, self.aim, self.before, self.started = kit, aim, before, started
        self.plan: Plan = () if steps.__class__ is Failure else steps
        self.left = len(self.plan)
        self.ends = started + self.left + kit.slack
        self.failure: str | None = None
        self.features: tuple[int, int] | None = None
        """Codes of what was read and sensed; None where the menu left no choice."""


class _Narrow:
    """The control: a fixed order of preference, drawn from the seed, and a little chance."""

    def __init__(self, seed: int) -> None:
        self._key = seed.to_bytes(8, "little")

    def pick(self, menu: Sequence[Instance], chance: Callable[[], float]) -> int:
        """Pick the favourite, or now and then anything."""
        if chance() < NARROW_CHANCE:
            return int(chance() * len(menu))
        return max(range(len(menu)), key=lambda place: blake2b(menu[place].key.encode(), key=self._key).digest())


def episode_seed(seed: int, episode: int) -> int:
    """Return the seed of one episode of a log."""
    word = blake2b(episode.to_bytes(8, "little"), key=seed.to_bytes(8, "little"), digest_size=8).digest()
    return int.from_bytes(word, "little") >> 1


def _failure(episode: int, error: Exception) -> EpisodeError:
    part, problem = "game or option library", f"{type(error).__name__}: {error}"
    return EpisodeError(
        part=part, tick=-1, problem=problem, sentence=f"the {part} failed in episode {episode}: {problem}"
    )


def _codes(features: Sequence[Feature]) -> dict[tuple[int, ...], int]:
    return {values: code for code, values in enumerate(product(*(range(len(each.values)) for each in features)))}


def _column(name: str, numbers: NDArray[np.uint32]) -> NDArray[Any]:
    """Narrow a column to its type, unless a number would not survive it."""
    most = np.iinfo(COLUMNS[name]).max
    if numbers.max(initial=0) > most:
        raise SettingError(setting=f"{name} of a record", value=int(numbers.max()), right=f"{most:,} at most")
    return numbers.astype(COLUMNS[name])


def _texts(places: dict[str, int]) -> Any:
    return np.array(list(places), dtype=np.str_)


def _own_parts(features: Sequence[Feature]) -> list[tuple[int, ...]]:
    """Return, for each code of some features, the values of those that are the seat's own."""
    own = [place for place, each in enumerate(features) if each.own]
    return [tuple(values[place] for place in own) for values in _codes(features)]


def _moving(options: Sequence[Option[Any]]) -> Callable[[Any, int], Sequence[Instance]]:
    """Return what lists the instances of all options whose targets come and go."""
    if len(options) == 1:
        return options[0].instances
    return lambda facts, seat: [each for option in options for each in option.instances(facts, seat)]
