"""A server in this process, and clients that speak the protocol as anybody could."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import uvicorn
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as connect_to
from websockets.exceptions import ConnectionClosed

from hocket.agents.spec import Cast
from hocket.agents.web.plan import Plan
from hocket.agents.web.server import Link, Server
from hocket.agents.web.table import Table
from hocket.games import registry

Message = dict[str, Any]
connect = partial(connect_to, close_timeout=0.2)
"""Leave without reading what is still to come."""


def plan(folder: Path, game: str = "pantry", outside: Mapping[int, str] | None = None, **changes: Any) -> Plan:
    """A pantry: seat 0 is awaited, seat 1 plays at random, and a tick takes a twentieth of a second."""
    world = registry.make(game)
    library = registry.library(world, changes.pop("library", "default"))
    awaited = {0: "human"} if outside is None else dict(outside)
    cast = Cast(world.spec.kind)
    settings: dict[str, Any] = {
        "game": world,
        "library": library,
        "guards": (),
        "interface": "menu",
        "outside": awaited,
        "cast": cast.holder,
        "agents": {seat: "random" for seat in range(world.seats) if seat not in awaited},
        "fallback": "idle",
        "seed": 5,
        "steps": 20,
        "starts": "standard",
        "hz": 50.0,
        "grace": 0.2,
        "traces": lambda seed: folder / f"{seed}.jsonl",
    }
    return Plan(**settings | changes)


class Served:
    """A server that runs."""

    def __init__(self, server: Server, port: int) -> None:
        self.server, self.port = server, port
        self.paths: dict[tuple[int, str, int | None], str] = {
            (link.table, link.role, link.seat): path for link, path in server.paths().items()
        }

    def address(self, role: str, seat: int | None = None, *, table: int = 0, query: str = "protocol=1") -> str:
        """Where the WebSocket of a link is."""
        token = self.paths[table, role, seat].rpartition("/")[2]
        return f"ws://127.0.0.1:{self.port}/ws/{token}?{query}"

    def url(self, path: str) -> str:
        """Where a page is."""
        return f"http://127.0.0.1:{self.port}{path}"


@asynccontextmanager
async def serving(*plans: Plan) -> AsyncIterator[Served]:
    """Run tables and their server on a free port of this machine."""
    tables = [Table(each) for each in plans]
    server = Server(tables)
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        server.app, log_level="critical", ws="websockets-sansio", ws_max_size=16_384, lifespan="off"
    )
    running = uvicorn.Server(config)
    tasks = [asyncio.create_task(table.run()) for table in tables]
    serve = asyncio.create_task(running.serve(sockets=[listening]))
    try:
        yield Served(server, listening.getsockname()[1])
    finally:
        running.should_exit = True
        running.force_exit = True
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, serve, return_exceptions=True)


async def said(socket: ClientConnection, kind: str, *, within: float = 10.0) -> Message:
    """The next message of a type."""
    async with asyncio.timeout(within):
        while True:
            message: Message = msgspec.json.decode(await socket.recv())
            if message["type"] == kind:
                return message


async def say(socket: ClientConnection, **fields: object) -> None:
    """Send a message."""
    await socket.send(msgspec.json.encode(fields).decode())


async def drained(socket: ClientConnection) -> ConnectionClosed:
    """Read until the connection is closed; return how."""
    try:
        while True:
            await socket.recv()
    except ConnectionClosed as ended:
        return ended


async def play(
    socket: ClientConnection, pick: Callable[[Message], int] = lambda offer: 0
) -> tuple[Message, list[Message]]:
    """Answer every offer until the episode is over; return how it ended, and all that was said."""
    told: list[Message] = []
    async for text in socket:
        message: Message = msgspec.json.decode(text)
        told.append(message)
        if message["type"] == "offer":
            await say(socket, type="choose", decision=message["decision"], index=pick(message))
        if message["type"] == "over":
            return message, told
    raise AssertionError("the connection ended before the episode")


__all__ = ["Link", "Served", "connect", "drained", "plan", "play", "said", "say", "serving"]
