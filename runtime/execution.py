"""Options under way on one game: primitive actions popped, the world stepped, what ended judged.

The bare semi-MDP machinery, without offers, events or chance; the scheduler wraps it.
"""

from typing import Generic, TypeVar

from hocket.runtime.errors import EpisodeError
from hocket.runtime.events import GameEvent
from hocket.runtime.game import Game
from hocket.runtime.option import Failure, Instance, Option, Plan

F = TypeVar("F")


class Run(Generic[F]):
    """An option under way in one seat."""

    __slots__ = ("before", "ends", "failure", "instance", "left", "option", "plan", "replans", "started")

    def __init__(self, option: Option[F], instance: Instance, before: F, plan: Plan | Failure, tick: int) -> None:
        self.option, self.instance, self.before, self.started = option, instance, before, tick
        self.replans = option.replans
        self.failure: str | None = None
        if isinstance(plan, Failure):
            self.failure, plan = plan.reason, ()
        self.plan = plan
        self.left = len(plan)
        """Primitive actions to come; 0 once the plan is drained, or where expansion failed."""
        self.ends = tick + self.left + option.slack

    def replan(self, facts: F, seat: int) -> bool:
        """Make the plan anew; False where there is nothing to do for now, or nothing any more."""
        plan = self.option.expand(self.instance, facts, seat)
        if isinstance(plan, Failure):
            if not plan.passing:
                self.failure, self.left = plan.reason, 0
            return False
        self.plan, self.left = plan, len(plan)
        return bool(plan)

    def outcome(self, facts: F, seat: int) -> str:
        """Judge an option whose plan is drained, or whose expansion failed."""
        if self.failure is not None:
            return f"explicit:{self.failure}"
        return "success" if self.option.effect(self.instance, self.before, facts, seat) else "effect_fail"


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
        self._ending = False
        self._noop, self._step, self._facts = game.noop, game.step, game.facts

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
        facts, now, runs = self.facts, self.now, self.runs
        joint = [self._noop] * len(runs)
        ending = False
        try:
            for seat, run in enumerate(runs):
                if run is not None:
                    if run.left and (now == run.started or not run.replans or run.replan(facts, seat)):
                        joint[seat] = run.plan[-run.left]
                        run.left -= 1
                    if not run.left or now + 1 >= run.ends:
                        ending = True
        except Exception as error:
            raise self.failure("option library", error) from error
        self._ending = ending
        self.joint = tuple(joint)
        try:
            self.rewards, self.events = self._step(self.joint)
            self.facts = self._facts()
        except Exception as error:
            raise self.failure("game", error) from error

    def judge(self) -> list[tuple[int, Run[F], str]]:
        """Judge what ended with the last step, in seat order; those seats are free again.

        Raises:
            EpisodeError: the option library failed.
        """
        ended: list[tuple[int, Run[F], str]] = []
        over = self.now + 1
        if not self._ending:
            self.now = over
            return ended
        try:
            for seat, run in enumerate(self.runs):
                if run is not None and (not run.left or over >= run.ends):
                    ended.append((seat, run, "timeout" if run.left else run.outcome(self.facts, seat)))
                    self.runs[seat] = None
        except Exception as error:
            raise self.failure("option library", error) from error
        self.now = over
        return ended

    def failure(self, part: str, error: Exception) -> EpisodeError:
        """Say which part of the runtime failed, and when."""
        return EpisodeError(part=part, tick=self.now, problem=f"{type(error).__name__}: {error}")
