"""From the name of an agent, as on the command line, to who takes the seat.

random            picks uniformly from its menu
idle              waits
scripted:NAME     a hand-written partner
replayed:TRACE    repeats what was chosen in the same seat of a recorded episode
MODULE:CLASS      a class of your own, importable from here or from the working folder
"""

import importlib
import inspect
import sys
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.agents.replayed import Replayed
from hocket.replays.trace import read_trace
from hocket.runtime.errors import AgentError, UnknownNameError
from hocket.runtime.policy import Agent, Chooser, Policy
from hocket.runtime.seats import Holder

SCRIPTED = {"cook": "hocket.agents.scripted.cook:Cook"}
"""Where each hand-written partner is, imported when it is asked for."""
FORMS = ("random", "idle", *(f"scripted:{name}" for name in SCRIPTED), "replayed:TRACE", "MODULE:CLASS")


class Cast:
    """Who plays in one episode; seats of one built-in name share one agent, and so one batch."""

    def __init__(self) -> None:
        self._shared: dict[str, Agent] = {}

    def holder(self, spec: str, seat: int) -> Holder:
        """Return the agent that `spec` names, for `seat`.

        Raises:
            UnknownNameError: no such agent.
            AgentError: a module that does not import, a class that is no agent.
            TraceError: what is to be replayed is no trace.
        """
        form, _, rest = spec.partition(":")
        if form == "replayed" and rest:
            digest = blake2b(_bytes(rest), digest_size=6).hexdigest()
            return Holder(f"replayed:{digest}", Replayed(read_trace(rest), seat))
        if spec == "random":
            return self._share(spec, Random)
        if spec == "idle":
            return self._share(spec, Idle)
        if form == "scripted":
            if rest not in SCRIPTED:
                raise UnknownNameError(kind="scripted agent", name=rest, known=SCRIPTED)
            module, _, name = SCRIPTED[rest].partition(":")
            return self._share(spec, lambda: _own(spec, module, name))
        if not rest or not form:
            raise UnknownNameError(kind="agent", name=spec, known=FORMS)
        return Holder(spec, _own(spec, form, rest))

    def _share(self, name: str, build: Callable[[], Agent]) -> Holder:
        if name not in self._shared:
            self._shared[name] = build()
        return Holder(name, self._shared[name])


def _bytes(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        read_trace(path)
        raise


def _own(spec: str, module: str, name: str) -> Agent:
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    try:
        found = getattr(importlib.import_module(module), name, None)
    except (Exception, SystemExit) as error:
        raise AgentError(agent=spec, problem=f"module {module!r} does not import: {_line(error)}") from error
    if not inspect.isclass(found):
        raise AgentError(agent=spec, problem=f"module {module!r} has no class {name!r}")
    try:
        agent = found()
    except (Exception, SystemExit) as error:
        raise AgentError(agent=spec, problem=f"{name}() failed: {_line(error)}") from error
    if isinstance(agent, Chooser) and not inspect.iscoroutinefunction(agent.choose_many):
        return agent
    if isinstance(agent, Policy) and inspect.iscoroutinefunction(agent.choose):
        return agent
    needs = "`async def choose(self, offer)` or `def choose_many(self, offers)`"
    raise AgentError(agent=spec, problem=f"{name} needs {needs}")


def _line(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
