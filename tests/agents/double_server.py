"""A double of a SGLang server: the shape of recorded answers, and faults on demand.

What it answers was recorded from SGLang 0.5.23 (tests/data/sglang); tests/sglang holds the
recording against the real server.
"""

import asyncio
import copy
import json
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeAlias

DATA = Path(__file__).parents[1] / "data" / "sglang"

Fault: TypeAlias = Literal["reset", "silent", "malformed"] | int | Callable[[Any], object]
"""What befalls one answer: a number is its status, a callable makes another of it."""
_Answer: TypeAlias = tuple[int, Any]


def recorded() -> dict[str, Any]:
    """Return every recorded exchange by its name."""
    found: dict[str, Any] = {}
    for name in ("score", "write", "control"):
        found |= json.loads((DATA / f"{name}.json").read_text("utf-8"))
    return found


def log_prob(adapter: str | None, token: int) -> float:
    """What the double says of a token: something else for each adapter, over no candidates in particular."""
    return -3.0 - (token % 7) * (1 + len(adapter or "")) / 10


class DoubleServer:
    """Listens on this machine; everything it was asked is kept in order."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Any]] = []
        self.adapters: dict[str, str] = {}
        self.port = 0
        self.connections = 0
        """How many were opened so far."""
        self._recorded = recorded()
        self._faults: dict[str, deque[Fault]] = {}
        self._open: list[asyncio.StreamWriter] = []
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Listen, on the same port as before."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Be gone, as after a kill: no connection outlives it and no adapter is remembered."""
        assert self._server is not None
        self._server.close()
        for writer in self._open:
            writer.transport.abort()
        await self._server.wait_closed()
        self.adapters.clear()

    def misbehave(self, path: str, *faults: Fault) -> None:
        """Let the next answers on a path fail, one after the other."""
        self._faults.setdefault(path, deque()).extend(faults)

    def bodies(self, path: str) -> list[Any]:
        """Return what was posted to a path."""
        return [body for where, body in self.asked if where == path]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.append(writer)
        self.connections += 1
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("ascii").split("\r\n")
                sizes = [line.split(":")[1] for line in head if line.lower().startswith("content-length:")]
                content = await reader.readexactly(int(sizes[0]) if sizes else 0)
                path = head[0].split(" ")[1].removeprefix("/")
                self.asked.append((path, json.loads(content) if content else None))
                await self._answer(path, reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.transport.abort()

    async def _answer(self, path: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        faults = self._faults.get(path)
        fault = faults.popleft() if faults else None
        if fault == "silent":
            await reader.readexactly(1)
        refused = fault if isinstance(fault, int) else 0
        status, answer = self._exchange(path, self.asked[-1][1])
        status, answer = (refused, {"error": {"message": "not now"}}) if refused else (status, answer)
        content = json.dumps(fault(answer) if callable(fault) else answer).encode()
        content = content[:-7] + b"]" if fault == "malformed" else content
        head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        writer.write(head.encode() + (content[:9] if fault == "reset" else content))
        await writer.drain()
        if fault == "reset":
            raise ConnectionResetError

    def _exchange(self, path: str, body: Any) -> _Answer:
        match path:
            case "ready" | "abort_request":
                return 200, ""
            case "model_info" | "server_info":
                return 200, self._recorded[path]["answer"]
            case "v1/models":
                return 200, self._models()
            case "load_lora_adapter":
                return self._load(body["lora_name"], body["lora_path"])
            case "unload_lora_adapter":
                return self._unload(body["lora_name"])
            case "generate":
                return self._generate(body)
            case _:
                return 404, {"detail": "Not Found"}

    def _models(self) -> Any:
        answer = copy.deepcopy(self._recorded["models"]["answer"])
        base, adapter = answer["data"]
        answer["data"] = [base, *(adapter | {"id": name, "root": root} for name, root in self.adapters.items())]
        return answer

    def _load(self, name: str, folder: str) -> _Answer:
        exchange = self._recorded["load_taken" if name in self.adapters else "load"]
        self.adapters.setdefault(name, folder)
        return exchange["status"], exchange["answer"] | {"loaded_adapters": dict(self.adapters)}

    def _unload(self, name: str) -> _Answer:
        exchange = self._recorded["unload" if name in self.adapters else "unload_absent"]
        self.adapters.pop(name, None)
        return exchange["status"], exchange["answer"]

    def _generate(self, body: Any) -> _Answer:
        adapters = body.get("lora_path") or [None] * len(body["input_ids"])
        if unknown := [name for name in adapters if name is not None and name not in self.adapters]:
            message = self._recorded["unknown"]["answer"]["error"]["message"].replace("bo@v0", unknown[0])
            return 400, {"error": {"message": message}}
        params = body["sampling_params"]
        if isinstance(params, list) and any(each.get("regex") == "(ab" for each in params):
            return 400, self._recorded["refused"]["answer"]
        answers = [self._one(body, place, adapter) for place, adapter in enumerate(adapters)]
        return 200, answers

    def _one(self, body: Any, place: int, adapter: str | None) -> Any:
        """One answer: candidates come back in an order of the server's own, a text is a recorded one."""
        if isinstance(body["sampling_params"], list):
            stopped = "stop" in body["sampling_params"][place]
            answer = copy.deepcopy(self._recorded["write"]["answer"][0 if stopped else 1])
        else:
            answer = copy.deepcopy(self._recorded["score"]["answer"][0])
            among = sorted(body["token_ids_logprob"][place], reverse=True)
            answer["meta_info"]["output_token_ids_logprobs"] = [
                [[log_prob(adapter, token), token, None] for token in among]
            ]
        answer["meta_info"] |= {"id": body["rid"][place], "cached_tokens": place}
        return answer
