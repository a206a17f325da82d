"""An agent with a fault, found by exploration and shown by its smallest schedule.

    python examples/find_a_fault.py

The cook below takes every answer to be its last: asked for the same decision twice, it
raises. On a good line nobody notices.
"""

from collections.abc import Sequence
from functools import partial

from hocket.agents.random import Random
from hocket.recipe import Recipe, Simulation
from hocket.replays.explore import explore
from hocket.replays.fault_file import read_profile
from hocket.replays.trace import Trace
from hocket.runtime.events import AgentFailed
from hocket.runtime.policy import Choice, Offer


class Proud:
    """Plays at random, and is never asked twice."""

    def __init__(self) -> None:
        self._answered: set[int] = set()

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        """Draw from each menu."""
        for offer in offers:
            if offer.decision in self._answered:
                raise RuntimeError("I have answered that")
            self._answered.add(offer.decision)
        return Random().choose_many(offers)


def nobody_fails(trace: Trace) -> str | None:
    """What should hold in every episode."""
    failed = [event for event in trace.events if isinstance(event, AgentFailed)]
    return f"seat {failed[0].seat} at tick {failed[0].tick}: {failed[0].error}" if failed else None


if __name__ == "__main__":
    seats = {0: "random", 1: "examples.find_a_fault:Proud"}
    recipe = Recipe(game="pantry", seats=seats, profile=read_profile("lossy"))
    for finding in explore(partial(Simulation, recipe), range(100), invariants={"nobody_fails": nobody_fails}):
        print(f"{len(finding.seeds)} of 100 seeds break {finding.invariant}, the first is {finding.seeds[0]}")
        print(finding.violation.problem)
        print(f"{len(finding.incidents)} of {finding.among} faults suffice:", *finding.incidents)
