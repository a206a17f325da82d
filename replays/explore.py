"""Many seeds under faults: every trace is checked, and what fails is made small.

Seeds are shared out among processes; what is found does not depend on how many there
are. The first seed that breaks an invariant is shrunk to the smallest schedule of faults
that breaks the same one.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import Protocol

import msgspec

from hocket.replays.invariants import INVARIANTS, Invariant, Violation, violations
from hocket.replays.quiet import quietly
from hocket.replays.recording import Recording
from hocket.replays.rerun import rerun
from hocket.replays.shrink import shrink
from hocket.replays.trace import Trace
from hocket.replays.workers import shared
from hocket.runtime.incident import Incident

CRASHES, ACCOUNTS, AGAIN = WHOLE = "no_crash", "accounts_balance", "runs_again"
"""Invariants of an episode as a whole: that it has an end, that every message is accounted for, that it runs again."""
_NOT_AGAIN = "not so when it was played again: an agent keeps something from one episode to the next"
_SHARE = 25
"""Seeds that a process checks at a time, at most."""


class Simulator(Protocol):
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
    trace: Trace
    """Of the smallest schedule."""


class _Run(msgspec.Struct, frozen=True):
    """A seed that breaks something."""

    seed: int
    broken: dict[str, Violation]
    incidents: tuple[Incident, ...]


class _Checks(msgspec.Struct, frozen=True):
    """What is asked of every episode."""

    invariants: Mapping[str, Invariant]
    whole: tuple[str, ...]

    def only(self, name: str) -> "_Checks":
        """Return one of them alone."""
        named = {name: self.invariants[name]} if name in self.invariants else {}
        return _Checks(named, () if named else (name,))

    def broken(self, recording: Recording) -> dict[str, Violation]:
        """Ask all of them; return the first violation of each that does not hold."""
        found = {name: violations(invariant, recording.trace) for name, invariant in self.invariants.items()}
        broken = {name: each[0] for name, each in found.items() if each}
        for name in self.whole:
            violation = _ASKED[name](recording)
            if violation is not None:
                broken[name] = violation
        return broken


def explore(
    make: Callable[[], Simulator],
    seeds: range,
    *,
    invariants: Mapping[str, Invariant] = INVARIANTS,
    without: Collection[str] = (),
    incidents: Sequence[Incident] | None = None,
    processes: int = 1,
    told: Callable[[int], object] = lambda done: None,
) -> list[Finding]:
    """Play many seeds and check every trace.

    Args:
        make: makes a simulator; is called in each process, and so can be pickled where there are several.
        seeds: of the episodes.
        invariants: by name; what holds in every trace.
        without: names of those that are not asked, of the episode as a whole (`WHOLE`) included.
        incidents: what is to go wrong, in place of what the simulator's profile says.
        processes: how many to share the seeds among.
        told: called with the number of seeds that are done.

    Returns:
        What was found, in the order of the invariants.

    Raises:
        SettingError: an invariant fails, or returns what says nothing.
        EpisodeError: an agent has made a process exit.
    """
    checks = _Checks(
        {name: each for name, each in invariants.items() if name not in without},
        tuple(name for name in WHOLE if name not in without),
    )
    runs: list[_Run] = []
    shares = [seeds[start : start + _SHARE] for start in range(0, len(seeds), _SHARE)]
    done = 0
    with quietly():
        simulator = make()
        if processes < 2:
            for seed in seeds:
                runs += _check(simulator, checks, incidents, seed)
                done += 1
                told(done)
        else:
            check = partial(_check_share, make, checks, incidents)
            with closing(shared(check, shares, processes)) as results:
                for share, found in zip(shares, results, strict=True):
                    runs += found
                    done += len(share)
                    told(done)
        broken = {name: [run for run in runs if name in run.broken] for name in (*checks.invariants, *checks.whole)}
        return [_finding(simulator, name, found, checks) for name, found in broken.items() if found]


def _finding(simulator: Simulator, name: str, runs: Sequence[_Run], checks: _Checks) -> Finding:
    first, alone = runs[0], checks.only(name)

    def breaks(incidents: tuple[Incident, ...]) -> bool:
        return bool(_check(simulator, alone, incidents, first.seed))

    smallest = shrink(first.incidents, breaks)
    recording, _ = simulator.play(first.seed, smallest)
    violation = alone.broken(recording).get(name)
    if violation is None:
        was = first.broken[name]
        violation = Violation(0, was.tick, f"{was.problem} ({_NOT_AGAIN})")
    seeds = tuple(run.seed for run in runs)
    return Finding(name, seeds, violation, smallest, len(first.incidents), recording.trace)


def _check(simulator: Simulator, checks: _Checks, incidents: Sequence[Incident] | None, seed: int) -> list[_Run]:
    """Play one seed; return it if it breaks something."""
    recording, happened = simulator.play(seed, incidents)
    broken = checks.broken(recording)
    return [_Run(seed, broken, happened)] if broken else []


def _check_share(
    make: Callable[[], Simulator], checks: _Checks, incidents: Sequence[Incident] | None, seeds: range
) -> list[_Run]:
    """Check a share of the seeds, in a process of its own."""
    with quietly():
        simulator = make()
        return [run for seed in seeds for run in _check(simulator, checks, incidents, seed)]


def _crashed(recording: Recording) -> Violation | None:
    return None if recording.error is None else _of_all(recording, str(recording.error))


def _unaccounted(recording: Recording) -> Violation | None:
    """Say what is wrong with the account of messages: all are somewhere, in queues within bounds."""
    counts = recording.counts
    if counts.deliveries != counts.received + counts.waiting + sum(counts.dead.values()):
        there = f"{counts.received} received, {counts.waiting} waiting, {counts.dead}"
        return _of_all(recording, f"{counts.deliveries} deliveries, but {there}")
    if recording.overfull:
        return _of_all(recording, f"more waited in {', '.join(recording.overfull)} than it holds")
    unexplained = [letter for letter in recording.dead if not letter.reason]
    return _of_all(recording, f"{len(unexplained)} dead letters have no reason") if unexplained else None


def _runs_otherwise(recording: Recording) -> Violation | None:
    difference = rerun(recording.trace).difference
    if difference is None:
        return None
    sentence = difference.sentence("when it was played", "in the rerun")
    return Violation(difference.number, difference.tick or 0, sentence)


def _of_all(recording: Recording, problem: str) -> Violation:
    events = recording.trace.events
    return Violation(0, events[-1].tick if events else 0, problem)


_ASKED: dict[str, Callable[[Recording], Violation | None]] = {
    CRASHES: _crashed,
    ACCOUNTS: _unaccounted,
    AGAIN: _runs_otherwise,
}
