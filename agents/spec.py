"""From the name of an agent, as on the command line, to who takes the seat.

random            picks uniformly from its menu
idle              waits
human:terminal    a person at this terminal, who is shown a menu and types a letter
scripted:NAME     a hand-written partner
replayed:TRACE    repeats what was chosen in the same seat of a recorded episode
taped:CASSETTE    replays model replies of a cassette, while it is asked what was asked when they were recorded
llm               the language model that comes with hocket, with its adapter for this game and seat if there is one
llm#none          the same without an adapter; llm:smollm2, or llm:FOLDER for another model
llm:MODEL#ADAPTER the same with a LoRA adapter of its own, a PEFT folder
MODULE:CLASS      a class of your own, importable from here or from the working folder
"""

import contextlib
import importlib
import inspect
import sys
from collections.abc import Callable
from pathlib import Path

from hocket.agents.idle import Idle
from hocket.agents.models import Models
from hocket.agents.named_base import names_model
from hocket.agents.random import Random
from hocket.agents.replayed import Replayed
from hocket.agents.taped import taped
from hocket.agents.terminal import Terminal
from hocket.replays.cassette import Cassette
from hocket.replays.trace import read_trace
from hocket.runtime.errors import AgentError, SettingError, UnknownNameError
from hocket.runtime.fault import one_line
from hocket.runtime.policy import Agent, Chooser, Policy
from hocket.runtime.seats import Holder

SCRIPTED = {
    "cook": (("overcooked",), "hocket.agents.scripted.cook:Cook"),
    "cleaner": (("cleanup",), "hocket.agents.scripted.cleaner:Cleaner"),
    "forager": (("harvest",), "hocket.agents.scripted.forager:Forager"),
    "eater": (("cleanup", "harvest"), "hocket.agents.scripted.eater:Eater"),
}
"""What each hand-written partner plays, and where it is; imported when it is asked for. The first for a game works."""
FORMS = (
    *("random", "idle", "human:terminal"),
    *(f"scripted:{name}" for name in SCRIPTED),
    *("replayed:TRACE", "taped:CASSETTE", "llm", "llm:MODEL", "llm:MODEL#ADAPTER", "MODULE:CLASS"),
)


def scripted_for(game: str) -> str | None:
    """Return the hand-written partner for a kind of game, the first of several; None where there is none."""
    return next((f"scripted:{name}" for name, (plays, _) in SCRIPTED.items() if game in plays), None)


class Cast:
    """Who plays in one episode; seats of one built-in name share one agent, and so one batch."""

    def __init__(self, game: str, models: Models | None = None) -> None:
        """Cast for one kind of game, e.g. `overcooked`; `models` casts its language models."""
        self._game, self._models = game, models
        self._shared: dict[str, Agent] = {}

    def holder(self, spec: str, seat: int) -> Holder:
        """Return the agent that `spec` names, for `seat`.

        Raises:
            UnknownNameError: no such agent.
            AgentError: a module that does not import, a class that is no agent.
            TraceError: what is to be replayed is no trace.
            ModelError: a language model that cannot be used.
            AdapterError: an adapter that does not go with it.
            CassetteError: what is to be played is no cassette.
        """
        form, _, rest = spec.partition(":")
        if self._models is not None and names_model(spec):
            return self._models.holder(spec, seat)
        if form == "replayed" and rest:
            trace = read_trace(rest)
            return Holder(f"replayed:{trace.digest[:12]}", Replayed(trace, seat))
        if form == "taped" and rest:
            cassette = Cassette.play(rest)
            if seat >= cassette.seats:
                problem = f"it was recorded for {cassette.seats} seats, so not for seat {seat}"
                raise AgentError(agent=spec, problem=problem)
            return self._share(f"taped:{cassette.digest[:12]}", lambda: taped(cassette))
        if spec == "random":
            return self._share(spec, Random)
        if spec == "idle":
            return self._share(spec, Idle)
        if spec == "human:terminal":
            return self._share(spec, Terminal)
        if form == "scripted":
            if rest not in SCRIPTED:
                raise UnknownNameError(kind="scripted agent", name=rest, known=SCRIPTED)
            plays, place = SCRIPTED[rest]
            if self._game not in plays:
                raise AgentError(agent=spec, problem=f"it plays {' and '.join(plays)}, not {self._game}")
            module, _, name = place.partition(":")
            return self._share(spec, lambda: _own(spec, module, name))
        if not rest or not form:
            raise UnknownNameError(kind="agent", name=spec, known=FORMS)
        return Holder(spec, _own(spec, form, rest))

    def fallback(self, spec: str) -> Holder:
        """Return the agent that takes the seats of those that fail.

        Raises:
            SettingError: a language model, which would need a seat of its own.
            UnknownNameError: no such agent.
        """
        if names_model(spec):
            raise SettingError(setting="fallback", value=spec, right="an agent that is no language model, e.g. idle")
        return self.holder(spec, 0)

    def _share(self, name: str, build: Callable[[], Agent]) -> Holder:
        if name not in self._shared:
            self._shared[name] = build()
        return Holder(name, self._shared[name])


def _own(spec: str, module: str, name: str) -> Agent:
    with contextlib.suppress(OSError):  # where the working folder is gone
        if str(Path.cwd()) not in sys.path:
            sys.path.append(str(Path.cwd()))
    try:
        found = getattr(importlib.import_module(module), name, None)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise AgentError(agent=spec, problem=f"module {module!r} does not import: {_said(error)}") from error
    if not inspect.isclass(found):
        raise AgentError(agent=spec, problem=f"module {module!r} has no class {name!r}")
    try:
        agent = found()
        if isinstance(agent, Chooser) and not inspect.iscoroutinefunction(agent.choose_many):
            return agent
        if isinstance(agent, Policy) and inspect.iscoroutinefunction(agent.choose):
            return agent
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise AgentError(agent=spec, problem=f"{name}() failed: {_said(error)}") from error
    raise AgentError(
        agent=spec, problem=f"{name} needs `async def choose(self, offer)` or `def choose_many(self, offers)`"
    )


def _said(error: BaseException) -> str:
    text = one_line(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
