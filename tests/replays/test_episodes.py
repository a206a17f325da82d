"""Episodes of given agents: one trace, whoever drives."""

import re
from collections.abc import Sequence

import pytest

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.replays.episodes import Episodes
from hocket.replays.rerun import rerun
from hocket.runtime.errors import AgentError, SettingError
from hocket.runtime.events import AgentFailed, MenuOffered, SeatChanged
from hocket.runtime.guard import REASON, Guard
from hocket.runtime.policy import Agent, Choice, Chooser, Offer, as_policy


class Broken:
    """Fails when it is first asked."""

    def choose_many(self, offers: Sequence[Offer]) -> list[Choice]:
        raise ZeroDivisionError("no onions")


def test_the_trace_of_an_episode_runs_again(episode: Episodes) -> None:
    """Its header says all that it depends on: seed, length, settings, names."""
    names = ("ada", "bo", "cleo")

    trace = episode("pantry", [Random(), Idle(), Idle()], seed=3, steps=30, settings={"seats": 3}, names=names)

    assert rerun(trace).agrees
    assert (trace.header.seed, trace.header.steps, trace.header.seats) == (3, 30, names)
    assert trace.header.game.settings == {"seats": 3}


def test_guards_hide_what_they_say(episode: Episodes) -> None:
    """From every menu, and they stand in the header."""
    guards = [Guard("take", "explicit", {REASON: "TableEmpty"}, 40)]

    open_menus, guarded = (episode("pantry", [Idle(), Idle()], steps=5, guards=each) for each in ((), guards))

    first = [
        next(event.menu for event in each.events if isinstance(event, MenuOffered)) for each in (open_menus, guarded)
    ]
    assert {key.partition("@")[0] for key in first[0]} - {key.partition("@")[0] for key in first[1]} == {"take"}
    assert guarded.header.guards == tuple(guards)
    assert rerun(guarded).agrees


def test_agents_are_called_by_their_class(episode: Episodes) -> None:
    """As on the command line, so far as that goes."""
    assert episode("pantry", [Random(), Idle()], steps=2).header.seats == ("random", "idle")


def test_an_agent_that_takes_its_time_plays_from_a_plain_test(episode: Episodes) -> None:
    """In a loop of its own; the trace is that of the tight driver."""
    quick = episode("pantry", [Random(), Random()], seed=5, steps=30, names=("ada", "bo"))

    slow = episode("pantry", [as_policy(Random()), Random()], seed=5, steps=30, names=("ada", "bo"))

    assert slow == quick


@pytest.mark.asyncio
async def test_an_episode_is_awaited_where_a_loop_runs(episode: Episodes) -> None:
    """And leaves the same trace, of choosers as of policies."""
    quick = episode("pantry", [Random(), Random()], seed=5, steps=30, names=("ada", "bo"))

    teams: list[list[Agent]] = [[Random(), Random()], [as_policy(Random()), Random()]]
    for agents in teams:
        assert await episode.play("pantry", agents, seed=5, steps=30, names=("ada", "bo")) == quick


@pytest.mark.asyncio
async def test_a_call_that_would_need_a_second_loop_says_what_to_write(episode: Episodes) -> None:
    """One sentence in place of asyncio's own."""
    with pytest.raises(RuntimeError, match=re.escape("so write: await episode.play(...)")):
        episode("pantry", [as_policy(Random()), Idle()], steps=2)


def test_an_agent_that_fails_loses_its_seat(episode: Episodes) -> None:
    """As in any episode: it is on the record, and the seat waits."""
    trace = episode("pantry", [Broken(), Idle()], steps=10)

    failed = [event for event in trace.events if isinstance(event, AgentFailed | SeatChanged)]
    assert [(event.seat, event.holder) for event in failed] == [(0, "broken"), (0, "idle")]
    assert trace.ended


@pytest.mark.parametrize("agents", [[Random, Idle()], ["random", Idle()]])
def test_what_is_no_agent_is_refused(episode: Episodes, agents: list[Chooser]) -> None:
    """A class in place of an object would else fail at every decision, and a name is not looked up."""
    with pytest.raises(AgentError, match="is none: it needs"):
        episode("pantry", agents)


@pytest.mark.parametrize(
    ("agents", "names", "said"),
    [
        ([Idle()], None, "number of holders is 1, but must be 2"),
        ([Idle(), Idle()], ("ada",), r"names is \('ada',\), but must be 2 names, one an agent"),
    ],
)
def test_there_is_one_agent_a_seat_and_one_name_an_agent(
    episode: Episodes, agents: list[Agent], names: Sequence[str] | None, said: str
) -> None:
    """Neither is made up, nor left out."""
    with pytest.raises(SettingError, match=said):
        episode("pantry", agents, names=names)
