"""The language models of one episode: from `llm:MODEL#ADAPTER` to who holds the seat.

Seats of one base share one model, and so one batch; each has an adapter of its own, or none.
"""

from collections.abc import Callable, Mapping
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import msgspec

from hocket.agents.adapter import Adapter, read_adapter
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.named_base import EMBEDDED, find_base, parse_model
from hocket.agents.served import ServedModel
from hocket.agents.sglang.client import SglangClient
from hocket.agents.sglang.wire import checked_url
from hocket.agents.threaded import Threaded
from hocket.replays.timing import Timing
from hocket.replays.trace import AgentMark
from hocket.runtime.errors import MissingExtraError, SettingError
from hocket.runtime.game import Game
from hocket.runtime.policy import Agent
from hocket.runtime.seats import Holder

if TYPE_CHECKING:  # torch is large, and not always there
    from hocket.agents.local import Local

Backend: TypeAlias = Literal["local", "sglang"]


class Seated(Protocol):
    """A model with its seats, wherever it computes."""

    def seat(self, seat: int, adapter: Adapter | None) -> None:
        """Let a seat answer with an adapter, or with the base itself."""
        ...

    def mark(self, seat: int) -> AgentMark:
        """Describe the agent of a seat for the header of a trace."""
        ...


class Running(msgspec.Struct, frozen=True):
    """A model of the episode."""

    model: Seated
    agent: Agent
    """What holds its seats: the model itself, or a wrapper of it."""


class Models:
    """Builds and keeps the models of one episode."""

    def __init__(
        self,
        game: Game[Any],
        *,
        backend: Backend = "local",
        url: str | None = None,
        patience: float = 30.0,
        style: Mapping[str, object] | None = None,
        device: str = "auto",
        threads: int = 1,
        waits: bool = True,
        told: Callable[[Timing], object] = lambda timing: None,
    ) -> None:
        """Say how models are run.

        Args:
            game: that they play.
            backend: `local` for this process, `sglang` for a server.
            url: of the server.
            patience: seconds that a server which does not answer is waited for.
            style: what each base's own style is changed in.
            device: of torch, in this process: `auto`, `cpu`, `cuda`, ...
            threads: of torch, in this process.
            waits: whether the world waits for answers; where it does not, models here compute in a thread.
            told: called with how long each batch of decisions took.

        Raises:
            SettingError: a URL without a server, a server without a URL, an address or a patience that is none.
        """
        if backend == "sglang" and url is None:
            raise SettingError(setting="--backend", value=backend, right="given together with --url http://HOST:PORT")
        if backend != "sglang" and url is not None:
            raise SettingError(setting="--url", value=url, right="left out, or given together with --backend sglang")
        if not 0 < patience < inf:
            raise SettingError(setting="--patience", value=patience, right="seconds, more than 0")
        self._game, self._backend, self._style = game, backend, dict(style or {})
        self._url = "" if url is None else checked_url(url)
        self._patience, self._device, self._threads, self._waits, self._told = patience, device, threads, waits, told
        self._bases: dict[str, FrozenBase] = {}
        """By name: to read one is to hash its weights."""
        self._running: dict[Path, Running] = {}
        self._seated: dict[int, tuple[str, Running, str]] = {}
        """By seat: its holder's name, its model, and what tells it from another of that name."""

    def holder(self, spec: str, seat: int) -> Holder:
        """Return the model that `spec` names, for `seat`.

        Raises:
            ModelError: no such base.
            AdapterError: no such adapter, or not one of this base.
            AdapterMismatchError: an adapter that does not answer as its canary says.
            SettingError: two bases on one server, or two things of one name.
            MissingExtraError: what models are run with is not installed.
        """
        name, folder = parse_model(spec)
        if name not in self._bases:
            self._bases[name] = find_base(name)
        base = self._bases[name]
        adapter = read_adapter(Path(folder), base) if folder else None
        identity = f"{base.digest} {adapter.digest if adapter else ''}"
        shown = "llm" + (f":{base.name}" if name != EMBEDDED else "") + (f"#{adapter.name}" if adapter else "")
        self._check_name(shown, identity)
        place = base.folder.resolve()
        if place not in self._running:
            self._running[place] = self._run(base)
        running = self._running[place]
        running.model.seat(seat, adapter)
        self._seated[seat] = (shown, running, identity)
        return Holder(shown, running.agent)

    def marks(self) -> dict[str, AgentMark]:
        """Return a description of each by the name of its holder, for the header of a trace; once they are prepared."""
        return {shown: running.model.mark(seat) for seat, (shown, running, _) in sorted(self._seated.items())}

    async def prepare(self) -> None:
        """Reach the server, load adapters into it and hear their canaries.

        Raises:
            ServerError: it does not answer, or is not fit for this team.
            AdapterMismatchError: it answers as somebody else.
        """
        for running in self._running.values():
            if isinstance(running.model, ServedModel):
                await running.model.prepare()

    async def close(self) -> None:
        """Give up what is being asked, and close connections and threads."""
        for running in self._running.values():
            if isinstance(running.agent, ServedModel | Threaded):
                await running.agent.close()

    def _check_name(self, shown: str, identity: str) -> None:
        for other, _, theirs in self._seated.values():
            if other == shown and theirs != identity:
                right = "another name than that of other weights in the same episode"
                raise SettingError(setting="agent", value=shown, right=right)

    def _run(self, base: FrozenBase) -> Running:
        style = msgspec.structs.replace(base.style, **self._style)
        if self._backend == "local":
            local = open_local(base, device=self._device, threads=self._threads)
            from hocket.agents.llm import LocalModel

            model = LocalModel(local, self._game.words, style, self._told)
            return Running(model, model if self._waits else Threaded(model))
        if self._running:
            raise SettingError(setting="--url", value=self._url, right="the server of every base; it can have but one")
        connect = partial(SglangClient, self._url, patience=self._patience)
        served = ServedModel(base, self._game.words, style, connect, self._told)
        return Running(served, served)


def open_local(base: FrozenBase, *, device: str = "auto", threads: int = 1) -> "Local":
    """Load a base into this process.

    Raises:
        ModelError: it cannot be loaded.
        MissingExtraError: torch, transformers or peft is not installed.
    """
    try:
        from hocket.agents.local import Local
    except ImportError as error:
        raise MissingExtraError(extra="learn", needed_for="a language model in this process") from error
    return Local(base, device=device, threads=threads)
