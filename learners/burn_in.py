"""Burn-in: uniform play over the unguarded menu, every executed option recorded.

No letters and no trace are needed, so options are carried out by the bare
`Execution`. A choice from a menu of one is no decision and is not recorded as one.
What is timed out is recorded as that; what the end of an episode cuts off is not
recorded at all.

The inner loop is one long function: burn-in is a million decisions.

Source: section 5.1, stage 2, of the PA-MAGRPO paper. Deviation: starts are drawn
from the seed (`varied`) unless asked otherwise; from the standard start alone, no
lone cook on forced_coordination ever starts a pot.
"""

import gc
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from hashlib import blake2b
from itertools import product
from multiprocessing import get_context
from typing import Any

import numpy as np

from hocket.games import registry
from hocket.learners.burn_log import (
    COLUMNS,
    EFFECT_FAIL,
    EXPLICIT,
    SCHEMA,
    SUCCESS,
    TIMEOUT,
    Columns,
    Log,
    Manifest,
    logged_options,
)
from hocket.replays.trace import LibraryMark
from hocket.runtime.errors import SettingError
from hocket.runtime.execution import Execution
from hocket.runtime.game import Game
from hocket.runtime.option import Feature, Instance, Library
from hocket.runtime.seed import Streams

_OUTCOMES = {"success": SUCCESS, "effect_fail": EFFECT_FAIL, "timeout": TIMEOUT}
NARROW_CHANCE = 0.05
"""How often the narrow policy picks uniformly instead of its favourite."""


def manifest(
    game: Game[Any], library: Library[Any], *, seed: int, solo: int, team: int, steps: int, starts: str, policy: str
) -> Manifest:
    """Write down what a burn-in depends on.

    Raises:
        SettingError: no episodes, episodes of no or too great a length, or an unknown policy.
    """
    if min(solo, team) < 0 or solo + team < 1:
        raise SettingError(
            setting="episodes", value=f"{solo} solo, {team} team", right="0 or more each, and one at least"
        )
    if not 0 < steps < 2**16:
        raise SettingError(setting="steps", value=steps, right="1 to 65,535")
    if policy not in ("uniform", "narrow"):
        raise SettingError(setting="policy", value=policy, right="uniform or narrow")
    mark = LibraryMark(library.name, library.version, library.digest)
    return Manifest(SCHEMA, game.spec, mark, logged_options(library), policy, seed, solo, team, steps, starts)


def burn_in(log: Log, *, jobs: int = 1, progress: Callable[[int], object] = lambda episodes: None) -> None:
    """Play what is missing of a log and write it.

    Args:
        log: begun by `Log.begin`.
        jobs: processes to play in; the log is the same whatever their number.
        progress: called with the number of episodes of each chunk that is written.

    Raises:
        SettingError: no jobs.
        LogError: the log cannot be written.
    """
    if jobs < 1:
        raise SettingError(setting="jobs", value=jobs, right="1 or more")
    missing = log.missing()
    for chunk in range(log.manifest.chunks):
        if chunk not in missing:
            progress(len(log.manifest.episodes(chunk)))
    if jobs == 1 or len(missing) < 2:
        player = _Player(log.manifest)
        for chunk in missing:
            log.write(chunk, player.chunk(chunk))
            progress(len(log.manifest.episodes(chunk)))
        return
    with ProcessPoolExecutor(min(jobs, len(missing)), mp_context=get_context("spawn")) as pool:
        shares = [missing[share::jobs] for share in range(min(jobs, len(missing)))]
        for done in as_completed([pool.submit(_write_chunks, os.fspath(log.path), share) for share in shares]):
            for chunk in done.result():
                progress(len(log.manifest.episodes(chunk)))


def _write_chunks(path: str, chunks: Sequence[int]) -> Sequence[int]:
    log = Log(path)
    player = _Player(log.manifest)
    for chunk in chunks:
        log.write(chunk, player.chunk(chunk))
    return chunks


class _Player:
    """One process's game, and what it has looked up about the library."""

    def __init__(self, plan: Manifest) -> None:
        self._plan = plan
        self._game = registry.rebuild(plan.game)
        self._library = registry.library(self._game, plan.library.name)
        options = self._library.options
        self._number = {option.name: number for number, option in enumerate(options)}
        facts = self._game.facts()
        self._fixed = [each for option in options if option.fixed for each in option.instances(facts, 0)]
        self._moving = [option.instances for option in options if not option.fixed]
        self._reads = {option.name: _codes(option.reads) for option in options}
        self._own = {option.name: _own_parts(option.reads) for option in options}
        self._senses = {option.name: _codes(option.senses) for option in options}

    def chunk(self, number: int) -> Columns:
        """Play the episodes of one chunk; the collector of garbage rests, as nothing here makes cycles."""
        records: list[int] = []
        targets: dict[str, int] = {}
        reasons: dict[str, int] = {}
        collecting = gc.isenabled()
        gc.disable()
        try:
            for episode in self._plan.episodes(number):
                self._episode(episode, records, targets, reasons)
        finally:
            if collecting:
                gc.enable()
        table = np.array(records, dtype=np.int64).reshape(-1, len(COLUMNS))
        columns: Columns = {name: table[:, place].astype(kind) for place, (name, kind) in enumerate(COLUMNS.items())}
        return columns | {"targets": _texts(targets), "reasons": _texts(reasons)}

    def _episode(self, episode: int, records: list[int], targets: dict[str, int], reasons: dict[str, int]) -> None:
        plan, game, by_name = self._plan, self._game, self._library.by_name
        streams = Streams(_episode_seed(plan.seed, episode))
        game.reset(streams.seed, plan.starts)
        chance = streams.dice("choice").random
        execution = Execution(game)
        runs, start, step, judge = execution.runs, execution.start, execution.step, execution.judge
        seats = (episode % game.seats,) if episode < plan.solo else tuple(range(game.seats))
        fixed, moving, width = self._fixed, self._moving, len(self._fixed)
        narrow = _Narrow(plan.seed) if plan.policy == "narrow" else None
        reads, senses, number = self._reads, self._senses, self._number
        own = self._own
        begun: list[tuple[int, int] | None] = [None] * game.seats
        for _ in range(plan.steps):
            for seat in seats:
                if runs[seat] is None:
                    facts = execution.facts
                    others = (
                        moving[0](facts, seat)
                        if len(moving) == 1
                        else [e for each in moving for e in each(facts, seat)]
                    )
                    size = width + len(others)
                    place = int(chance() * size) if narrow is None else narrow.pick([*fixed, *others], chance)
                    instance = fixed[place] if place < width else others[place - width]
                    name = instance.option
                    option = by_name[name]
                    start(seat, option, instance)
                    begun[seat] = (
                        None
                        if size == 1
                        else (
                            reads[name][option.read(instance, facts, seat)],
                            senses[name][option.sense(instance, facts, seat)],
                        )
                    )
            step()
            for seat, run, outcome in judge():
                features = begun[seat]
                if features is not None:
                    instance, option = run.instance, run.option
                    name = instance.option
                    after = reads[name][option.read(instance, execution.facts, seat)]
                    code = _OUTCOMES.get(outcome)
                    if code is None:
                        code = EXPLICIT + reasons.setdefault(outcome.removeprefix("explicit:"), len(reasons))
                    records += (
                        episode,
                        run.started,
                        seat,
                        number[name],
                        targets.setdefault(instance.key, len(targets)),
                        *features,
                        own[name][features[0]] != own[name][after],
                        code,
                        execution.now - run.started,
                    )


class _Narrow:
    """The control: a fixed order of preference, drawn from the seed, and a little chance."""

    def __init__(self, seed: int) -> None:
        self._key = seed.to_bytes(8, "little")

    def pick(self, menu: Sequence[Instance], chance: Callable[[], float]) -> int:
        """Pick the favourite, or now and then anything."""
        if chance() < NARROW_CHANCE:
            return int(chance() * len(menu))
        return max(range(len(menu)), key=lambda place: blake2b(menu[place].key.encode(), key=self._key).digest())


def _episode_seed(seed: int, episode: int) -> int:
    word = blake2b(episode.to_bytes(8, "little"), key=seed.to_bytes(8, "little"), digest_size=8).digest()
    return int.from_bytes(word, "little") >> 1


def _codes(features: Sequence[Feature]) -> dict[tuple[int, ...], int]:
    return {values: code for code, values in enumerate(product(*(range(len(each.values)) for each in features)))}


def _texts(places: dict[str, int]) -> Any:
    return np.array(list(places), dtype=np.str_)


def _own_parts(features: Sequence[Feature]) -> list[tuple[int, ...]]:
    """Return, for each code of some features, the values of those that are the seat's own."""
    own = [place for place, each in enumerate(features) if each.own]
    return [tuple(values[place] for place in own) for values in _codes(features)]
