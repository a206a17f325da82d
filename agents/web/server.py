"""The server: pages, links, and the WebSocket of each.

Who may do what is in the link alone: a token for each seat, one for those who watch, one
for the host, drawn by the operating system and compared whole. A page of another origin
is turned away, as is a message that is too long, too many, or not understood; none of
these reaches an episode.
"""

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from hocket.agents.web.line import Line, Role
from hocket.agents.web.messages import PROTOCOL, Refused, encode, understand
from hocket.agents.web.table import Table

NOT_HERE, TAKEN, OTHER_ORIGIN, OTHER_VERSION = 4004, 4009, 4003, 4010
_KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; connect-src 'self' ws: wss:; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Link(msgspec.Struct, frozen=True):
    """What a token stands for."""

    table: int
    role: Role
    seat: int | None = None


class Server:
    """Tables, and the links to them."""

    def __init__(self, tables: Sequence[Table]) -> None:
        """Draw a link for each seat that is awaited, and for those who watch or host."""
        self.tables = tables
        self.links: dict[str, Link] = {}
        for number, table in enumerate(tables):
            roles = [Link(number, "seat", seat) for seat in sorted(table.plan.outside)]
            for link in (*roles, Link(number, "watcher"), Link(number, "host")):
                self.links[secrets.token_urlsafe(16)] = link
        for link, path in self.paths().items():
            if link.role != "host":
                tables[link.table].links["watch" if link.seat is None else str(link.seat)] = path
        self.app = Starlette(
            routes=[
                Route("/", self._front),
                Route("/{role:str}/{token:str}", self._page),
                WebSocketRoute("/ws/{token:str}", self._talk),
            ]
        )

    def paths(self) -> Mapping[Link, str]:
        """Return the path of each link."""
        kinds = {"seat": "seat", "watcher": "watch", "host": "host"}
        return {link: f"/{kinds[link.role]}/{token}" for token, link in self.links.items()}

    async def _front(self, request: Request) -> Response:
        return PlainTextResponse("hocket: a seat is taken by its link\n", headers=_HEADERS)

    async def _page(self, request: Request) -> Response:
        role, token = request.path_params["role"], request.path_params["token"]
        if role == "page":
            return _asset(token)
        if role not in ("seat", "watch", "host") or token not in self.links:
            return PlainTextResponse("hocket: there is nothing at this link\n", status_code=404, headers=_HEADERS)
        return _asset("index.html")

    async def _talk(self, socket: WebSocket) -> None:
        await socket.accept()
        link = self._link(socket)
        if not isinstance(link, Link):
            await socket.close(*link)
            return
        events = socket.query_params.get("events") == "1"
        table, line = self.tables[link.table], Line(socket, link.role, link.seat, events=events)
        problem = table.enter(line)
        if problem is not None:
            await socket.close(TAKEN, problem)
            return
        pump = asyncio.create_task(line.pump())
        try:
            await _listen(socket, table, line, pump)
        finally:
            table.leave(line)
            pump.cancel()

    def _link(self, socket: WebSocket) -> Link | tuple[int, str]:
        """Return what a token stands for, or code and reason of a refusal."""
        origin = socket.headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != socket.headers.get("host"):
            return OTHER_ORIGIN, "this page is not of this server"
        link = self.links.get(socket.path_params["token"])
        if link is None:
            return NOT_HERE, "there is nothing at this link"
        spoken = socket.query_params.get("protocol")
        if spoken != str(PROTOCOL):
            return OTHER_VERSION, f"this page speaks protocol {spoken}, the server {PROTOCOL}: load the page again"
        return link


async def _listen(socket: WebSocket, table: Table, line: Line, pump: "asyncio.Task[Any]") -> None:
    clock = asyncio.get_running_loop().time
    while not pump.done():
        receiving = asyncio.ensure_future(socket.receive())
        await asyncio.wait({receiving, pump}, return_when=asyncio.FIRST_COMPLETED)
        if not receiving.done():
            receiving.cancel()
            return
        try:
            message = receiving.result()
        except (WebSocketDisconnect, RuntimeError):
            return
        if message["type"] == "websocket.disconnect":
            return
        if not line.admits(clock()):
            continue
        said = understand(message.get("text") or message.get("bytes") or b"")
        problem = said if isinstance(said, str) else table.hear(line, said)
        if problem is not None:
            line.send(encode(Refused(problem)))


def _asset(name: str) -> Response:
    """Return a file of the page; there is nothing else to be had."""
    folder = files("hocket.agents.web") / "page"
    known = {entry.name for entry in folder.iterdir()}
    if name not in known:
        return PlainTextResponse("hocket: there is nothing at this link\n", status_code=404, headers=_HEADERS)
    kind = _KINDS.get(name.rpartition(".")[2], "application/octet-stream")
    return Response((folder / name).read_bytes(), media_type=kind, headers=_HEADERS)
