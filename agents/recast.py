"""The agents of a recorded episode, cast again by the names under which they held seats.

A trace names agents without the folders that they came from. What comes with hocket is
found by its name: scripts, the embedded base, SmolLM2, and the adapters for a game. For
anything else the person who asks has to say where it is.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from hocket.agents.canary import TOLERANCES
from hocket.agents.models import InProcess, Models
from hocket.agents.named_base import NO_ADAPTER, SMOLLM2, names_model
from hocket.agents.spec import Cast
from hocket.replays.difference import Difference, parting
from hocket.replays.trace import AgentMark, Header
from hocket.runtime.errors import AgentError, SettingError, UnknownNameError
from hocket.runtime.game import Game
from hocket.runtime.seats import Holder

_BASES = {"embedded": "llm", SMOLLM2: f"llm:{SMOLLM2}"}
_UNSAID = "its name does not say where it is"
_WIDEST = max(TOLERANCES.values())


class _Troupe(msgspec.Struct):
    """Models that are asked in one way, each seat by one of them at most."""

    asked: tuple[str, dict[str, Any]]
    models: Models
    cast: Cast
    seats: set[int]


class Recast:
    """Casts for a game that a trace was recorded on."""

    def __init__(self, header: Header, game: Game[Any], *, backend: InProcess | None = None) -> None:
        """Begin with nobody.

        Args:
            header: of the trace.
            game: that was built from it.
            backend: of language models; None for each one's own in the recording, or torch for a served one.
        """
        self._header, self._game = header, game
        self._backend: InProcess | None = backend
        self._plain = Cast(game.spec.kind)
        self._troupes: list[_Troupe] = []
        self._marks: dict[str, AgentMark] = {}
        self._known: dict[tuple[int, str, bool], Holder] = {}
        """Models by seat and name, as in the trace or as on the command line: they are loaded once."""

    @property
    def marks(self) -> Mapping[str, AgentMark]:
        """The language models that were cast, by their names, as they are here and now."""
        return self._marks

    def again(self, name: str, seat: int) -> Holder:
        """Return who held a seat under a name.

        Raises:
            AgentError: the name does not lead to them.
            UsageError: they cannot be loaded.
        """
        mark = self._header.agents.get(name)
        if mark is not None:
            if (seat, name, True) not in self._known:
                self._known[seat, name, True] = self._model(_spec(name, mark, seat), seat, mark)
            holder = self._known[seat, name, True]
            if holder.name != name:
                raise _nameless(name, seat, _UNSAID)
            return holder
        if names_model(name) or name.startswith(("replayed:", "taped:")):
            raise _nameless(name, seat, _UNSAID)
        try:
            return self._plain.holder(name, seat)
        except UnknownNameError as error:
            raise _nameless(name, seat, "no agent goes by that name") from error

    def named(self, spec: str, seat: int) -> Holder:
        """Return an agent by name, as on the command line; a model of the trace is asked as it was there.

        Raises:
            UsageError: there is none, or it cannot be loaded.
        """
        if not names_model(spec):
            return self._plain.holder(spec, seat)
        if (seat, spec, False) not in self._known:
            holder = self._model(spec, seat, None)
            mark = self._header.agents.get(holder.name)
            if mark is not None and _style(mark) != _style(self._marks[holder.name]):
                holder = self._model(spec, seat, mark)
            self._known[seat, spec, False] = holder
        return self._known[seat, spec, False]

    def difference(self, name: str) -> Difference | None:
        """Compare a model with that of the same name in the trace, but for what computes it."""
        was, now = self._header.agents.get(name), self._marks.get(name)
        if was is None or now is None:
            return None
        path, old, new = parting(*(_identity(each) for each in (was, now)))
        return Difference(0, None, f"agents.{name}.{path}", old, new) if path else None

    def tolerance(self, name: str) -> float:
        """Return how far a model's log-probabilities may be off: 0 where the same computes it in the same versions."""
        was, now = self._header.agents.get(name), self._marks.get(name)
        if (
            was is None
            or now is None
            or (was.backend, was.versions, was.style) == (now.backend, now.versions, now.style)
        ):
            return 0.0
        return max(TOLERANCES.get(str(each.style.get("dtype")), _WIDEST) for each in (was, now))

    def _model(self, spec: str, seat: int, mark: AgentMark | None) -> Holder:
        own: InProcess = "onnx" if mark is not None and mark.backend == "onnx" else "local"
        troupe = self._troupe(self._backend or own, {} if mark is None else _style(mark), seat)
        holder = troupe.cast.holder(spec, seat)
        troupe.seats.add(seat)
        found = troupe.models.marks()[holder.name]
        known = self._marks.setdefault(holder.name, found)
        if (known.base_digest, known.adapter_digest) != (found.base_digest, found.adapter_digest):
            raise SettingError(setting="agent", value=holder.name, right="another name than that of other weights")
        self._marks[holder.name] = found
        return holder

    def _troupe(self, place: InProcess, style: dict[str, Any], seat: int) -> _Troupe:
        """Return the first that is asked in this way and has nobody in this seat."""
        asked = (place, style)
        for troupe in self._troupes:
            if troupe.asked == asked and seat not in troupe.seats:
                return troupe
        models = Models(self._game, backend=place, style=style, shipped=self._header.library.name)
        self._troupes.append(_Troupe(asked, models, Cast(self._game.spec.kind, models), set()))
        return self._troupes[-1]


def _spec(name: str, mark: AgentMark, seat: int) -> str:
    """Return the name on the command line of a model that comes with hocket."""
    base = _BASES.get(mark.base)
    if base is None or (mark.adapter and base != "llm"):
        raise _nameless(name, seat, _UNSAID)
    return base if mark.adapter else f"{base}#{NO_ADAPTER}"


def _style(mark: AgentMark) -> dict[str, Any]:
    """Return how a model is asked, without the number format, which is what it is computed in."""
    return {key: value for key, value in mark.style.items() if key != "dtype"}


def _identity(mark: AgentMark) -> dict[str, Any]:
    return {
        "adapter": mark.adapter,
        "adapter_digest": mark.adapter_digest,
        "base": mark.base,
        "base_digest": mark.base_digest,
        "prefix": mark.prefix,
        "style": _style(mark),
    }


def _nameless(name: str, seat: int, why: str) -> AgentError:
    return AgentError(agent=name, problem=f"{why}; say who is to be asked by --seat {seat}=AGENT")
