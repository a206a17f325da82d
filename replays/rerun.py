"""A trace is simulated again, and must agree event by event.

Only the inputs are taken from the trace: choices, rejections, lapses, failures of
agents and changes of seats, each at the tick at which it took effect. Menus,
options, steps, rewards and game events are worked out afresh by the same
scheduler that made them, and compared.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from hocket.games import registry
from hocket.replays.difference import Difference, between
from hocket.replays.trace import Trace, installed_versions
from hocket.runtime.errors import HocketError, TraceError
from hocket.runtime.events import (
    AgentFailed,
    ChoiceRejected,
    EpisodeEnded,
    Event,
    OfferLapsed,
    OptionChosen,
    OptionEnded,
    SeatChanged,
    Stepped,
)
from hocket.runtime.game import Game
from hocket.runtime.option import Library
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
        UsageError: its game or library is not installed here, or cannot be built from its header.
    """
    header, game = trace.header, _rebuilt(trace)
    library = registry.library(game, header.library.name)
    notes = tuple(_notes(trace, library))
    difference = _header_difference(trace, game)
    if difference is not None:
        return Verdict(0, difference, (), notes)
    scheduler = Scheduler(
        game,
        library,
        seed=header.seed,
        holders=header.seats,
        steps=header.steps,
        starts=header.starts,
        guards=header.guards,
    )
    difference = _compare(trace.events, scheduler, progress)
    agreed = len(trace.events) if difference is None else difference.number - 1
    return Verdict(agreed, difference, tuple(scheduler.returns), notes)


def _notes(trace: Trace, library: Library[Any]) -> Iterator[str]:
    header, installed = trace.header, installed_versions()
    for name, version in header.versions.items():
        if version != installed.get(name):
            yield f"{name} was {version}, and is {installed.get(name, 'not installed')}"
    if (library.version, library.digest) != (header.library.version, header.library.digest):
        yield f"the option library {library.name!r} has changed since the trace was recorded"
    if trace.torn:
        yield f"the trace is torn: it was cut after event {len(trace.events)}"
    elif not trace.ended:
        yield "the trace has no end: its episode did not finish"


def _rebuilt(trace: Trace) -> Game[Any]:
    """Build the trace's game; a header that a game cannot make sense of is the user's mistake."""
    try:
        return registry.rebuild(trace.header.game)
    except HocketError:
        raise
    except Exception as error:
        problem = f"no {trace.header.game.kind} can be built from it: {type(error).__name__}: {error}"
        raise TraceError(path=trace.path, number=0, field="game", problem=problem) from error


def _header_difference(trace: Trace, game: Game[Any]) -> Difference | None:
    """Compare what the header says beside the game's settings with the game that was built from them."""
    header = trace.header
    if header.actions != game.actions:
        return Difference(0, None, "actions", list(header.actions), list(game.actions))
    if len(header.seats) != game.seats:
        return Difference(0, None, "seats", len(header.seats), game.seats)
    return None


def _compare(
    events: Sequence[Event], scheduler: Scheduler[Any], progress: Callable[[int], object]
) -> Difference | None:
    made: deque[Event] = deque(scheduler.take())
    opened, ending = -1, _ending(events)
    reason = events[-1].reason if events and isinstance(events[-1], EpisodeEnded) else "interrupted"
    for number, recorded in enumerate(events, 1):
        if not made:
            if opened < scheduler.now < scheduler.steps and number <= ending:
                opened = scheduler.now
                scheduler.due()
                made.extend(scheduler.take())
                progress(number)
            if not made:
                problem = _objection(recorded, scheduler)
                if problem is not None:
                    return Difference(number, recorded.tick, "type", str(recorded.__struct_config__.tag), problem)
                _carry_out(recorded, scheduler, reason)
                made.extend(scheduler.take())
        difference = between(number, recorded, made.popleft() if made else None)
        if difference is not None:
            return difference
        if isinstance(recorded, EpisodeEnded) and number < len(events):
            return between(number + 1, events[number], None)
    return None


def _ending(events: Sequence[Event]) -> int:
    """How many events come before those with which an episode is wound up: no offers are made after them."""
    count = len(events)
    while count and (isinstance(events[count - 1], EpisodeEnded | OfferLapsed) or _is_cut_off(events[count - 1])):
        count -= 1
    return count


def _is_cut_off(event: Event) -> bool:
    return isinstance(event, OptionEnded) and event.outcome == "cancelled"


def _objection(recorded: Event, scheduler: Scheduler[Any]) -> str | None:
    """Say why the input that an event records cannot be given to the scheduler now."""
    over = scheduler.now >= scheduler.steps
    match recorded:
        case OptionChosen() | ChoiceRejected() | OfferLapsed():
            seats = range(len(scheduler.holders))
            offer = scheduler.open_offer(recorded.seat) if recorded.seat in seats else None
            if offer is None:
                return "no open offer"
            if isinstance(recorded, OptionChosen) and not 0 <= recorded.index < len(offer.menu):
                return f"a menu of {len(offer.menu)}"
        case AgentFailed() | SeatChanged():
            if not 0 <= recorded.seat < len(scheduler.holders):
                return f"{len(scheduler.holders)} seats"
        case EpisodeEnded(reason="horizon") if not over:
            return "stepped"
        case Stepped() if over:
            return "episode_ended"
        case _:
            pass
    return None


def _carry_out(recorded: Event, scheduler: Scheduler[Any], reason: str) -> None:
    """Give the scheduler the input that an event records; `reason` is why the episode ended."""
    match recorded:
        case OptionChosen():
            scheduler.choose(recorded.seat, recorded.index, recorded.receipt)
        case ChoiceRejected():
            scheduler.reject(recorded.seat, recorded.reason, recorded.detail, recorded.receipt)
        case OfferLapsed():
            scheduler.lapse(recorded.seat, recorded.reason)
        case AgentFailed():
            scheduler.agent_failed(recorded.seat, recorded.error)
        case SeatChanged():
            scheduler.change_seat(recorded.seat, recorded.holder, recorded.reason)
        case EpisodeEnded():
            scheduler.end(recorded.reason)
        case OptionEnded(outcome="cancelled"):
            scheduler.end(reason)
        case Stepped():
            scheduler.tick()
        case _:
            pass
