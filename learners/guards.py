"""Guards from a burn-in log: adopted for what they explain, if they hide no logged success.

Two channels. Explicit: a reason for which expansion failed often enough. Inferred:
each conjunction of one or two read features that covers enough failed effects and not
one success (an explicit failure speaks for its reason alone); a conjunction within an
adopted single literal is dropped. An option with no private effect is judged by solo
records only, and a guard on an option that never succeeded in the records it is mined
from is not adopted, but said: it would take the option out of the game on no evidence
that the game can do without.

Source: section 5.1, stage 3, of the PA-MAGRPO paper.
"""

from collections.abc import Iterator
from itertools import combinations, product

from hocket.learners.burn_log import EFFECT_FAIL, EXPLICIT, SUCCESS, Log, LoggedOption, RunningDigest
from hocket.learners.counts import Counts, mined_from
from hocket.learners.guard_file import GuardFile, Origin, Refused, make_file
from hocket.runtime.errors import SettingError
from hocket.runtime.guard import REASON, Guard

ALWAYS = "wait"
"""The option that no guard may hide, so that no menu is empty."""
_NO_SUCCESS = "the option has no success in the records that it is mined from"


def synthesize(log: Log, *, min_support: int = 5) -> GuardFile:
    """Count a log and adopt what holds.

    Args:
        log: whole.
        min_support: failures that a guard must explain.

    Returns:
        The guards, in order of option, channel and features, and those that were refused.

    Raises:
        SettingError: `min_support` is below 1.
        LogError: the log is not whole.
    """
    if min_support < 1:
        raise SettingError(setting="min-support", value=min_support, right="1 or more")
    plan = log.manifest
    running = RunningDigest(plan)
    counts = Counts(plan, map(running.add, log.chunks()))
    adopted: list[Guard] = []
    refused: list[Refused] = []
    for number, option in enumerate(counts.options):
        if option.name == ALWAYS:
            continue
        succeeded = counts.of(number, SUCCESS, mined_from(option)).sum() > 0
        for guard in (*_explicit(counts, number, min_support), *_inferred(counts, number, min_support)):
            if succeeded:
                adopted.append(guard)
            else:
                refused.append(Refused(guard.option, guard.channel, guard.when, guard.support, _NO_SUCCESS))
    origin = Origin(
        running.digits, counts.records, plan.seed, plan.solo, plan.team, plan.steps, plan.starts, plan.policy
    )
    return make_file(plan.game, plan.library, origin, min_support, adopted, refused)


def _explicit(counts: Counts, number: int, min_support: int) -> Iterator[Guard]:
    option = counts.options[number]
    for reason in sorted(counts.reasons):
        outcome = EXPLICIT + counts.reasons.index(reason)
        support = int(counts.of(number, outcome, mined_from(option)).sum())
        if support >= min_support:
            yield Guard(option.name, "explicit", {REASON: reason}, support)


def _inferred(counts: Counts, number: int, min_support: int) -> Iterator[Guard]:
    option = counts.options[number]
    fails = counts.of(number, EFFECT_FAIL, mined_from(option))
    successes = counts.of(number, SUCCESS, mined_from(option))
    singles: list[dict[str, str]] = []
    for when in conjunctions(option):
        if any(single.items() <= when.items() for single in singles):
            continue
        covered = [code for code, values in enumerate(option.read_values()) if when.items() <= values.items()]
        support = int(fails[covered].sum())
        if support >= min_support and not successes[covered].any():
            yield Guard(option.name, "inferred", when, support)
            singles += [when] if len(when) == 1 else []


def conjunctions(option: LoggedOption) -> Iterator[dict[str, str]]:
    """Yield every conjunction of one literal, then of two on different features, in declared order."""
    for size in (1, 2):
        for features in combinations(option.reads, size):
            for values in product(*(feature.values for feature in features)):
                yield dict(zip((feature.name for feature in features), values, strict=True))
