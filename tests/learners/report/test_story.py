"""An episode as the page steps through it, put together again and held against the trace."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.learners.report.made import KITCHEN, played, written

from hocket.learners.report.contents import contents
from hocket.learners.report.story import ON_PAPER, Course, course, story
from hocket.learners.report.teams import teams
from hocket.replays.audits.record import Record
from hocket.runtime.events import AgentFailed, OptionEnded, OptionStarted, Stepped


@pytest.fixture(scope="module")
def record() -> Record:
    """Two cooks."""
    return Record(played(KITCHEN, ("ada", "bo"), steps=120))


@pytest.fixture(scope="module")
def told(record: Record) -> Course:
    """What is written down of them."""
    return course(record)


def state(changes: list[list[Any]], tick: int) -> dict[int, Any]:
    """What has changed up to a tick, put together as the page does it."""
    return {place: what for each in changes[: tick + 1] for place, *what in each}


@pytest.mark.parametrize("tick", [0, 1, 57, 120])
def test_every_tick_shows_the_world_as_it_was(record: Record, told: Course, tick: int) -> None:
    """Though only lines that change are written down."""
    game: Any = record.game
    states: Any = record.states

    lines = state(told.lines, tick)

    assert "\n".join(lines[place][0] for place in range(len(lines))) == game.picture(states[tick])
    assert sum(map(len, told.lines)) < 0.5 * len(told.lines) * len(lines)


@pytest.mark.parametrize("tick", [0, 57, 120])
def test_seats_are_marked_where_they_stand(record: Record, told: Course, tick: int) -> None:
    """The characters at a seat's place begin with its number."""
    lines, places = state(told.lines, tick), state(told.places, tick)

    marks = [lines[y][0][x * told.cell] for x, y in (places[seat] for seat in range(2))]

    assert told.cell == 4
    assert marks == ["0", "1"]


def test_the_return_so_far_ends_at_the_return(record: Record, told: Course) -> None:
    """It begins at nothing, and grows by what the last step paid."""
    assert told.points[0] == 0
    assert told.points[-1] == sum(record.returns) > 0
    assert len(told.points) == len(told.lines) == len(told.doing) == record.ticks + 1


def test_options_are_told_while_they_run(record: Record, told: Course) -> None:
    """From the tick at which one starts; how it ended is told at the tick after its last step."""
    started = next(event for event in record.trace.events if isinstance(event, OptionStarted) and event.tick > 20)
    ends = [event for event in record.trace.events if isinstance(event, OptionEnded) and event.tick > 20]
    ended = next(event for event in ends if event.outcome == "success")
    failed = next(event for event in ends if event.outcome == "effect_fail")

    assert state(told.doing, started.tick)[started.seat] == [started.option]
    assert (ended.seat, f"✓ {ended.option}") in told.ended[ended.tick + 1]
    assert (failed.seat, f"✗ {failed.option}: effect_fail") in told.ended[failed.tick + 1]


def test_what_happened_is_told_at_the_tick_after(record: Record, told: Course) -> None:
    """With the points that it was worth."""
    step = next(event for event in record.trace.events if isinstance(event, Stepped) and any(event.rewards))

    said = told.happened[step.tick + 1]

    assert any("delivered" in each for each in said)
    assert f"+{sum(step.rewards):g} points" in said


def test_what_went_wrong_is_told(record: Record) -> None:
    """An agent that failed is not hidden behind its idle stand-in."""
    failure = AgentFailed(3, 1, "bo", "ValueError: </script>")
    events = sorted([*record.trace.events, failure], key=lambda event: event.tick)
    trace = msgspec.structs.replace(record.trace, events=tuple(events))

    assert "seat 1: bo failed: ValueError: </script>" in course(Record(trace)).happened[3]


def test_a_world_that_cannot_be_built_is_told_without_a_picture(tmp_path: Path) -> None:
    """Everything else is there, and so is the reason."""
    trace = played("pantry", ("ada", "bo"))
    spec = msgspec.structs.replace(trace.header.game, kind="nowhere", name="nowhere")
    header = msgspec.structs.replace(trace.header, game=spec)
    written(msgspec.structs.replace(trace, header=header), tmp_path / "0.jsonl")

    found = story(teams(contents(tmp_path))[0])

    assert "nowhere" in found.why
    assert msgspec.json.decode(found.data)["lines"] == [[]] * (found.ticks + 1)
    assert any("hand_over" in line or "wait" in line for line in found.lanes)


def test_the_data_cannot_end_its_element(tmp_path: Path) -> None:
    """Whatever a trace says."""
    trace = played("pantry", ("ada", "bo"))
    events = (*trace.events[:-1], AgentFailed(40, 1, "bo", "</script><script>alert(1)</script>"), trace.events[-1])
    written(msgspec.structs.replace(trace, events=events), tmp_path / "0.jsonl")

    found = story(teams(contents(tmp_path))[0])

    assert "<" not in found.data
    assert "</script>" in str(msgspec.json.decode(found.data)["happened"])


def test_the_typical_episode_is_told(tmp_path: Path) -> None:
    """And the page says which one that is, and where its lanes are cut on paper."""
    for seed in range(3):
        written(played(KITCHEN, ("ada", "bo"), seed, steps=100), tmp_path / f"{seed}.jsonl")

    [team] = teams(contents(tmp_path))
    found = story(team)

    assert team.typical.name in found.about
    assert found.command == f"hocket timeline {team.typical.name}"
    assert found.left == len(found.lanes) - ON_PAPER > 0
