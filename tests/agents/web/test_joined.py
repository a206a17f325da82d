"""Seats held by other processes: `hocket join`, and forty lines of anybody's."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.agents.web.served import connect, plan, serving

from hocket.agents.joined import Joined
from hocket.agents.random import Random
from hocket.agents.spec import Cast
from hocket.games import registry
from hocket.replays.rerun import rerun
from hocket.replays.trace import read_trace
from hocket.runtime.errors import AgentError
from hocket.runtime.events import OptionChosen
from hocket.runtime.policy import as_policy
from hocket.runtime.rollout import Rollout
from hocket.runtime.rollout import play as roll
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

pytestmark = pytest.mark.asyncio
EXAMPLE = Path(__file__).parents[3] / "examples" / "remote" / "agent.py"


async def test_an_agent_that_joins_is_asked_what_it_would_be_asked_here(tmp_path: Path) -> None:
    """The same offers, to the draw: random agents choose as they do in lockstep, one tick later at most."""
    both = {0: "remote", 1: "remote"}
    async with serving(plan(tmp_path, outside=both, hz=30.0, steps=40)) as served:
        await asyncio.gather(
            *(_sit(served.address("seat", seat, query="protocol=1&events=1"), seat) for seat in (0, 1))
        )

    trace = read_trace(tmp_path / "5.jsonl")
    chosen = [event for event in trace.events if isinstance(event, OptionChosen)]
    assert rerun(trace).agrees
    assert {event.holder for event in chosen} == {"remote"}
    game = registry.rebuild(trace.header.game)
    scheduler = Scheduler(game, registry.library(game), seed=5, holders=("random",) * 2, steps=40)
    events: list[Any] = []
    roll([Rollout(scheduler, Seats([Holder("random", Random())] * 2, Holder("random", Random())), events.extend)])
    first = {(e.seat, e.decision): e.option for e in events if isinstance(e, OptionChosen)}
    begun = {event.seat: event.option for event in chosen if event.decision == 0}
    assert begun == {seat: first[seat, 0] for seat in (0, 1)}


async def _sit(address: str, seat: int) -> None:
    joined = Joined("random", seat, lambda game: as_policy(Random()))
    async with connect(address) as socket:
        async for text in socket:
            await joined.take(str(text), socket.send)
            if '"type":"over"' in str(text)[:20]:
                return


async def test_an_episode_that_goes_another_way_there_is_left(tmp_path: Path) -> None:
    """An agent that is asked something else here than there must not answer."""
    async with serving(plan(tmp_path, steps=20)) as served:
        with pytest.raises(AgentError, match="goes another way here than at its table"):
            await _misled(served.address("seat", 0, query="protocol=1&events=1"))


async def _misled(address: str) -> None:
    joined = Joined("random", 0, lambda game: as_policy(Random()))
    async with connect(address) as socket:
        async for text in socket:
            await joined.take(str(text).replace('"tick":1,', '"tick":2,'), socket.send)


async def test_forty_lines_that_know_nothing_of_hocket_hold_a_seat(tmp_path: Path) -> None:
    """The example: a WebSocket and JSON."""
    kitchen = plan(tmp_path, "overcooked:cramped_room", outside={0: "remote"}, steps=60, hz=30.0)
    cook = Cast("overcooked").holder
    async with serving(_with(kitchen, agents={1: "scripted:cook"}, cast=cook)) as served:
        ran = await asyncio.create_subprocess_exec(
            sys.executable, str(EXAMPLE), served.url(served.paths[0, "seat", 0]), stdout=asyncio.subprocess.PIPE
        )
        out, _ = await asyncio.wait_for(ran.communicate(), 30)

    trace = read_trace(tmp_path / "5.jsonl")
    options = [event.option for event in trace.events if isinstance(event, OptionChosen) and event.seat == 0]
    assert ran.returncode == 0
    assert out.decode().startswith("return ")
    assert any(option.startswith("pick_onion") for option in options)
    assert rerun(trace).agrees


def _with(given: Any, **changes: object) -> Any:
    return type(given)(**{name: getattr(given, name) for name in given.__struct_fields__} | changes)
