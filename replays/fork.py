"""An episode goes on from a recorded decision with other agents.

Before that decision it is what was recorded, simulated again; from there on it is
played in lockstep, and nothing goes wrong on purpose, whatever pace and faults the
header names: it is that of the whole episode. Contracts hold on: what a seat has missed
counts, and one that the fallback holds goes back when it is due. The new agents take
their seats while the offers of that tick are open, and answer them; so do the others,
as they are asked again.
"""

from collections.abc import Mapping, Sequence
from functools import partial

import anyio
import msgspec

from hocket.replays.branch import Branch
from hocket.replays.recorder import Sink
from hocket.replays.recording import play_live
from hocket.replays.standing import REASON, standings
from hocket.replays.trace import SCHEMA, AgentMark, Header, LibraryMark, Terms, Trace, installed_versions
from hocket.runtime.bus import Bus
from hocket.runtime.clock import Clock
from hocket.runtime.contract import Contract
from hocket.runtime.events import EpisodeEnded, Event
from hocket.runtime.pace import Lockstep
from hocket.runtime.policy import Chooser
from hocket.runtime.result import Result
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats


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
    trace: Trace,
    branch: Branch,
    holders: Sequence[Holder],
    named: Mapping[int, Holder],
    fallback: Holder,
    sink: Sink | None = None,
    *,
    owners: Mapping[int, Holder] | None = None,
) -> Counterfactual:
    """Go on from a branch that agrees with its trace, in lockstep, without faults, by the contracts of its header.

    Args:
        trace: that it is the beginning of.
        branch: is used up.
        holders: who holds each seat at the decision, shape [seats]; for seats that are named, anyone.
        named: who takes over.
        fallback: takes the seat of an agent that has failed.
        sink: is handed all events of the fork, those before the decision as well; None where they are not kept.
        owners: to whom a seat goes back that the fallback holds at the decision, as `lent` tells; one that is not
            among them stays where it is.

    Raises:
        HocketError: the game, the options or the scheduler failed.
    """
    scheduler, so_far, owners = branch.scheduler, sum(branch.scheduler.returns), owners or {}
    if sink is not None:
        _write(sink, branch.events)
    seats = _seated(trace, branch, holders, fallback, {**owners, **named})
    for seat, holder in sorted(named.items()):
        seats.bind(scheduler, seat, holder, REASON)
    cast = [*map(seats.holder, range(len(seats))), *owners.values(), fallback]
    if all(isinstance(each.agent, Chooser) for each in cast):
        [result] = play([Rollout(scheduler, seats, None if sink is None else partial(_write, sink))])
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


def lent(trace: Trace, branch: Branch) -> dict[int, str]:
    """Return by seat who gets it back, where the fallback holds it at the decision for a time only."""
    contracts, stood = _contracts(trace), standings(trace.header.seats, branch.events)
    pairs = zip(stood, contracts, strict=True) if contracts else ()
    return {seat: each.owner for seat, (each, terms) in enumerate(pairs) if each.relieved and terms.back is not None}


def _contracts(trace: Trace) -> tuple[Contract, ...]:
    terms = trace.header.terms
    return terms.contracts if isinstance(terms, Terms) else ()


def _seated(
    trace: Trace, branch: Branch, holders: Sequence[Holder], fallback: Holder, first: Mapping[int, Holder]
) -> Seats:
    """Seat the agents as the beginning of the episode leaves them; `first` are those to whom seats go back."""
    owners = [first.get(seat, holder) for seat, holder in enumerate(holders)]
    seats = Seats(owners, fallback, _contracts(trace) or None)
    for seat, stood in enumerate(standings(trace.header.seats, branch.events)):
        seats.resume(seat, holders[seat], since=stood.since, relieved=stood.relieved, missed=stood.missed)
    return seats


def _write(sink: Sink, events: Sequence[Event]) -> None:
    for event in events:
        sink.write(event)
    sink.flush()


async def _in_their_own_time(scheduler: Scheduler[object], seats: Seats, sink: Sink | None) -> Result:
    """Play where an agent takes its time."""
    clock = Clock()
    return await play_live(scheduler, seats, Lockstep(), Bus(clock), clock, sink)
