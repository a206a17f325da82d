"""One episode, tick by tick: the world, each seat, what happened, the return.

The state at a tick is that before the world moves, and one more stands at the end: T + 1 of them in T ticks.
Only what changes from one tick to the next is written down, so that an episode is a few kilobytes.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

import msgspec

from hocket.learners.report.parts import Story
from hocket.learners.report.teams import Team, read_episode
from hocket.replays.audits.finding import Absent
from hocket.replays.audits.record import Record
from hocket.replays.timeline import timeline
from hocket.replays.trace import Trace
from hocket.runtime.events import (
    AgentFailed,
    ChoiceRejected,
    Event,
    FaultInjected,
    GameEvent,
    OfferLapsed,
    OptionEnded,
    OptionStarted,
    SeatChanged,
    Stepped,
)
from hocket.runtime.game import Placed

ON_PAPER = 44
"""Lines of the timeline that are printed."""
_ENDS = {"success": "✓"}


class Course(msgspec.Struct, frozen=True):
    """What the page steps through, shape [T + 1] each."""

    lines: list[list[tuple[int, str]]]
    """Of the picture: those that differ from the tick before, by place."""
    places: list[list[tuple[int, int, int]]]
    """Seats that have moved, with column and row; column -1 while one is out of the game."""
    cell: int
    """How many characters of a line a column takes; 0 where seats stand nowhere."""
    doing: list[list[tuple[int, str]]]
    """Seats whose option is another than at the tick before."""
    ended: list[list[tuple[int, str]]]
    """Options that have ended with the last step, by seat."""
    happened: list[list[str]]
    """In the last step."""
    points: list[float]
    """Return of the team so far."""


def story(team: Team) -> Story:
    """Tell the episode of a team whose return is nearest to the median.

    Raises:
        TraceError: its trace is damaged.
    """
    episode = team.typical
    record = Record(read_episode(episode))
    lanes = tuple(timeline(record.trace))
    said = "" if episode.whole else " It was cut off, and is shown as far as it goes."
    which = "the only one" if len(team.episodes) == 1 else "that whose return is nearest to the median"
    return Story(
        title=f"An episode of {team.name.lower()}, tick by tick",
        about=f"{episode.name}, seed {episode.seed}: {which}, with a return of {episode.points:g}.{said}",
        seats=record.header.seats,
        ticks=record.ticks,
        data=_harmless(msgspec.json.encode(course(record)).decode()),
        why=record.states.reason if isinstance(record.states, Absent) else "",
        lanes=lanes,
        left=max(0, len(lanes) - ON_PAPER),
        command=f"hocket timeline {episode.name}",
    )


def course(record: Record) -> Course:
    """Write an episode down by tick."""
    drawn = list(_pictures(record))
    places = list(_places(record))
    doing, ended, happened = _events(record.trace, record.ticks + 1)
    return Course(
        lines=_changes(drawn, record.ticks + 1),
        places=[[(seat, *place) for seat, place in each] for each in _changes(places, record.ticks + 1)],
        cell=_cell(record, drawn),
        doing=doing,
        ended=ended,
        happened=happened,
        points=list(accumulate((sum(step.rewards) for step in record.steps), initial=0.0)),
    )


def _pictures(record: Record) -> Iterator[list[str]]:
    """Yield the lines of each picture; none where the world cannot be simulated again."""
    game, states = record.game, record.states
    if not isinstance(game, Absent) and not isinstance(states, Absent):
        for facts in states:
            yield game.picture(facts).split("\n")


def _places(record: Record) -> Iterator[list[tuple[int, int]]]:
    game, states = record.game, record.states
    if isinstance(game, Placed) and not isinstance(states, Absent):
        for facts in states:
            yield [(-1, -1) if place is None else place for place in game.places(facts)]


def _cell(record: Record, drawn: Sequence[Sequence[str]]) -> int:
    """Tell how many characters a column takes, from the widest line of the map."""
    game: Any = record.game
    if not drawn or not isinstance(game, Placed):
        return 0
    width, height = game.size
    return round((max(map(len, drawn[0][:height])) + 1) / width)


def _changes(states: Sequence[Sequence[Any]], count: int) -> list[list[tuple[int, Any]]]:
    """Keep what differs from the state before, by place; what is not there any more becomes empty."""
    found: list[list[tuple[int, Any]]] = []
    before: Sequence[Any] = ()
    for state in states:
        now = [*state, *[""] * (len(before) - len(state))]
        found.append([(place, each) for place, each in enumerate(now) if [*before[place : place + 1]] != [each]])
        before = now
    return found or [[] for _ in range(count)]


def _events(
    trace: Trace, count: int
) -> tuple[list[list[tuple[int, str]]], list[list[tuple[int, str]]], list[list[str]]]:
    """Return what seats are doing, what they have ended, and what happened, shape [T + 1] each."""
    doing: list[list[tuple[int, str]]] = [[] for _ in range(count)]
    ended: list[list[tuple[int, str]]] = [[] for _ in range(count)]
    happened: list[list[str]] = [[] for _ in range(count)]
    last = count - 1
    for event in trace.events:
        now, after = min(event.tick, last), min(event.tick + 1, last)
        match event:
            case OptionStarted():
                doing[now] = [*(each for each in doing[now] if each[0] != event.seat), (event.seat, event.option)]
            case OptionEnded():
                doing[after].append((event.seat, ""))
                ended[after].append((event.seat, f"{_ENDS.get(event.outcome, '✗')} {event.option}{_why(event)}"))
            case Stepped():
                happened[after] += map(_said, event.events)
                happened[after] += [f"{sum(event.rewards):+g} points"] if any(event.rewards) else []
            case _ if (said := _trouble(event)) is not None:
                happened[now].append(said)
            case _:
                pass
    return doing, ended, happened


def _why(event: OptionEnded) -> str:
    return "" if event.outcome == "success" else f": {event.outcome}"


def _said(event: GameEvent) -> str:
    who = "" if event.seat < 0 else f"seat {event.seat} "
    return f"{who}{event.kind.replace('_', ' ')} {event.what}".rstrip()


def _trouble(event: Event) -> str | None:
    match event:
        case AgentFailed():
            return f"seat {event.seat}: {event.holder} failed: {event.error}"
        case ChoiceRejected():
            return f"seat {event.seat}: a reply was rejected, {event.reason}: {event.detail}"
        case OfferLapsed() if event.reason != "cancelled":
            return f"seat {event.seat}: its offer lapsed, {event.reason}"
        case FaultInjected():
            return f"seat {event.seat}: fault, {event.fault} {event.message}".rstrip()
        case SeatChanged():
            return f"seat {event.seat}: {event.holder} takes over from {event.was}"
        case _:
            return None


def _harmless(text: str) -> str:
    """Write JSON so that nothing in it ends the element that it stands in, or begins another."""
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
