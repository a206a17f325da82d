"""Many seeds under faults: every trace is checked, and what fails is made small.

Seeds are shared out among processes; what is found does not depend on how many there
are. The first seed that breaks an invariant is shrunk to the smallest schedule of faults
that breaks the same one.
"""

import multiprocessing
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Protocol

import msgspec

from hocket.replays.invariants import INVARIANTS, Invariant, Violation, violations
from hocket.replays.quiet import quietly
from hocket.replays.recording import Recording
from hocket.replays.rerun import rerun
from hocket.replays.shrink import shrink
from hocket.runtime.incident import Incident

CRASHES, ACCOUNTS, AGAIN = "no_crash", "accounts_balance", "runs_again"
"""Invariants of an episode as a whole: that it has an end, that every message is accounted for, that it runs again."""
_SHARES = 4


class Player(Protocol):
    """Plays episodes of one kind."""

    def play(self, seed: int, incidents: Sequence[Incident] | None = None) -> tuple[Recording, tuple[Incident, ...]]:
        """Play one under a seed, or with what is to go wrong in it; return it, and what went wrong."""
        ...


class Finding(msgspec.Struct, frozen=True):
    """An invariant that some seeds break."""

    invariant: str
    seeds: tuple[int, ...]
    """All that break it, in order."""
    violation: Violation
    """The first of the first seed, as its smallest schedule has it."""
    incidents: tuple[Incident, ...]
    """The smallest schedule of the first seed."""
    among: int
    """How many faults there were before it was made small."""


class _Run(msgspec.Struct, frozen=True):
    seed: int
    broken: dict[str, Violation]
    incidents: tuple[Incident, ...]


def explore(
    make: Callable[[], Player],
    seeds: range,
    *,
    invariants: Mapping[str, Invariant] = INVARIANTS,
    incidents: Sequence[Incident] | None = None,
    processes: int = 1,
    told: Callable[[int], object] = lambda done: None,
) -> list[Finding]:
    """Play many seeds and check every trace.

    Args:
        make: makes a player; is called once in each process, and so can be pickled where there are several.
        seeds: of the episodes.
        invariants: by name; what holds in every trace.
        incidents: what is to go wrong, in place of what the player's profile says.
        processes: how many to share the seeds among.
        told: called with the number of seeds that are done.

    Returns:
        What was found, in the order of the invariants.
    """
    with quietly():
        return _explore(make, seeds, invariants, incidents, processes, told)


def _explore(
    make: Callable[[], Player],
    seeds: range,
    invariants: Mapping[str, Invariant],
    incidents: Sequence[Incident] | None,
    processes: int,
    told: Callable[[int], object],
) -> list[Finding]:
    player = make()
    runs: list[_Run] = []
    if processes < 2:
        for seed in seeds:
            runs.append(_check(player, seed, incidents, invariants))
            told(len(runs))
    else:
        check = partial(_check_some, make, dict(invariants), incidents)
        with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
            for share in pool.map(check, _shared_out(seeds, processes)):
                runs += share
                told(len(runs))
    names = [*invariants, ACCOUNTS, AGAIN, CRASHES]
    broken = {name: [run for run in runs if name in run.broken] for name in names}
    return [_finding(player, name, found, invariants) for name, found in broken.items() if found]


def _finding(player: Player, name: str, runs: Sequence[_Run], invariants: Mapping[str, Invariant]) -> Finding:
    first = runs[0]

    def broken(incidents: tuple[Incident, ...]) -> bool:
        return name in _check(player, first.seed, incidents, invariants).broken

    smallest = shrink(first.incidents, broken)
    violation = _check(player, first.seed, smallest, invariants).broken.get(name, first.broken[name])
    return Finding(name, tuple(run.seed for run in runs), violation, smallest, len(first.incidents))


def _check(
    player: Player, seed: int, incidents: Sequence[Incident] | None, invariants: Mapping[str, Invariant]
) -> _Run:
    """Play one seed and ask every invariant."""
    recording, happened = player.play(seed, incidents)
    broken: dict[str, Violation] = {}
    if recording.error:
        broken[CRASHES] = _whole(recording, recording.error)
    for name, invariant in invariants.items():
        found = violations(invariant, recording.trace)
        if found:
            broken[name] = found[0]
    problem = _accounts(recording)
    if problem is not None:
        broken[ACCOUNTS] = _whole(recording, problem)
    difference = rerun(recording.trace).difference
    if difference is not None:
        sentence = difference.sentence("when it was played", "in the rerun")
        broken[AGAIN] = Violation(difference.number, difference.tick or 0, sentence)
    return _Run(seed, broken, happened)


def _whole(recording: Recording, problem: str) -> Violation:
    """A violation of the episode as a whole."""
    events = recording.trace.events
    return Violation(0, events[-1].tick if events else 0, problem)


def _accounts(recording: Recording) -> str | None:
    """Say what is wrong with the account of messages: all are somewhere, in queues within bounds."""
    counts = recording.counts
    if counts.deliveries != counts.received + counts.waiting + sum(counts.dead.values()):
        return (
            f"{counts.deliveries} deliveries, but {counts.received} received, {counts.waiting} waiting, {counts.dead}"
        )
    if recording.overfull:
        return f"more waited in {', '.join(recording.overfull)} than it holds"
    unexplained = [letter for letter in recording.dead if not letter.reason]
    return f"{len(unexplained)} dead letters have no reason" if unexplained else None


def _check_some(
    make: Callable[[], Player], invariants: Mapping[str, Invariant], incidents: Sequence[Incident] | None, seeds: range
) -> list[_Run]:
    """Check a share of the seeds, in a process of its own."""
    with quietly():
        player = make()
        return [_check(player, seed, incidents, invariants) for seed in seeds]


def _shared_out(seeds: range, processes: int) -> list[range]:
    """Cut seeds into shares, several a process, so that none is idle for long."""
    size = max(1, -(-len(seeds) // (_SHARES * processes)))
    return [seeds[start : start + size] for start in range(0, len(seeds), size)]
