"""An episode goes on from a recorded decision with other agents.

Before that decision it is what was recorded, simulated again; from there on it is
played in lockstep. The new agents take their seats while the offers of that tick are
open, and answer them; so do the others, as they are asked again.
"""

from collections.abc import Mapping, Sequence
from functools import partial

import anyio
import msgspec

from hocket.replays.branch import Branch
from hocket.replays.recorder import Recorder, Sink
from hocket.replays.trace import SCHEMA, AgentMark, Header, LibraryMark, Terms, Trace, installed_versions
from hocket.runtime.actor import Group
from hocket.runtime.bus import Bus
from hocket.runtime.clock import Clock
from hocket.runtime.episode import Episode
from hocket.runtime.events import EpisodeEnded, Event
from hocket.runtime.pace import Lockstep
from hocket.runtime.policy import Chooser
from hocket.runtime.result import Result
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

REASON = "fork"
"""Why a seat changes hands, in a trace."""


class Counterfactual(msgspec.Struct, frozen=True):
    """What the team has got, beside what it would have got from a decision on with other agents."""

    decision: int
    """Running number over the offers of all seats."""
    seat: int
    tick: int
    so_far: float
    """The team's return up to the decision, in game points."""
    recorded: float | None
    """Of the whole episode, as it was recorded; None where it has no end."""
    fork: float
    """Of the whole episode, as it went on from here."""

    @property
    def difference(self) -> float | None:
        """What the other agents have made more of it."""
        return None if self.recorded is None else self.fork - self.recorded


def fork(
    trace: Trace, branch: Branch, holders: Sequence[Holder], named: Mapping[int, Holder], fallback: Holder, sink: Sink
) -> Counterfactual:
    """Go on from a branch that agrees with its trace, on the terms of its header.

    Args:
        trace: that it is the beginning of.
        branch: is used up.
        holders: who holds each seat at the decision, shape [seats]; for seats that are named, anyone.
        named: who takes over.
        fallback: takes the seat of an agent that has failed.
        sink: is handed all events of the fork, those before the decision as well.

    Raises:
        HocketError: the game, the options or the scheduler failed.
    """
    scheduler, so_far = branch.scheduler, sum(branch.scheduler.returns)
    _write(sink, branch.events)
    terms = trace.header.terms
    contracts = terms.contracts if isinstance(terms, Terms) else ()
    seats = Seats([named.get(seat, holder) for seat, holder in enumerate(holders)], fallback, contracts or None)
    for seat, holder in sorted(named.items()):
        seats.bind(scheduler, seat, holder, REASON)
    if all(isinstance(seats.holder(seat).agent, Chooser) for seat in range(len(seats))):
        [result] = play([Rollout(scheduler, seats, partial(_write, sink))])
    else:
        result = anyio.run(_in_their_own_time, scheduler, seats, sink)
    last, at = trace.events[-1], branch.at
    recorded = sum(last.returns) if isinstance(last, EpisodeEnded) else None
    return Counterfactual(at.number, at.seat, at.tick, so_far, recorded, result.team)


def fork_header(header: Header, branch: Branch, agents: Mapping[str, AgentMark]) -> Header:
    """Return the header of a fork: that of the trace, with what goes on from it, and in which versions.

    Args:
        header: of the trace.
        branch: of it.
        agents: marks of language models that hold seats from here on; one that the trace has keeps its own.
    """
    library = branch.rebuilt.library
    return msgspec.structs.replace(
        header,
        schema=SCHEMA,
        library=LibraryMark(library.name, library.version, library.digest),
        versions=installed_versions(),
        agents={**agents, **header.agents},
    )


def _write(sink: Sink, events: Sequence[Event]) -> None:
    for event in events:
        sink.write(event)
    sink.flush()


async def _in_their_own_time(scheduler: Scheduler[object], seats: Seats, sink: Sink) -> Result:
    """Play where an agent takes its time."""
    clock = Clock()
    bus = Bus(clock)
    async with Group() as group:
        group.start(Recorder(bus, sink).actor)
        try:
            return await Episode(scheduler, seats, bus, Lockstep(), clock=clock).run()
        finally:
            with anyio.CancelScope(shield=True):
                await bus.stop()
