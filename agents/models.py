"""The language models of one episode: from `llm:MODEL#ADAPTER` to who holds the seat.

Seats of one base share one model, and so one batch; each has an adapter of its own, or none.
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import msgspec

from hocket.agents.adapter import read_adapter
from hocket.agents.frozen_base import EMBEDDED, FrozenBase, find_base
from hocket.replays.timing import Timing
from hocket.replays.trace import AgentMark
from hocket.runtime.errors import MissingExtraError, SettingError
from hocket.runtime.game import Game
from hocket.runtime.policy import Agent
from hocket.runtime.seats import Holder

if TYPE_CHECKING:
    from hocket.agents.local import Local

Backend: TypeAlias = Literal["local", "sglang"]
BACKENDS: tuple[str, ...] = get_args(Backend)


class Models:
    """Builds and keeps the models of one episode."""

    def __init__(
        self,
        game: Game[Any],
        *,
        backend: Backend = "local",
        url: str | None = None,
        style: Mapping[str, object] | None = None,
        threads: int = 1,
        patience: float = 30.0,
    ) -> None:
        """Say how models are run.

        Args:
            game: that they play.
            backend: `local` for this process, `sglang` for a server.
            url: of the server.
            style: what each base's own style is changed in.
            threads: of torch, in this process.
            patience: seconds that a server which does not answer is waited for.

        Raises:
            SettingError: a URL without a server, or a server without a URL.
        """
        if (backend == "sglang") != (url is not None):
            right = "given with --backend sglang, and only then: http://HOST:PORT"
            raise SettingError(setting="--url", value=url, right=right)
        self._game, self._backend, self._url, self._threads = game, backend, url, threads
        self._patience = patience
        self._style = dict(style or {})
        self._models: dict[str, Any] = {}
        self.marks: dict[str, AgentMark] = {}
        """The models by the name of their holder, for the header of a trace."""

    def holder(self, spec: str, seat: int) -> Holder:
        """Return the model that `spec` names, for `seat`.

        Raises:
            ModelError: no such base.
            AdapterError: no such adapter, or not one of this base.
            MissingExtraError: what models are run with is not installed.
        """
        name, _, folder = spec.partition("#")
        name = name.partition(":")[2]
        base = self._models[name].base if name in self._models else find_base(name)
        adapter = read_adapter(Path(folder), base) if folder else None
        if name not in self._models:
            self._models[name] = self._build(base)
        model = self._models[name]
        model.seat(seat, adapter)
        shown = "llm" + (f":{base.name}" if name != EMBEDDED else "") + (f"#{adapter.name}" if adapter else "")
        self.marks[shown] = model.mark(seat)
        agent: Agent = model
        return Holder(shown, agent)

    async def prepare(self) -> None:
        """Reach the servers, load adapters into them and hear their canaries.

        Raises:
            ServerError: one does not answer, or is not fit for this team.
            AdapterMismatchError: it answers as somebody else.
        """
        if self._backend == "sglang":
            for model in self._models.values():
                await model.prepare()

    async def close(self) -> None:
        """Close connections to servers."""
        if self._backend == "sglang":
            for model in self._models.values():
                await model.close()

    def tell(self, told: Callable[[Timing], object]) -> None:
        """Have the time of each decision told."""
        for model in self._models.values():
            model.told = told

    def _build(self, base: FrozenBase) -> Any:
        style = msgspec.structs.replace(base.style, **self._style)
        if self._backend == "sglang":
            from hocket.agents.served import ServedModel
            from hocket.agents.sglang import SglangServer

            connect = partial(SglangServer, str(self._url), patience=self._patience)
            connect()  # so that an address which is none is found before anything else is done
            return ServedModel(base, self._game.words, style, connect)
        local = open_local(base, self._threads)
        from hocket.agents.llm import LocalModel

        return LocalModel(local, self._game.words, style)


def open_local(base: FrozenBase, threads: int = 1) -> "Local":
    """Load a base into this process.

    Raises:
        ModelError: it cannot be loaded.
        MissingExtraError: torch or transformers is not installed.
    """
    try:
        from hocket.agents.local import Local
    except ImportError as error:
        raise MissingExtraError(extra="learn", needed_for="a language model in this process") from error
    return Local(base, threads=threads)
