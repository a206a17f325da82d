"""One round of learning: rollouts checked, advantages worked out, every adapter updated on its own."""

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from hocket.agents.tree import Ids
from hocket.learners.adapter import Learning
from hocket.learners.advantage import episode_advantage, to_go_advantage
from hocket.learners.batch import Item, pack_decision
from hocket.learners.cohort import Cohort, Played
from hocket.learners.collector import check_receipts
from hocket.learners.config import Config
from hocket.learners.decision import Decision
from hocket.learners.magrpo import Sample, Updated, old_log_probs, update
from hocket.learners.network import Body
from hocket.runtime.errors import CohortError, ReceiptError
from hocket.runtime.seed import Streams


class Learner(msgspec.Struct, frozen=True, eq=False):
    """An adapter with the seats that it plays."""

    name: str
    seats: tuple[int, ...]
    adapter: Learning
    initial: Learning | None
    """As it began, where the KL is to that."""


class Round(msgspec.Struct, frozen=True):
    """What one round did."""

    returns: tuple[float, ...]
    """Of the rollouts that were learned from, in game points."""
    without_spread: float
    """Share of its cohorts in which no rollout did better than another, by the advantage that is asked for."""
    refused: tuple[str, ...]
    """Why rollouts were not learned from."""
    difference: float
    """Largest difference between a receipt's log-probability and the learner's own, in nats."""
    updated: Mapping[str, Updated]
    """By adapter; empty where nothing was updated."""


class _Kept(msgspec.Struct, frozen=True, eq=False):
    """A rollout that is learned from."""

    played: Played
    found: Mapping[str, list[tuple[Item, float]]]
    """Its decisions by adapter, with what that makes of them now."""


def learn(
    played: Sequence[Played],
    learners: Sequence[Learner],
    body: Body,
    prefixes: Sequence[Ids],
    config: Config,
    number: int,
) -> Round:
    """Learn from one round's cohorts.

    Args:
        played: their rollouts, cohort by cohort, sampled from the adapters as they are.
        learners: whose adapters are updated.
        body: computes the policy.
        prefixes: known beginnings of prompts.
        config: of the run.
        number: of the round.

    Raises:
        CohortError: no two rollouts of one cohort can be learned from.
        TrainingError: a loss or gradient that is no number.
    """
    bonus = _bonus(config, number)
    checked, difference, refused = _checked(played, learners, body, prefixes, config)
    found = [
        (members, _advantages(Cohort(tuple(each.played for each in members)).rewards(bonus), config))
        for members in checked
    ]
    without_spread = sum(not advantages.any() for _, advantages in found) / len(found)
    if config.update.no_spread == "skip":
        found = [(members, advantages) for members, advantages in found if advantages.any()]
    compared = [each for members, _ in found for each in members]
    by_rollout = [row for _, advantages in found for row in advantages]
    updated: dict[str, Updated] = {}
    if found:
        order = Streams(config.channel("order"))
        for place, learner in enumerate(learners):
            first = number * config.update.epochs
            mine = _samples(compared, learner, by_rollout, config)
            updated[learner.name] = update(
                body,
                learner.adapter,
                learner.initial,
                mine,
                config.update,
                config.rollouts.temperature,
                order.stream("minibatches", place),
                first,
            )
    returns = tuple(each.played.team_return for members in checked for each in members)
    return Round(returns, without_spread, tuple(refused), difference, updated)


def _checked(
    played: Sequence[Played], learners: Sequence[Learner], body: Body, prefixes: Sequence[Ids], config: Config
) -> tuple[list[list[_Kept]], float, list[str]]:
    """Refuse rollouts that the adapters did not play; return cohorts of the others, the largest difference, and why."""
    expected = {seat: learner.adapter.published.digest for learner in learners for seat in learner.seats}
    refused: list[str] = []
    sound: list[Played] = []
    for rollout in played:
        if rollout.problem:
            refused.append(f"the rollout of seed {rollout.seed} cannot be learned from: {rollout.problem}")
            continue
        try:
            check_receipts(rollout, expected, body.base_digest, config.rollouts.temperature, sorted(expected))
            sound.append(rollout)
        except ReceiptError as error:
            refused.append(str(error))
    found = {learner.name: _recomputed(sound, learner, body, prefixes, config) for learner in learners}
    kept: list[_Kept] = []
    difference = 0.0
    for number, rollout in enumerate(sound):
        pairs = {name: its[number] for name, its in found.items()}
        worst = _difference(pairs)
        difference = max(difference, worst)
        if worst <= config.update.receipt_tolerance:
            kept.append(_Kept(rollout, pairs))
        else:
            refused.append(
                f"the rollout of seed {rollout.seed} differs from the learner's own log-probabilities by "
                f"{worst:.3g} nats, more than {config.update.receipt_tolerance:g}"
            )
    cohorts = _by_start(kept) if config.rollouts.groups else [kept]
    if not any(len(members) > 1 for members in cohorts):
        why = f"; the first refused: {refused[0]}" if refused else ""
        count = f"{len(kept)} of {len(played)} rollouts can be learned from"
        raise CohortError(problem=f"{count}, and it takes two of one cohort{why}")
    alone = [members[0].played.seed for members in cohorts if len(members) == 1]
    refused += [f"the rollout of seed {seed} is the only one left of its cohort" for seed in alone]
    return [members for members in cohorts if len(members) > 1], difference, refused


def _by_start(kept: Sequence[_Kept]) -> list[list[_Kept]]:
    found: dict[str, list[_Kept]] = {}
    for each in kept:
        found.setdefault(each.played.starts, []).append(each)
    return list(found.values())


def _recomputed(
    played: Sequence[Played], learner: Learner, body: Body, prefixes: Sequence[Ids], config: Config
) -> list[list[tuple[Item, float]]]:
    """Return the packed decisions of an adapter in each rollout, with what it makes of them now."""
    mine = [
        [pack_decision(each, prefixes, trees=body.trees) for each in rollout.decisions if _is_of(each, learner)]
        for rollout in played
    ]
    items = [item for each in mine for item in each]
    settings = config.update
    told = iter(old_log_probs(body, learner.adapter, items, config.rollouts.temperature, settings.rows))
    return [[(item, next(told)) for item in each] for each in mine]


def _is_of(decision: Decision, learner: Learner) -> bool:
    return decision.seat in learner.seats and bool(decision.draws)


def _difference(found: Mapping[str, list[tuple[Item, float]]]) -> float:
    apart = [
        abs(log_prob - item.decision.log_prob)
        for pairs in found.values()
        for item, log_prob in pairs
        if _is_whole(item.decision)
    ]
    return max(apart, default=0.0)


def _is_whole(decision: Decision) -> bool:
    """Tell whether the receipt's log-probability is of the very draws that are credited."""
    return decision.receipt.scorer != "generate" or len(decision.draws) > len(decision.receipt.reply)


def _bonus(config: Config, number: int) -> dict[str, float]:
    """Return what game events are worth in a round, beside the team's reward."""
    fades = config.update.shaping_rounds
    left = 1.0 if fades is None else max(0.0, 1.0 - number / fades)
    return {kind: left * points for kind, points in config.update.shaping.items()}


def _advantages(rewards: NDArray[np.float64], config: Config) -> NDArray[np.float64]:
    """Return the advantage of every rollout and tick of a cohort, shape [K, T], from its rewards."""
    settings = config.update
    if settings.advantage == "to_go":
        return to_go_advantage(
            rewards,
            discount=settings.discount,
            spread=settings.spread,
            epsilon=settings.epsilon,
            floor=settings.floor,
        )
    returns = rewards.sum(1)
    found = episode_advantage(returns, spread=settings.spread, epsilon=settings.epsilon, floor=settings.floor)
    return np.repeat(found[:, None], rewards.shape[1], axis=1)


def _samples(
    kept: Sequence[_Kept], learner: Learner, advantages: Sequence[NDArray[np.float64]], config: Config
) -> list[Sample]:
    settings = config.update
    pairs = [each.found[learner.name] for each in kept]
    forced = [
        sum(each.seat in learner.seats and not each.draws for each in rollout.played.decisions) for rollout in kept
    ]
    counted = [
        len(each) + (extra if settings.forced == "include" else 0) for each, extra in zip(pairs, forced, strict=True)
    ]
    total, free = sum(counted), sum(map(len, pairs))
    samples = []
    for number, each in enumerate(pairs):
        share = total if settings.average == "decisions" else len(pairs) * counted[number]
        for item, old in each:
            tick = min(item.decision.tick, len(advantages[number]) - 1)
            samples.append(Sample(item, float(advantages[number][tick]), free / share, old))
    return samples
