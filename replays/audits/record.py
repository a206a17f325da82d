"""A trace as audits read it: events by kind, and the world's states.

States are no part of a trace. They are simulated again from its joint actions, once, when the
first audit asks for them, and are the recorded ones: a world that pays or reports anything else
than the trace has it is none.
"""

from functools import cached_property, lru_cache
from math import isfinite
from typing import Any, TypeVar

import msgspec

from hocket.games import registry
from hocket.replays.audits.custody import Custody, follow
from hocket.replays.audits.finding import Absent
from hocket.replays.trace import Trace
from hocket.runtime.errors import HocketError, TraceError
from hocket.runtime.events import Event, GameEvent, OptionChosen, Stepped
from hocket.runtime.game import Game, GameSpec

E = TypeVar("E", bound=Event)


class Record:
    """One trace."""

    def __init__(self, trace: Trace) -> None:
        """Sort its events.

        Raises:
            TraceError: a step that the seats and actions of its header cannot have made.
        """
        self.trace, self.header = trace, trace.header
        self.seats = len(trace.header.seats)
        self._by_kind: dict[type, list[Any]] = {}
        for event in trace.events:
            self._by_kind.setdefault(type(event), []).append(event)
        self.steps = self.of(Stepped)
        self.choices = self.of(OptionChosen)
        for step in self.steps:
            self._check(step)
        if not isfinite(sum(self.returns)):
            raise TraceError(path=trace.path, problem="its rewards add up to more than a number can hold")

    def of(self, kind: type[E]) -> list[E]:
        """Return the events of one kind, in order."""
        return self._by_kind.get(kind, [])

    @property
    def ticks(self) -> int:
        """How long the episode was, in ticks."""
        return len(self.steps)

    @cached_property
    def returns(self) -> tuple[float, ...]:
        """Undiscounted return of each seat, shape [seats], in game points; of a torn trace, so far."""
        return tuple(map(sum, zip(*(step.rewards for step in self.steps), strict=True))) or (0.0,) * self.seats

    @cached_property
    def happened(self) -> list[GameEvent]:
        """What the game reported, in order."""
        return [event for step in self.steps for event in step.events]

    @cached_property
    def custody(self) -> Custody:
        """Whose hands things went through."""
        return follow(self.happened)

    @cached_property
    def game(self) -> Game[Any] | Absent:
        """The game, as it was at any time; or why it cannot be built here."""
        try:
            game = _built(msgspec.json.encode(self.header.game))
        except HocketError as error:
            return Absent(str(error))
        except Exception as error:
            return Absent(f"no {self.header.game.kind} can be built from its header: {type(error).__name__}: {error}")
        if game.actions != self.header.actions or game.seats != self.seats:
            return Absent("the game that is installed here has other actions or seats than that of the trace")
        return game

    @cached_property
    def states(self) -> list[Any] | Absent:
        """Facts before each step and after the last, shape [ticks + 1]; or why they cannot be told."""
        game = self.game
        if isinstance(game, Absent):
            return game
        try:
            game.reset(self.header.seed, self.header.starts)
            found = [game.facts()]
            for step in self.steps:
                if game.step(step.joint) != (step.rewards, step.events):
                    return Absent(
                        f"at tick {step.tick} the world did otherwise than recorded: hocket rerun {self.trace.path}"
                    )
                found.append(game.facts())
        except Exception as error:
            return Absent(f"the world cannot be simulated again: {type(error).__name__}: {error}")
        return found

    def _check(self, step: Stepped) -> None:
        """Refuse a step that is none of this game's."""
        known = range(len(self.header.actions))
        if not len(step.joint) == len(step.rewards) == self.seats or any(each not in known for each in step.joint):
            problem = f"{step.joint!r} with rewards {step.rewards!r} is no step of {self.seats} seats"
            raise TraceError(path=self.trace.path, tick=step.tick, problem=problem)
        strange = [event.seat for event in step.events if not -1 <= event.seat < self.seats]
        if strange:
            problem = f"something happened to seat {strange[0]}, but there are {self.seats} seats"
            raise TraceError(path=self.trace.path, tick=step.tick, problem=problem)


@lru_cache(maxsize=1)
def _built(spec: bytes) -> Game[Any]:
    """Build a game, which takes longer than to play it; traces of one audit share it."""
    return registry.rebuild(msgspec.json.decode(spec, type=GameSpec))
