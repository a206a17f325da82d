"""A trace as text."""

import msgspec
from syrupy.assertion import SnapshotAssertion

from hocket.replays.timeline import timeline
from hocket.replays.trace import Trace
from hocket.runtime.events import (
    AgentFailed,
    ChoiceRejected,
    EpisodeEnded,
    FaultInjected,
    OfferLapsed,
    OptionEnded,
    OptionStarted,
    SeatChanged,
    Stepped,
)


def test_the_timeline_of_an_episode(played: Trace, snapshot: SnapshotAssertion) -> None:
    """One lane a seat: what each began and how it ended, and what the world says of it."""
    assert "\n".join(line.rstrip() for line in timeline(played)) == snapshot


def test_what_goes_wrong_stands_in_the_lane_of_its_seat(played: Trace, snapshot: SnapshotAssertion) -> None:
    """Failures, rejections, lapses and changes of seats."""
    events = (
        AgentFailed(0, 0, "ada", "ValueError: burnt"),
        OfferLapsed(0, 0, 0, "cancelled"),
        SeatChanged(0, 0, "idle", "ada", "failed"),
        ChoiceRejected(1, 1, 0, "not on the menu", "index 9 of 6"),
        OptionStarted(2, 1, "wait", 2),
        OfferLapsed(3, 0, 1, "timeout"),
        EpisodeEnded(4, "interrupted", (0.0, 0.0)),
    )

    assert "\n".join(line.rstrip() for line in timeline(Trace(played.header, events))) == snapshot


def test_what_is_made_to_go_wrong_stands_there_as_well(played: Trace, snapshot: SnapshotAssertion) -> None:
    """What became of a message, and what a seat goes on with in place of an answer; an option under way goes on."""
    events = (
        FaultInjected(0, 0, "partition", ticks=5),
        FaultInjected(0, 1, "drop", "choice", 0),
        OfferLapsed(1, 1, 0, "timeout", "fetch@0,2"),
        OptionStarted(1, 1, "fetch@0,2", 3),
        FaultInjected(2, 1, "duplicate", "choice", 0, 2),
        ChoiceRejected(3, 1, 0, "late", "its offer has ended"),
        Stepped(4, (4, 4), (1.0, 0.0)),
        OptionEnded(4, 1, "fetch@0,2", "success", 3),
        Stepped(5, (4, 4), (1.0, 0.0)),
    )

    assert "\n".join(line.rstrip() for line in timeline(Trace(played.header, events))) == snapshot


def test_a_long_name_widens_the_lanes(played: Trace) -> None:
    """Columns stay columns."""
    header = msgspec.structs.replace(played.header, seats=("ada" * 20, "bo"))

    lines = list(timeline(Trace(header, played.events)))

    column = lines[1].index("seat 1")
    assert all(line[column - 1 : column] in ("", " ") for line in lines[1:])


def test_an_episode_without_events_has_a_heading(played: Trace) -> None:
    """As after a crash in its first tick."""
    assert len(list(timeline(Trace(played.header, ())))) == 2
