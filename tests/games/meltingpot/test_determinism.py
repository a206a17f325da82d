"""One seed gives one trace of Melting Pot, in every process and when simulated again.

Stock Melting Pot does not keep to that: Lua walks its tables in another order in every process.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path

import pytest
from tests.games.meltingpot.worlds import needs_substrates

from hocket.agents.idle import Idle
from hocket.agents.spec import Cast
from hocket.games import registry
from hocket.replays.rerun import rerun
from hocket.replays.trace import Trace, encode_trace, make_header
from hocket.runtime.events import Event, Stepped
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

pytestmark = needs_substrates
ROOT = Path(__file__).parents[3]
EATERS, CLEANERS = ("scripted:eater",) * 4, ("scripted:cleaner",) * 3
EPISODES: dict[str, tuple[str, Sequence[str], str]] = {
    "eaters and cleaners": ("cleanup", EATERS + CLEANERS, "default"),
    "random, with zapping": ("harvest:no_thinning", ("random",) * 7, "zap"),
}
SEED, STEPS = 9, 150
SCRIPT = """
from tests.games.meltingpot.test_determinism import EPISODES, digest, played
for case in EPISODES:
    print(digest(played(case)))
"""


@cache
def played(case: str) -> Trace:
    """Play an episode anew."""
    name, agents, library = EPISODES[case]
    game, cast = registry.make(name), Cast(name.partition(":")[0])
    options = registry.library(game, library)
    holders = [cast.holder(agent, seat) for seat, agent in enumerate(agents)]
    scheduler = Scheduler(game, options, seed=SEED, holders=agents, steps=STEPS, starts="varied")
    events: list[Event] = []
    play([Rollout(scheduler, Seats(holders, Holder("idle", Idle())), events.extend)])
    header = make_header(game, options, seed=SEED, starts="varied", steps=STEPS, seats=agents)
    return Trace(header, tuple(events))


def digest(trace: Trace) -> str:
    """Name every byte of a trace."""
    return blake2b(encode_trace(trace.header, trace.events)).hexdigest()


def test_one_seed_gives_one_trace_in_every_process() -> None:
    """Whatever the order of hashes is there, in Python and in Lua; and in this process as in a fresh one."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-P", "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in ("0", "4242")
    ]

    here = [digest(played(case)) for case in EPISODES]
    printed = [process.communicate()[0].split() for process in processes]

    assert printed == [here, here]
    assert len(set(here)) == len(EPISODES)


@pytest.mark.parametrize("case", EPISODES)
def test_one_seed_gives_one_trace_again(case: str) -> None:
    """In a world that has played other episodes meanwhile."""
    assert played.__wrapped__(case) == played(case)


@pytest.mark.parametrize("case", EPISODES)
def test_a_trace_comes_about_again(case: str) -> None:
    """From its header and its choices alone, every event of it; and a great deal has happened in it."""
    trace = played(case)

    verdict = rerun(trace)

    steps = [event for event in trace.events if isinstance(event, Stepped)]
    happened = {event.kind for step in steps for event in step.events}
    assert verdict.agrees
    assert (verdict.events, verdict.notes) == (len(trace.events), ())
    assert sum(verdict.returns) == sum(sum(step.rewards) for step in steps) > 0
    assert happened >= ({"ate", "cleaned", "dirt"} if "cleaner" in case else {"ate", "zapped", "apples"})


@pytest.mark.parametrize("case", EPISODES)
def test_a_trace_that_tells_otherwise_does_not(case: str) -> None:
    """An apple that nobody was paid for is found at its tick; so a rerun that agrees says something."""
    trace = played(case)
    events = list(trace.events)
    number = next(n for n, event in enumerate(events) if isinstance(event, Stepped) and any(event.rewards))
    step = events[number]
    assert isinstance(step, Stepped)
    events[number] = Stepped(step.tick, step.joint, (0.0,) * len(step.rewards), step.events)

    verdict = rerun(Trace(trace.header, tuple(events)))

    assert verdict.difference is not None
    assert verdict.difference.tick == step.tick
