"""What no sound option contract can produce, found in a burn-in log.

The guards come from execution data; where the contract itself is wrong, so are the
data. Each finding names the option, the part of its contract that is at fault, and
what in the log shows it.

    no private change      a success in which nothing of the seat's own changed, though
                           the option claims a private effect: an effect in absolute
                           form, or one that a partner brought about
    always fails           every execution fails explicitly, while the thing that the
                           option is for can be reached, or happens: only some targets
                           are instantiated
    never tried            the option has no record in a log of enough of them: it was on no menu
    never varies           a feature that guards may read had one value throughout
    vetoed                 a guard that one odd solo success in very many failures vetoed

Source: section 5.1, the outer contract-repair loop, of the PA-MAGRPO paper.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

import msgspec
import numpy as np

from hocket.learners.burn_log import EFFECT_FAIL, EXPLICIT, SUCCESS, Log, LoggedOption, Manifest
from hocket.learners.burn_player import episode_seed, world_of
from hocket.learners.counts import SOLO, TEAM, Counts, mined_from
from hocket.learners.guards import conjunctions
from hocket.learners.verify import SHOWN, Record, record
from hocket.runtime.game import Game
from hocket.runtime.option import Failure, Instance, Library, Option, instance

Kind: TypeAlias = Literal["no private change", "always fails", "never tried", "never varies", "vetoed"]

MANY_FAILURES = 400
"""Failures against which one success is odd, where it was a solo one: no partner explains it."""
ENOUGH = 20
"""Records, of an option or of a seat with it, before what they have in common says something."""
TRIED_STARTS = 50
"""Start states from which a target that was never instantiated is tried."""


class Defect(msgspec.Struct, frozen=True):
    """One finding."""

    kind: Kind
    option: str
    part: str
    """Which of the four parts to mend: instances, expand, effect, or reads."""
    problem: str
    records: tuple[Record, ...] = ()


def diagnose(log: Log) -> list[Defect]:
    """Look for defects of every option.

    Raises:
        LogError: the log is not whole, or its library is not the installed one.
        UnknownNameError: its game or library is not installed.
    """
    game, library = world_of(log)
    counts = Counts(log.manifest, log.chunks())
    found: list[Defect] = []
    for number, option in enumerate(counts.options):
        found += _tried(counts, number)
        found += _varies(counts, number, option)
        found += _vetoed(counts, number, option, log)
    found += _unchanged(log)
    found += _unreachable(log, game, library)
    return found


def _tried(counts: Counts, number: int) -> Iterator[Defect]:
    option = counts.options[number]
    if not counts.total(number) and counts.records >= ENOUGH * len(counts.options):
        yield Defect("never tried", option.name, "instances", "it was on no menu in the whole log")


def _varies(counts: Counts, number: int, option: LoggedOption) -> Iterator[Defect]:
    seen = counts.seen(number)
    values = option.read_values()
    for feature in option.reads:
        found = sorted({values[code][feature.name] for code in np.flatnonzero(seen).tolist()})
        if len(found) == 1 and len(feature.values) > 1 and seen.sum() >= ENOUGH:
            problem = f"{feature.name} was {found[0]} in every record, so no guard can tell by it"
            yield Defect("never varies", option.name, "reads", problem)


def _vetoed(counts: Counts, number: int, option: LoggedOption, log: Log) -> Iterator[Defect]:
    fails = counts.of(number, EFFECT_FAIL, mined_from(option))
    successes = counts.of(number, SUCCESS, mined_from(option))
    solo = counts.of(number, SUCCESS, (SOLO,))
    values = option.read_values()
    for when in conjunctions(option):
        codes = [code for code, each in enumerate(values) if when.items() <= each.items()]
        failed = int(fails[codes].sum())
        if len(when) == 1 and failed >= MANY_FAILURES and successes[codes].sum() == solo[codes].sum() == 1:
            [(name, value)] = when.items()
            problem = f"hiding it where {name} is {value} would explain {failed} failures; one solo success vetoes it"
            yield Defect("vetoed", option.name, "effect", problem, _records(log, number, SUCCESS, codes))


def _unchanged(log: Log) -> Iterator[Defect]:
    """Successes of a private option in which nothing that the seat holds changed."""
    plan = log.manifest
    for number, option in enumerate(plan.options):
        if option.private and option.changes:
            shown: list[Record] = []
            count = {TEAM: 0, SOLO: 0}
            for columns in log.chunks():
                rows = (columns["option"] == number) & (columns["outcome"] == SUCCESS) & (columns["changed"] == 0)
                solo = columns["episode"] < plan.solo
                count[SOLO] += int((rows & solo).sum())
                count[TEAM] += int((rows & ~solo).sum())
                shown += [record(log, columns, row) for row in np.flatnonzero(rows)[: SHOWN - len(shown)].tolist()]
            if count[SOLO]:
                problem = (
                    f"{count[SOLO]} solo successes changed nothing of the seat's own: its effect holds before it "
                    "starts; write it as a change, before != X and after == X"
                )
                yield Defect("no private change", option.name, "effect", problem, tuple(shown))
            elif count[TEAM]:
                problem = (
                    f"{count[TEAM]} team successes changed nothing of the seat's own, and no solo one did: a partner "
                    "brought them about; bind the effect to a private change of the acting seat"
                )
                yield Defect("no private change", option.name, "effect", problem, tuple(shown))


def _records(log: Log, option: int, outcome: int, codes: list[int]) -> tuple[Record, ...]:
    shown: list[Record] = []
    for columns in log.chunks():
        solo = columns["episode"] < log.manifest.solo
        rows = (columns["option"] == option) & (columns["outcome"] == outcome) & np.isin(columns["read"], codes) & solo
        shown += [record(log, columns, row) for row in np.flatnonzero(rows)[: SHOWN - len(shown)].tolist()]
    return tuple(shown)


def _unreachable(log: Log, game: Game[Any], library: Library[Any]) -> Iterator[Defect]:
    """Options that always fail explicitly for a seat, though a target that is never instantiated could be reached."""
    for number, option in enumerate(log.manifest.options):
        for seat in range(game.seats):
            outcomes, targets, shown = _of_seat(log, number, seat)
            if sum(outcomes.values()) >= ENOUGH and not any(outcome < EXPLICIT for outcome in outcomes):
                reached = _reachable(game, library.by_name[option.name], targets, seat, log.manifest)
                if reached is not None:
                    problem = (
                        f"every one of {sum(outcomes.values())} executions by seat {seat} failed explicitly at "
                        f"{', '.join(targets)}, but {reached} can be reached and is never instantiated"
                    )
                    yield Defect("always fails", option.name, "instances", problem, shown)


def _of_seat(log: Log, option: int, seat: int) -> tuple[Counter[int], list[str], tuple[Record, ...]]:
    outcomes: Counter[int] = Counter()
    targets: dict[str, None] = {}
    shown: list[Record] = []
    for columns in log.chunks():
        rows = (columns["option"] == option) & (columns["seat"] == seat)
        outcomes.update(columns["outcome"][rows].tolist())
        targets |= dict.fromkeys(columns["targets"][np.unique(columns["target"][rows])].tolist())
        shown += [record(log, columns, row) for row in np.flatnonzero(rows)[: SHOWN - len(shown)].tolist()]
    return outcomes, sorted(targets), tuple(shown)


def _reachable(game: Game[Any], option: Option[Any], targets: list[str], seat: int, plan: Manifest) -> str | None:
    """Return the key of a landmark of the targets' class that is none of them and has a plan from some start."""
    for cells in game.landmarks().values():
        others = [instance(option.name, cell, "") for cell in cells]
        if any(each.key in targets for each in others):
            for each in others:
                if each.key not in targets and _has_plan(game, option, each, seat, plan):
                    return each.key
    return None


def _has_plan(game: Game[Any], option: Option[Any], aim: Instance, seat: int, plan: Manifest) -> bool:
    """Whether `aim` has a plan from some start, and is instantiated from none.

    An option that knows its own targets only (KeyError) cannot be asked, and gets the benefit of the doubt.
    """
    planned = False
    for start in range(TRIED_STARTS):
        game.reset(episode_seed(plan.seed, start), plan.starts)
        facts = game.facts()
        if aim.key in [each.key for each in option.instances(facts, seat)]:
            return False
        try:
            planned = planned or not isinstance(option.expand(aim, facts, seat), Failure)
        except (KeyError, ValueError):
            return False
    return planned
