"""Exploration: planted faults are found, made small, and the same in several processes."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hocket.recipe import Recipe, Simulation
from hocket.replays.explore import ACCOUNTS, AGAIN, CRASHES, Finding, explore
from hocket.replays.fault_file import read_profile
from hocket.replays.invariants import INVARIANTS, violations
from hocket.replays.recording import Recording
from hocket.runtime.contract import Contract
from hocket.runtime.events import OptionChosen, Receipt
from hocket.runtime.fault_profile import FaultProfile, Window
from hocket.runtime.incident import Incident
from hocket.runtime.network import Network
from hocket.runtime.scheduler import Scheduler

DATA = Path(__file__).parents[1] / "data"
WITHIN = 200
"""Seeds in which each planted fault must be found."""
HOSTILE = Recipe(
    game="pantry",
    seats={0: "random", 1: "random"},
    profile=read_profile("hostile"),
    contracts={seat: Contract(deadline=20, misses=3, back=20) for seat in range(2)},
)


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `planted.py` be imported, here and in processes that are started from here."""
    monkeypatch.chdir(DATA)


def _found(recipe: Recipe, name: str, seeds: int = WITHIN) -> Finding:
    """Explore until the first finding; return that of one invariant."""
    for start in range(0, seeds, 20):
        found = {each.invariant: each for each in explore(partial(Simulation, recipe), range(start, start + 20))}
        if name in found:
            return found[name]
    raise AssertionError(f"no seed below {seeds} breaks {name}")


def test_what_holds_is_not_complained_about() -> None:
    """The other tests would show nothing if there were always something to find."""
    assert explore(partial(Simulation, HOSTILE), range(60)) == []


@pytest.mark.usefixtures("planted")
def test_a_policy_that_answers_the_previous_menu_is_found() -> None:
    """Nothing but its own fault is needed to show it."""
    recipe = msgspec.structs.replace(HOSTILE, seats={0: "random", 1: "planted:PreviousMenu"})

    finding = _found(recipe, "rejected_for_cause")

    assert finding.incidents == ()
    assert "not on the menu" in finding.violation.problem


def test_a_scheduler_that_takes_a_late_choice_twice_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """One copy too many, or too late, is enough to show it."""

    def late(self: Scheduler[Any], seat: int, decision: int, detail: str, receipt: Receipt | None = None) -> None:
        self._outbox.append(OptionChosen(self.now, seat, decision, 0, "wait", self.holders[seat], receipt))

    monkeypatch.setattr(Scheduler, "late", late)

    finding = _found(HOSTILE, "one_end_an_offer")

    assert 1 <= len(finding.incidents) <= 3
    assert finding.among > len(finding.incidents)
    assert "ended twice" in finding.violation.problem


def test_a_partition_that_is_never_healed_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the network has the fault: it forgets to heal."""

    plain = Network._window

    def window(self: Network, kind: str, seat: int, tick: int) -> Incident | None:
        begun = (each for each in self._windows.get((kind, seat), ()) if each.at <= tick)
        return next(begun, None) if kind == "partition" else plain(self, kind, seat, tick)

    monkeypatch.setattr(Network, "_window", window)

    finding = _found(HOSTILE, "cuts_heal")

    assert 1 <= len(finding.incidents) <= 3
    assert "that was over" in finding.violation.problem


def test_a_profile_whose_partition_has_no_end_is_found() -> None:
    """And here the profile."""
    recipe = msgspec.structs.replace(HOSTILE, profile=FaultProfile(partition=(Window(seats=(1,), start=9),)))

    finding = _found(recipe, "cuts_heal")

    assert [str(each) for each in finding.incidents] == ["partition:1:9:0"]
    assert finding.violation.problem == "the partition of seat 1 is never over"


def test_a_finding_is_that_of_its_smallest_schedule() -> None:
    """What is printed must be what the printed command shows."""
    recipe = msgspec.structs.replace(HOSTILE, profile=FaultProfile(partition=(Window(seats=(1,), start=9),)))
    finding = _found(recipe, "cuts_heal")

    recording, _ = Simulation(recipe).play(finding.seeds[0], finding.incidents)

    assert violations(INVARIANTS["cuts_heal"], recording.trace)[0] == finding.violation


def test_a_world_that_fails_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a traceback in the midst of a thousand seeds."""
    plain = Scheduler.tick

    def tick(self: Scheduler[Any]) -> None:
        if self.now == 7:
            raise KeyError("planted")
        plain(self)

    monkeypatch.setattr(Scheduler, "tick", tick)

    found = {each.invariant: each for each in explore(partial(Simulation, HOSTILE), range(3))}

    assert found[CRASHES].seeds == (0, 1, 2)
    assert "the scheduler failed at tick 7: KeyError: 'planted'" in found[CRASHES].violation.problem
    assert ACCOUNTS not in found


def test_a_world_of_chance_of_its_own_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the trace cannot explain, its rerun shows."""
    plain, calls = Scheduler.tick, [0]

    def tick(self: Scheduler[Any]) -> None:
        calls[0] += 1
        plain(self)
        if calls[0] % 50 == 0:
            self._outbox.append(self._outbox[-1])

    monkeypatch.setattr(Scheduler, "tick", tick)

    assert AGAIN in {each.invariant for each in explore(partial(Simulation, HOSTILE), range(4))}


@pytest.mark.usefixtures("planted")
def test_processes_change_nothing() -> None:
    """The same findings, seeds and schedules, however the work is shared out."""
    recipe = msgspec.structs.replace(HOSTILE, seats={0: "random", 1: "planted:PreviousMenu"})

    alone = explore(partial(Simulation, recipe), range(30))
    shared = explore(partial(Simulation, recipe), range(30), processes=2)

    assert alone
    assert shared == alone


class Keeping:
    """A simulator whose every other episode is broken: an agent that keeps something between episodes."""

    def __init__(self) -> None:
        self._simulation, self._played = Simulation(HOSTILE), 0

    def play(self, seed: int, incidents: Sequence[Incident] | None = None) -> tuple[Recording, tuple[Incident, ...]]:
        self._played += 1
        recording, happened = self._simulation.play(seed, incidents)
        if self._played == 1:
            recording = msgspec.structs.replace(recording, overfull=("recorder",))
        return recording, happened


def test_a_finding_that_does_not_come_about_again_says_so() -> None:
    """Its trace would refute it."""
    [finding] = explore(Keeping, range(2))

    assert finding.seeds == (0,)
    assert finding.violation.problem.startswith(
        "more waited in recorder than it holds (not so when it was played again"
    )
