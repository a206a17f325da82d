"""A trace as text, one lane a seat.

>  an option begins     +  it did what it promises     x  it did not
.  it goes on           !  the agent failed, a reply was rejected, an offer lapsed
~  a fault was injected
"""

from collections.abc import Iterator

from hocket.replays.trace import Trace
from hocket.runtime.events import (
    AgentFailed,
    ChoiceRejected,
    EpisodeEnded,
    Event,
    FaultInjected,
    GameEvent,
    OfferLapsed,
    OptionEnded,
    OptionStarted,
    SeatChanged,
    Stepped,
)


def timeline(trace: Trace, ticks: range | None = None) -> Iterator[str]:
    """Yield the lines of a trace's timeline: only ticks at which something began or ended, and only of `ticks`."""
    seats = len(trace.header.seats)
    longest = max((len(each.option) for each in trace.events if isinstance(each, OptionStarted)), default=0)
    width = max(24, longest + len(">  + "), *(len(name) + 8 for name in trace.header.seats))
    yield f"{trace.header.game.name}, seed {trace.header.seed}, {trace.header.steps} ticks"
    yield (
        "  tick  "
        + "".join(f"{f'seat {seat} {name}':<{width}}" for seat, name in enumerate(trace.header.seats))
        + "world"
    )
    busy = [False] * seats
    for tick, events in _by_tick(trace.events):
        lanes: list[list[str]] = [[] for _ in range(seats)]
        world: list[str] = []
        for event in events:
            if isinstance(event, Stepped):
                world += [_world(each) for each in event.events]
                world += [f"+{sum(event.rewards):g}"] if any(event.rewards) else []
            elif isinstance(event, EpisodeEnded):
                world.append(f"the end ({event.reason}): {sum(event.returns):g}")
            elif (mark := _mark(event)) is not None:
                seat, words = mark
                lanes[seat].append(words)
                busy[seat] = isinstance(event, OptionStarted) or (busy[seat] and not isinstance(event, OptionEnded))
        if (world or any(lanes)) and (ticks is None or tick in ticks):
            cells = [" ".join(lane) or ("." if busy[seat] else "") for seat, lane in enumerate(lanes)]
            yield f"{tick:>6}  " + "".join(f"{cell:<{width - 1}} " for cell in cells) + ", ".join(world)


def _by_tick(events: tuple[Event, ...]) -> Iterator[tuple[int, list[Event]]]:
    batch: list[Event] = []
    for event in events:
        if batch and event.tick != batch[0].tick:
            yield batch[0].tick, batch
            batch = []
        batch.append(event)
    if batch:
        yield batch[0].tick, batch


def _mark(event: Event) -> tuple[int, str] | None:
    """Return the seat whose lane an event belongs to, and how it stands there."""
    match event:
        case OptionStarted():
            return event.seat, f"> {event.option}"
        case OptionEnded():
            return event.seat, "+" if event.outcome == "success" else f"x {event.outcome}"
        case AgentFailed():
            return event.seat, f"! {event.error}"
        case ChoiceRejected():
            return event.seat, f"! {event.reason}: {event.detail}"
        case OfferLapsed():
            return event.seat, f"! {event.reason}"
        case FaultInjected():
            late = f" {event.ticks} ticks" if event.ticks else ""
            return event.seat, f"~ {event.fault} {event.message}".rstrip() + late
        case SeatChanged():
            return event.seat, f"! {event.holder} takes over"
        case _:
            return None


def _world(event: GameEvent) -> str:
    who = "" if event.seat < 0 else f"{event.seat} "
    return f"{who}{event.kind.replace('_', ' ')} {event.what}".rstrip()
