"""A trace is simulated again, and must agree event by event.

Only the inputs are taken from the trace: choices, rejections, lapses, failures of
agents and changes of seats, each at the tick at which it took effect. Menus,
options, steps, rewards and game events are worked out afresh by the same
scheduler that made them, and compared.
"""

from collections import deque
from collections.abc import Callable, Sequence

import msgspec

from hocket.games import registry
from hocket.replays.difference import Difference, between
from hocket.replays.trace import Trace
from hocket.runtime.errors import SchedulerError
from hocket.runtime.events import (
    AgentFailed,
    ChoiceRejected,
    EpisodeEnded,
    Event,
    OfferLapsed,
    OptionChosen,
    SeatChanged,
    Stepped,
)
from hocket.runtime.scheduler import Scheduler


class Verdict(msgspec.Struct, frozen=True):
    """What a rerun found."""

    events: int
    """Events that agreed."""
    difference: Difference | None
    returns: tuple[float, ...]
    notes: tuple[str, ...]
    """What is no difference but worth knowing: a torn tail, another version of the library."""

    @property
    def agrees(self) -> bool:
        """Whether every event of the trace came about again."""
        return self.difference is None


def rerun(trace: Trace, progress: Callable[[int], object] = lambda events: None) -> Verdict:
    """Simulate a trace again and compare.

    Args:
        trace: as it was read.
        progress: called with the number of events that have agreed, once a tick.

    Raises:
        UsageError: its game or library is not installed here.
    """
    header = trace.header
    game = registry.rebuild(header.game)
    library = registry.library(game, header.library.name)
    scheduler = Scheduler(
        game, library, seed=header.seed, holders=header.seats, steps=header.steps, starts=header.starts
    )
    notes = []
    if (library.version, library.digest) != (header.library.version, header.library.digest):
        notes.append(f"the option library {library.name!r} has changed since the trace was recorded")
    if trace.torn:
        notes.append(f"the trace is torn: it was cut after event {len(trace.events)}")
    elif not trace.ended:
        notes.append("the trace has no end: its episode did not finish")
    difference = _compare(trace.events, scheduler, progress)
    agreed = len(trace.events) if difference is None else difference.number - 1
    return Verdict(agreed, difference, tuple(scheduler.returns), tuple(notes))


def _compare(
    events: Sequence[Event], scheduler: Scheduler[object], progress: Callable[[int], object]
) -> Difference | None:
    made: deque[Event] = deque(scheduler.take())
    opened = -1
    for number, recorded in enumerate(events, 1):
        if not made:
            if opened < scheduler.now and not isinstance(recorded, EpisodeEnded):
                opened = scheduler.now
                scheduler.due()
                made.extend(scheduler.take())
                progress(number)
            if not made:
                try:
                    _carry_out(recorded, scheduler)
                except SchedulerError as error:
                    return Difference(number, recorded.tick, "type", str(recorded.__struct_config__.tag), error.problem)
                made.extend(scheduler.take())
        difference = between(number, recorded, made.popleft() if made else None)
        if difference is not None:
            return difference
    return between(len(events) + 1, None, made.popleft()) if made and _whole(events) else None


def _whole(events: Sequence[Event]) -> bool:
    return bool(events) and isinstance(events[-1], EpisodeEnded)


def _carry_out(recorded: Event, scheduler: Scheduler[object]) -> None:
    """Give the scheduler the input that an event records."""
    match recorded:
        case OptionChosen():
            scheduler.choose(recorded.seat, recorded.index, recorded.receipt)
        case ChoiceRejected():
            scheduler.reject(recorded.seat, recorded.reason, recorded.detail)
        case OfferLapsed():
            scheduler.lapse(recorded.seat, recorded.reason)
        case AgentFailed():
            scheduler.agent_failed(recorded.seat, recorded.error)
        case SeatChanged():
            scheduler.change_seat(recorded.seat, recorded.holder, recorded.reason)
        case EpisodeEnded():
            scheduler.end(recorded.reason)
        case Stepped():
            scheduler.tick()
        case _:
            pass
