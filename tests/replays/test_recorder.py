"""What goes over the bus reaches the trace, in order and with every step."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import anyio
import pytest

from hocket.replays.recorder import RECORDED, Recorder
from hocket.replays.trace import Trace, read_trace
from hocket.replays.writer import TraceWriter
from hocket.runtime.actor import Group
from hocket.runtime.bus import Bus
from hocket.runtime.errors import TracePathError
from hocket.runtime.events import MessageDead, Stepped

Room = Callable[[], AbstractContextManager[None]]


@pytest.mark.asyncio
async def test_every_event_is_written_in_the_order_of_the_bus(played: Trace, tmp_path: Path) -> None:
    """The trace in the file is the episode that was published."""
    bus, writer = Bus(), TraceWriter(tmp_path / "ada.jsonl", played.header)

    async with Group() as group:
        group.start(Recorder(bus, writer).actor)
        for event in played.events:
            await bus.publish(event)
        await bus.stop()
    writer.close()

    assert read_trace(tmp_path / "ada.jsonl").events == played.events


@pytest.mark.asyncio
async def test_each_step_of_the_world_reaches_the_file(played: Trace, tmp_path: Path) -> None:
    """Killed after a tick, an episode has that tick in its trace."""
    path = tmp_path / "ada.jsonl"
    bus, writer = Bus(), TraceWriter(path, played.header)
    first = next(number for number, event in enumerate(played.events, 1) if isinstance(event, Stepped))

    async with Group() as group:
        group.start(Recorder(bus, writer).actor)
        for event in played.events[:first]:
            await bus.publish(event)
        await anyio.wait_all_tasks_blocked()

        assert read_trace(path).events == played.events[:first]

        await bus.stop()
    writer.close()


def test_a_letter_that_an_onlooker_missed_is_no_part_of_the_episode() -> None:
    """A slow screen would otherwise change the trace."""
    assert MessageDead not in RECORDED
    assert Stepped in RECORDED


@pytest.mark.asyncio
async def test_a_trace_that_cannot_be_written_ends_the_episode(
    played: Trace, tmp_path: Path, little_room: Room
) -> None:
    """An episode that is not recorded is not played on; the error comes out as itself."""
    bus, writer = Bus(), TraceWriter(tmp_path / "ada.jsonl", played.header)

    async def play() -> None:
        async with Group() as group:
            group.start(Recorder(bus, writer).actor)
            for event in played.events * 10:
                await bus.publish(event)
            await bus.stop()

    with little_room(), pytest.raises(TracePathError, match="cannot be written"):
        await play()

    writer.close()
    assert read_trace(tmp_path / "ada.jsonl").events
