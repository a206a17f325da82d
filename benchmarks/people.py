"""A served game: how long a key press takes, and many games at once.

The server is a process of its own; people are clients that speak the protocol from this
one, with some time added to their link each way. What they see is timed by a watcher
beside the server. Prints JSON lines; the exit code is 1 where the load loses more than 1%
of its ticks, or one seat that never answers slows the others by more than 2%.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

HZ = 6.0
LINKS_MS = (0, 100, 200, 500)
SECONDS = 20.0
TABLES = 20
MOST_MISSED, MOST_SLOWER = 0.01, 0.02
GAME = "overcooked:asymmetric_advantages"
Links = dict[tuple[int, str, int | None], str]


@asynccontextmanager
async def served(*words: str) -> AsyncIterator[Links]:
    """Run `hocket serve`; return the addresses of its WebSockets."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(Path(sys.executable).with_name("hocket")), "serve", GAME, *words, "--port", "0", "--json"]
        process = await asyncio.create_subprocess_exec(
            *command, "--hz", str(HZ), "--steps", "1000000", stdout=subprocess.PIPE, cwd=folder, env=dict(os.environ)
        )
        assert process.stdout is not None
        told = json.loads(await process.stdout.readline())["links"]
        yield {(each["table"], each["role"], each["seat"]): _address(each["url"]) for each in told}
        process.send_signal(signal.SIGINT)
        await process.wait()


def _address(url: str) -> str:
    place, _, rest = url.removeprefix("http://").partition("/")
    return f"ws://{place}/ws/{rest.rpartition('/')[2]}?protocol=1"


async def person(address: str, delay: float, pressed: Callable[[int, float], None]) -> None:
    """Answer every offer as soon as it is seen; a message takes `delay` seconds each way."""

    async def answer(message: dict[str, Any]) -> None:
        await asyncio.sleep(delay)
        pressed(message["decision"], time.monotonic())
        await asyncio.sleep(delay)
        wait = next(place for place, entry in enumerate(message["menu"]) if entry["option"] == "wait")
        with suppress(ConnectionClosed):
            await socket.send(json.dumps({"type": "choose", "decision": message["decision"], "index": wait}))

    answers = set()
    async with connect(address, close_timeout=0.1) as socket:
        with suppress(ConnectionClosed):
            async for text in socket:
                message = json.loads(text)
                if message["type"] == "offer":
                    task = asyncio.create_task(answer(message))
                    answers.add(task)
                    task.add_done_callback(answers.discard)


async def silence(address: str, delay: float, pressed: Callable[[int, float], None]) -> None:
    """Hold a seat, look on, and never answer."""
    async with connect(address, close_timeout=0.1) as socket:
        with suppress(ConnectionClosed):
            async for _ in socket:
                pass


async def ticks(address: str, seconds: float) -> float:
    """Ticks a second that a watcher sees."""
    seen: list[tuple[int, float]] = []
    async with connect(address, close_timeout=0.1) as socket:
        async with asyncio.timeout(seconds + 10):
            async for text in socket:
                message = json.loads(text)
                if message["type"] == "state" and message["phase"] == "playing":
                    seen.append((message["tick"], time.monotonic()))
                    if seen[-1][1] - seen[0][1] >= seconds:
                        break
    (first, began), (last, ended) = seen[0], seen[-1]
    return (last - first) / (ended - began)


async def latency(delay_ms: int) -> dict[str, object]:
    """From a press to the step that carries it, over some link."""
    presses: dict[int, float] = {}
    waits: list[float] = []
    async with served("--seat", "0=human", "--seat", "1=scripted:cook") as links:
        player = asyncio.create_task(person(links[0, "seat", 0], delay_ms / 1000, presses.__setitem__))
        carried: int | None = None
        tick = -1
        began = time.monotonic()
        async with connect(links[0, "watcher", None] + "&events=1", close_timeout=0.1) as socket:
            async for text in socket:
                event = json.loads(text).get("event", {})
                if event.get("type") == "option_chosen" and event["seat"] == 0:
                    carried, tick = event["decision"], event["tick"]
                elif event.get("type") == "stepped" and carried is not None and event["tick"] == tick:
                    waits.append(time.monotonic() - presses[carried])
                    carried = None
                if time.monotonic() - began > SECONDS:
                    break
        player.cancel()
    half, most = np.percentile(np.array(waits) * 1000, (50, 99))
    return {"bench": "people", "link_ms": delay_ms, "presses": len(waits), "p50_ms": round(half), "p99_ms": round(most)}


async def stalled() -> dict[str, object]:
    """The rate of the world with a seat that never answers, beside the rate without."""
    rates = []
    for mute in (False, True):
        async with served("--seat", "0=human", "--seat", "1=human") as links:
            people = [asyncio.create_task(person(links[0, "seat", 0], 0.0, lambda decision, at: None))]
            other = silence if mute else person
            people.append(asyncio.create_task(other(links[0, "seat", 1], 0.0, lambda decision, at: None)))
            rates.append(await ticks(links[0, "watcher", None], SECONDS))
            for each in people:
                each.cancel()
    return {
        "bench": "people",
        "steps_per_s": round(rates[0], 3),
        "with_one_that_never_answers": round(rates[1], 3),
        "slower": round(1 - rates[1] / rates[0], 4),
        "most_slower": MOST_SLOWER,
    }


async def load() -> dict[str, object]:
    """Many games of two people at once on one process."""
    async with served("--seat", "0=human", "--seat", "1=human", "--tables", str(TABLES)) as links:
        people = [
            asyncio.create_task(person(address, 0.0, lambda decision, at: None))
            for (_, role, _), address in links.items()
            if role == "seat"
        ]
        await asyncio.sleep(2)
        watchers = [address for (_, role, _), address in links.items() if role == "watcher"]
        rates = await asyncio.gather(*(ticks(address, SECONDS) for address in watchers))
        for each in people:
            each.cancel()
    missed = 1 - sum(rates) / len(rates) / HZ
    return {
        "bench": "people",
        "games": TABLES,
        "people": 2 * TABLES,
        "hz": HZ,
        "missed_ticks": round(missed, 4),
        "worst_game": round(1 - min(rates) / HZ, 4),
        "most_missed": MOST_MISSED,
    }


async def measure() -> int:
    """Print every line."""
    for delay in LINKS_MS:
        print(json.dumps(await latency(delay)), flush=True)
    still, busy = await stalled(), await load()
    print(json.dumps(still))
    print(json.dumps(busy))
    held = float(str(still["slower"])) <= MOST_SLOWER and float(str(busy["missed_ticks"])) <= MOST_MISSED
    return int(not held)


if __name__ == "__main__":
    sys.exit(asyncio.run(measure()))
