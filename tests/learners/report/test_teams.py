"""Who is counted together, and who is not."""

from pathlib import Path

import msgspec
import pytest
from tests.learners.report.made import played, recorded, written

from hocket.learners.report.contents import contents
from hocket.learners.report.teams import Team, teams
from hocket.replays.trace import AgentMark, Trace
from hocket.runtime.errors import TraceError
from hocket.runtime.events import EpisodeStarted, Stepped


def found(folder: Path) -> list[Team]:
    """The teams of a folder."""
    return teams(contents(folder))


def with_weights(trace: Trace, digest: str) -> Trace:
    """The same episode, as if by a model with these weights."""
    mark = AgentMark("local", "tiny", "00", "seat0@v1", digest, {}, (), {})
    return msgspec.structs.replace(trace, header=msgspec.structs.replace(trace.header, agents={"ada": mark}))


def test_teams_are_told_apart_by_game_seats_and_length(tmp_path: Path) -> None:
    """Wherever their traces lie; a team's episodes are in order of seed."""
    recorded(tmp_path / "one", count=2)
    recorded(tmp_path / "two", names=("bo", "ada"), count=1)
    written(played("pantry", ("ada", "bo"), 7), tmp_path / "two" / "a.jsonl")
    written(played("pantry", ("ada", "bo"), steps=30), tmp_path / "two" / "short.jsonl")

    said = [(team.name, team.header.seats, [each.seed for each in team.episodes]) for team in found(tmp_path)]

    assert said == [
        ("Team 1", ("ada", "bo"), [0, 1, 7]),
        ("Team 2", ("bo", "ada"), [0]),
        ("Team 3", ("ada", "bo"), [0]),
    ]


def test_other_weights_under_one_name_are_another_team(tmp_path: Path) -> None:
    """Else a return would be of two adapters together."""
    trace = played("pantry", ("ada", "bo"))
    written(with_weights(trace, "aa"), tmp_path / "0.jsonl")
    written(with_weights(trace, "bb"), tmp_path / "1.jsonl")

    assert len(found(tmp_path)) == 2


def test_one_episode_counts_once(tmp_path: Path) -> None:
    """A copy would make an interval narrower without a single new episode."""
    recorded(tmp_path / "one")
    recorded(tmp_path / "copy")

    [team] = found(tmp_path)

    assert len(team.audited.returns) == len(team.episodes) == 3
    assert team.audited.notes == ("3 copies of traces are left out: a copy is no further episode",)


def test_returns_are_those_of_the_traces(tmp_path: Path) -> None:
    """In order of seed, whatever the files are called; the typical episode is nearest to the median."""
    expected = []
    for seed in range(5):
        trace = played("pantry", ("ada", "bo"), seed, steps=60)
        written(trace, tmp_path / f"{9 - seed}.jsonl")
        expected.append(sum(sum(step.rewards) for step in trace.events if isinstance(step, Stepped)))

    [team] = found(tmp_path)

    assert team.audited.returns == tuple(expected)
    assert [each.points for each in team.episodes] == expected
    assert team.typical.points == sorted(expected)[2]


def test_a_trace_that_ends_at_once_is_told(tmp_path: Path) -> None:
    """An episode of no tick is one all the same."""
    trace = played("pantry", ("ada", "bo"))
    started = tuple(event for event in trace.events if isinstance(event, EpisodeStarted))
    written(msgspec.structs.replace(trace, events=started), tmp_path / "0.jsonl")

    [team] = found(tmp_path)

    assert not team.episodes[0].whole
    assert team.audited.notes == ("1 of 1 traces have no end: they count as far as they go",)


def test_a_damaged_trace_is_named(tmp_path: Path) -> None:
    """With the event that was changed."""
    path = written(played("pantry", ("ada", "bo")), tmp_path / "0.jsonl")
    path.write_bytes(path.read_bytes().replace(b'"tick":12', b'"tick":13', 1))

    with pytest.raises(TraceError, match=r"0\.jsonl, event"):
        found(tmp_path)
