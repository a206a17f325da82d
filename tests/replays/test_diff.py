"""Two traces are compared, header first."""

import msgspec

from hocket.replays.diff import diff
from hocket.replays.difference import Difference
from hocket.replays.trace import Trace


def test_equal_traces_do_not_part(played: Trace) -> None:
    """Where they were read from is no part of them."""
    other = Trace(played.header, played.events, path="elsewhere.jsonl")

    assert diff(played, other) == []


def test_every_field_of_the_header_and_the_first_event_are_named(played: Trace, otherwise_played: Trace) -> None:
    """Another seed explains another event."""
    found = diff(played, otherwise_played)

    assert found[0] == Difference(0, None, "seed", 1, 2)
    assert len(found) == 2
    assert found[1].number > 0


def test_a_setting_of_the_game_is_named_by_its_path(played: Trace) -> None:
    """A header is deep."""
    spec = msgspec.structs.replace(played.header.game, settings={"seats": 3})
    other = Trace(msgspec.structs.replace(played.header, game=spec), played.events)

    assert diff(played, other) == [Difference(0, None, "game.settings.seats", 2, 3)]


def test_a_trace_that_ends_before_the_other_parts_there(played: Trace) -> None:
    """As one that was interrupted does."""
    other = Trace(played.header, played.events[:7])

    assert diff(played, other) == [
        Difference(8, played.events[7].tick, "type", played.events[7].__struct_config__.tag, None)
    ]
