"""Messages a second through the bus, beside autogen-core and bare anyio streams.

One publisher, two subscribers, in turns in one process; a message counts when both
have received it. Each line of output is one JSON object: the median over the rounds
of both rates, and of their ratio, with the ratio that hocket holds itself to.

    python benchmarks/bus.py [ROUNDS [MESSAGES]]
"""

import asyncio
import json
import os
import sys
from collections.abc import Callable, Coroutine
from statistics import median
from time import perf_counter
from typing import TypeAlias

os.environ["AUTOGEN_DISABLE_RUNTIME_TRACING"] = "true"  # in its favour

import anyio
import msgspec

from hocket.runtime.actor import Actor, Group
from hocket.runtime.bus import Bus

CAPACITY = 256

Run: TypeAlias = Callable[[int], Coroutine[None, None, int]]
"""Sends that many messages, and says how many both cooks have received."""


class Offer(msgspec.Struct, frozen=True):
    tick: int
    seat: int


async def through_hocket(messages: int) -> int:
    bus = Bus()
    got = [0, 0]

    async def ada(_: Offer) -> None:
        got[0] += 1

    async def bo(_: Offer) -> None:
        got[1] += 1

    async with Group() as group:
        group.start(Actor(bus.subscribe(Offer, name="ada", capacity=CAPACITY, overflow="wait"), ada))
        group.start(Actor(bus.subscribe(Offer, name="bo", capacity=CAPACITY, overflow="wait"), bo))
        for tick in range(messages):
            await bus.publish(Offer(tick, 0))
        await bus.stop()
    return min(got)


async def through_streams(messages: int) -> int:
    got = [0, 0]
    to_ada, from_ada = anyio.create_memory_object_stream[Offer](CAPACITY)
    to_bo, from_bo = anyio.create_memory_object_stream[Offer](CAPACITY)

    async def receive(stream: anyio.abc.ObjectReceiveStream[Offer], cook: int) -> None:
        async with stream:
            async for _ in stream:
                got[cook] += 1

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(receive, from_ada, 0)
        tasks.start_soon(receive, from_bo, 1)
        async with to_ada, to_bo:
            for tick in range(messages):
                offer = Offer(tick, 0)
                await to_ada.send(offer)
                await to_bo.send(offer)
    return min(got)


def autogen() -> Run | None:
    try:
        from autogen_core import (
            ClosureAgent,
            ClosureContext,
            DefaultTopicId,
            MessageContext,
            SingleThreadedAgentRuntime,
            TypeSubscription,
        )
    except ImportError:
        return None
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class PlainOffer:
        tick: int
        seat: int

    async def through_autogen(messages: int) -> int:
        runtime = SingleThreadedAgentRuntime()
        got = [0, 0]

        async def ada(_: ClosureContext, __: PlainOffer, ___: MessageContext) -> None:
            got[0] += 1

        async def bo(_: ClosureContext, __: PlainOffer, ___: MessageContext) -> None:
            got[1] += 1

        for name, handler in (("ada", ada), ("bo", bo)):
            await ClosureAgent.register_closure(runtime, name, handler)
            await runtime.add_subscription(TypeSubscription("offers", name))
        runtime.start()
        topic = DefaultTopicId("offers")
        for tick in range(messages):
            await runtime.publish_message(PlainOffer(tick, 0), topic)
        await runtime.stop_when_idle()
        return min(got)

    return through_autogen


def rate(run: Run, messages: int) -> float:
    begun = perf_counter()
    received = asyncio.run(run(messages))
    if received != messages:
        raise SystemExit(f"{run.__name__}: {received} of {messages} messages were received")
    return received / (perf_counter() - begun)


def compare(bench: str, other: Run, bar: float, rounds: int, messages: int) -> bool:
    """Alternate, so that whatever else the machine does meets both sides; tell whether the bar was reached."""
    pairs = []
    for _ in range(rounds):
        pairs.append((rate(through_hocket, messages), rate(other, messages)))
    ratio = median(ours / theirs for ours, theirs in pairs)
    line = {
        "bench": bench,
        "hocket_messages_per_s": round(median(ours for ours, _ in pairs)),
        "other_messages_per_s": round(median(theirs for _, theirs in pairs)),
        "ratio": round(ratio, 2),
        "bar": bar,
    }
    print(json.dumps(line), flush=True)
    return ratio >= bar


def main() -> int:
    rounds, messages = (int(each) for each in [*sys.argv[1:], *("7", "20000")[len(sys.argv) - 1 :]])
    through_autogen, held = autogen(), True
    if through_autogen is None:
        print(json.dumps({"bench": "bus_vs_autogen", "skipped": "autogen-core is not installed"}), flush=True)
    else:
        held = compare("bus_vs_autogen", through_autogen, 5, rounds, min(messages, 3000))
    held &= compare("bus_vs_streams", through_streams, 0.5, rounds, messages)
    return int(not held)


if __name__ == "__main__":
    sys.exit(main())
