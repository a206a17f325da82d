"""Options under way on one game: primitive actions popped, the world stepped, what ended judged.

The bare semi-MDP machinery, without offers, events or chance. The scheduler wraps
it for episodes; burn-in, which needs neither letters nor a trace, drives it alone.
"""

from typing import Generic, TypeVar

from hocket.runtime.errors import EpisodeError
from hocket.runtime.events import GameEvent
from hocket.runtime.game import Game
from hocket.runtime.option import Failure, Instance, Option, Plan

F = TypeVar("F")


class Run(Generic[F]):
    """An option under way in one seat."""

    __slots__ = ("before", "ends", "failure", "instance", "left", "option", "plan", "started")

    def __init__(self, option: Option[F], instance: Instance, before: F, plan: Plan | Failure, tick: int) -> None:
        self.option, self.instance, self.before, self.started = option, instance, before, tick
        self.failure: str | None = None
        if isinstance(plan, Failure):
            self.failure, plan = plan.reason, ()
        self.plan = plan
        self.left = len(plan)
        """Primitive actions to come; 0 once the plan is drained, or where expansion failed."""
        self.ends = tick + self.left + option.slack

    def next(self, facts: F, seat: int, tick: int, noop: int) -> int:
        """Pop the next primitive action; a blocked seat stands still and tries again."""
        if not self.left:
            return noop
        if self.option.replans and tick != self.started:
            plan = self.option.expand(self.instance, facts, seat)
            if isinstance(plan, Failure):
                return noop
            self.plan, self.left = plan, len(plan)
            if not plan:
                return noop
        action = self.plan[-self.left]
        self.left -= 1
        return action

    def outcome(self, facts: F, seat: int, tick: int) -> str | None:
        """Judge the option after the step of `tick`; None while it goes on."""
        if not self.left:
            if self.failure is not None:
                return f"explicit:{self.failure}"
            done = self.option.effect(self.instance, self.before, facts, seat)
            return "success" if done else "effect_fail"
        return "timeout" if tick + 1 >= self.ends else None


class Execution(Generic[F]):
    """One game and the option that each seat carries out on it."""

    def __init__(self, game: Game[F]) -> None:
        """Begin at the present state of `game`, with every seat free."""
        self.game = game
        self.now = 0
        """The tick that comes next."""
        self.facts = game.facts()
        self.runs: list[Run[F] | None] = [None] * game.seats
        self.joint: tuple[int, ...] = ()
        """Primitive actions of the last step, one a seat."""
        self.rewards: tuple[float, ...] = ()
        self.events: tuple[GameEvent, ...] = ()
        self._noop = game.noop

    def start(self, seat: int, option: Option[F], instance: Instance) -> Run[F]:
        """Begin an option in a free seat; one that cannot be expanded costs the seat one tick.

        Raises:
            EpisodeError: the option library failed.
        """
        try:
            plan = option.expand(instance, self.facts, seat)
        except Exception as error:
            raise self.failure("option library", error) from error
        run = self.runs[seat] = Run(option, instance, self.facts, plan, self.now)
        return run

    def step(self) -> None:
        """Move the world by one tick; joint action, rewards and game events are kept until the next.

        Raises:
            EpisodeError: the game or the option library failed.
        """
        facts, now, noop, runs = self.facts, self.now, self._noop, self.runs
        try:
            joint = tuple([noop if run is None else run.next(facts, seat, now, noop) for seat, run in enumerate(runs)])
        except Exception as error:
            raise self.failure("option library", error) from error
        try:
            self.rewards, self.events = self.game.step(joint)
            self.facts = self.game.facts()
        except Exception as error:
            raise self.failure("game", error) from error
        self.joint = joint

    def judge(self) -> list[tuple[int, Run[F], str]]:
        """Judge what ended with the last step, in seat order; those seats are free again.

        Raises:
            EpisodeError: the option library failed.
        """
        ended: list[tuple[int, Run[F], str]] = []
        facts, now, runs = self.facts, self.now, self.runs
        try:
            for seat, run in enumerate(runs):
                if run is not None:
                    outcome = run.outcome(facts, seat, now)
                    if outcome is not None:
                        ended.append((seat, run, outcome))
                        runs[seat] = None
        except Exception as error:
            raise self.failure("option library", error) from error
        self.now = now + 1
        return ended

    def failure(self, part: str, error: Exception) -> EpisodeError:
        """Say which part of the runtime failed, and when."""
        return EpisodeError(part=part, tick=self.now, problem=f"{type(error).__name__}: {error}")
