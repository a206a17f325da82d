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
from hocket.agents.llm import Backend, LocalModel
from hocket.agents.named_base import EMBEDDED, NO_ADAPTER, find_base, parse_model
from hocket.agents.served import ServedModel
from hocket.agents.sglang.client import SglangClient
from hocket.agents.sglang.wire import checked_url
from hocket.agents.shipped import shipped_adapter
from hocket.agents.style import Style
from hocket.agents.threaded import Threaded
from hocket.replays.timing import Timing
from hocket.replays.trace import AgentMark
from hocket.runtime.errors import MissingExtraError, SettingError
from hocket.runtime.game import Game
from hocket.runtime.policy import Agent
from hocket.runtime.seats import Holder

if TYPE_CHECKING:  # neither torch nor onnxruntime is always there
    from hocket.agents.exported import Exported
    from hocket.agents.local import Local

InProcess: TypeAlias = Literal["local", "onnx"]
Place: TypeAlias = InProcess | Literal["sglang"]
_CPU = ("auto", "cpu")


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
        backend: Place = "local",
        url: str | None = None,
        patience: float = 30.0,
        style: Mapping[str, object] | None = None,
        device: str = "auto",
        threads: int = 1,
        waits: bool = True,
        shipped: str = "",
        told: Callable[[Timing], object] = lambda timing: None,
    ) -> None:
        """Say how models are run.

        Args:
            game: that they play.
            backend: `local` or `onnx` for this process, `sglang` for a server.
            url: of the server.
            patience: seconds that a server which does not answer is waited for.
            style: what each base's own style is changed in.
            device: in this process: `auto`, `cpu`, `cuda` or another name of torch's.
            threads: of a model in this process.
            waits: whether the world waits for answers; where it does not, models here compute in a thread.
            shipped: the option library whose adapters `llm` alone plays with, where some come for game and
                seat; empty for none.
            told: called with how long each batch of decisions took.

        Raises:
            SettingError: a URL without a server, a server without a URL, an address or a patience that is none,
                a device that onnxruntime is not asked for.
        """
        if backend == "sglang" and url is None:
            raise SettingError(setting="--backend", value=backend, right="given together with --url http://HOST:PORT")
        if backend != "sglang" and url is not None:
            raise SettingError(setting="--url", value=url, right="left out, or given together with --backend sglang")
        if backend == "onnx" and device not in _CPU:
            raise SettingError(setting="--device", value=device, right="auto or cpu with --backend onnx")
        if not 0 < patience < inf:
            raise SettingError(setting="--patience", value=patience, right="seconds, more than 0")
        self._backend: Place = backend
        self._shipped = shipped
        self._game, self._style = game, dict(style or {})
        self._url = "" if url is None else checked_url(url)
        self._patience, self._device, self._threads, self._waits, self._told = patience, device, threads, waits, told
        self._bases: dict[str, FrozenBase] = {}
        """By name: to read one is to hash its weights."""
        self._running: dict[tuple[Path, Style], Running] = {}
        """By base and style: seats that are asked in one way share one model."""
        self._opened: dict[Path, Backend] = {}
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
        if self._backend == "onnx":
            _exported()
        if name not in self._bases:
            self._bases[name] = find_base(name)
        base = self._bases[name]
        adapter = self._adapter(name, folder, base, seat)
        identity = f"{base.digest} {adapter.digest if adapter else ''}"
        shown = "llm" + (f":{base.name}" if name != EMBEDDED else "") + (f"#{adapter.name}" if adapter else "")
        self._check_name(shown, identity)
        own = base.style if adapter is None or adapter.style is None else adapter.style
        style = msgspec.structs.replace(own, **self._style)
        place = base.folder.resolve()
        if (place, style) not in self._running:
            self._running[place, style] = self._run(base, style)
        running = self._running[place, style]
        running.model.seat(seat, adapter)
        self._seated[seat] = (shown, running, identity)
        return Holder(shown, running.agent, adapter.digest if adapter else "")

    def clear(self) -> None:
        """Let nobody be seated: the next episode may have others under the same names. What was loaded stays."""
        self._seated.clear()

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

    def _adapter(self, name: str, folder: str, base: FrozenBase, seat: int) -> Adapter | None:
        if folder == NO_ADAPTER:
            return None
        if folder:
            return read_adapter(Path(folder), base)
        found = shipped_adapter(self._game.spec, self._shipped, seat) if self._shipped and name == EMBEDDED else None
        adapter = None if found is None else read_adapter(found, base)
        return adapter if adapter is None or self._is_asked_as(adapter) else None

    def _is_asked_as(self, adapter: Adapter) -> bool:
        """Tell whether an adapter is asked as it was when it learned, but for its temperature and the like."""
        asked = {key: value for key, value in self._style.items() if key in ("scorer", "profile")}
        return all(getattr(adapter.style, key, value) == value for key, value in asked.items())

    def _check_name(self, shown: str, identity: str) -> None:
        for other, _, theirs in self._seated.values():
            if other == shown and theirs != identity:
                right = "another name than that of other weights in the same episode"
                raise SettingError(setting="agent", value=shown, right=right)

    def _run(self, base: FrozenBase, style: Style) -> Running:
        place = base.folder.resolve()
        if self._backend != "sglang":
            if place not in self._opened:
                self._opened[place] = open_backend(base, self._backend, device=self._device, threads=self._threads)
            model = LocalModel(self._opened[place], self._game.words, style, self._told)
            return Running(model, model if self._waits else Threaded(model))
        if self._running:
            known = {each for each, _ in self._running}
            right = "the server of every base; it can have but one"
            if place in known:
                right = "that of seats which are asked in one way (scorer, profile, temperature)"
            raise SettingError(setting="--url", value=self._url, right=right)
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


def open_backend(base: FrozenBase, backend: InProcess = "local", *, device: str = "auto", threads: int = 1) -> Backend:
    """Load a base into this process.

    Args:
        base: to load.
        backend: `local` for torch, and where that is not installed, for onnxruntime if it can; `onnx` for that alone.
        device: of torch's; onnxruntime is asked for the CPU alone.
        threads: of what computes it.

    Raises:
        ModelError: it cannot be loaded.
        MissingExtraError: what it takes is not installed.
    """
    if backend == "onnx":
        return _exported()(base, threads=threads)
    try:
        return open_local(base, device=device, threads=threads)
    except MissingExtraError:
        exported = _exported_for(base) if device in _CPU else None
        if exported is None:
            raise
        return exported(base, threads=threads)


def _exported_for(base: FrozenBase) -> "type[Exported] | None":
    """Return what computes a base without torch; None where it cannot, or is not installed."""
    try:
        exported = _exported()
    except MissingExtraError:
        return None
    return exported if exported.computes(base) else None


def _exported() -> "type[Exported]":
    try:
        from hocket.agents.exported import Exported
    except ImportError as error:
        raise MissingExtraError(extra="onnx", needed_for="--backend onnx") from error
    return Exported
