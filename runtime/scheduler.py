"""The semi-MDP core: who is due, what runs, what ended.

No await and no I/O. A driver goes round three calls: `due` opens an offer for
every seat with nothing to do, `choose` (or `reject`, `lapse`) says what became of
each, `tick` pops one primitive action a seat and moves the world. Everything that
happens is put into an outbox of events, in an order that depends on nothing but
the choices, so any driver of the same choices leaves the same trace.

`tick` and `due` are the hot loop of training; they are longer than they are
pretty, and build their events by position.
"""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from hocket.runtime.errors import EpisodeError, SchedulerError
from hocket.runtime.events import (
    AgentFailed,
    ChoiceRejected,
    EpisodeEnded,
    EpisodeStarted,
    Event,
    MenuOffered,
    OfferLapsed,
    OptionChosen,
    OptionEnded,
    OptionStarted,
    Receipt,
    SeatChanged,
    Stepped,
)
from hocket.runtime.game import Game
from hocket.runtime.menu import Menus
from hocket.runtime.option import Failure, Instance, Library, Option, Plan
from hocket.runtime.policy import Offer
from hocket.runtime.seed import Streams

F = TypeVar("F")


class _Run(Generic[F]):
    """An option under way."""

    __slots__ = ("before", "ends", "failure", "instance", "left", "option", "plan", "started")

    def __init__(self, option: Option[F], instance: Instance, before: F, plan: Plan | Failure, tick: int) -> None:
        self.option, self.instance, self.before, self.started = option, instance, before, tick
        if isinstance(plan, Failure):
            self.failure: str | None = plan.reason
            self.plan: Plan = ()
        else:
            self.failure, self.plan = None, plan
        self.left = len(self.plan)
        self.ends = tick + self.left + option.slack

    def next(self, facts: F, seat: int, tick: int, noop: int) -> int:
        """Pop the next primitive action; a blocked seat stands still and tries again."""
        if self.failure is not None:
            return noop
        if self.option.replans and tick != self.started:
            plan = self.option.expand(self.instance, facts, seat)
            if isinstance(plan, Failure):
                return noop
            self.plan, self.left = plan, len(plan)
        if not self.left:
            return noop
        action = self.plan[-self.left]
        self.left -= 1
        return action

    def outcome(self, facts: F, seat: int, tick: int) -> str | None:
        """Judge the option after the step of `tick`; None while it goes on."""
        if self.failure is not None:
            return f"explicit:{self.failure}"
        if not self.left:
            done = self.option.effect(self.instance, self.before, facts, seat)
            return "success" if done else "effect_fail"
        return "timeout" if tick + 1 >= self.ends else None


class Scheduler(Generic[F]):
    """One episode of one game, from reset to its last tick."""

    def __init__(
        self,
        game: Game[F],
        library: Library[F],
        *,
        seed: int,
        holders: Sequence[str],
        steps: int,
        starts: str = "standard",
    ) -> None:
        """Reset the game and note who sits where.

        Args:
            game: is reset here and stepped by `tick`.
            library: of the game's options.
            seed: of the whole episode.
            holders: name of the agent in each seat, shape [seats].
            steps: length of the episode, in ticks; the driver keeps to it.
            starts: `standard` or `varied`.
        """
        streams = Streams(seed)
        game.reset(seed, starts)
        self.game, self.library, self.steps = game, library, steps
        self.now = 0
        self.holders = list(holders)
        self.returns = [0.0] * game.seats
        self.decisions = [0] * game.seats
        self._facts = game.facts()
        self._menus = Menus(library, streams, game.seats)
        self._draws = [streams.stream("choice", seat) for seat in range(game.seats)]
        self._offers: list[Offer | None] = [None] * game.seats
        self._runs: list[_Run[F] | None] = [None] * game.seats
        self._recent: list[tuple[str, ...]] = [()] * game.seats
        self._totals = [0.0]
        self._outbox: list[Event] = [EpisodeStarted(0, tuple(holders), steps)]

    def take(self) -> list[Event]:
        """Empty the outbox: what happened since the last call, in order."""
        events, self._outbox = self._outbox, []
        return events

    def due(self) -> list[Offer]:
        """Open an offer for every seat that has nothing to do; return the new ones, in seat order."""
        fresh: list[Offer] = []
        for seat, run in enumerate(self._runs):
            if run is None and self._offers[seat] is None:
                decision = self.decisions[seat]
                try:
                    menu = self._menus.menu(self._facts, seat, decision)
                except Exception as error:
                    raise self._failure("option library", error) from error
                offer = Offer(
                    seat=seat,
                    decision=decision,
                    tick=self.now,
                    menu=menu,
                    game=self.game,
                    facts=self._facts,
                    stream=self._draws[seat],
                    recent=self._recent[seat],
                    totals=self._totals,
                )
                self.decisions[seat] = decision + 1
                self._offers[seat] = offer
                self._outbox.append(MenuOffered(self.now, seat, decision, menu.keys))
                fresh.append(offer)
        return fresh

    def open_offer(self, seat: int) -> Offer | None:
        """Return the offer that `seat` has not answered yet."""
        return self._offers[seat]

    def choose(self, seat: int, index: int, receipt: Receipt | None = None) -> None:
        """Begin the option at `index` of the seat's open menu."""
        offer = self._open(seat)
        if not 0 <= index < len(offer.menu):
            raise SchedulerError(seat=seat, tick=self.now, problem=f"index {index} of a menu of {len(offer.menu)}")
        chosen = offer.menu.entries[index]
        try:
            option = self.library.by_name[chosen.option]
            run = _Run(option, chosen, self._facts, option.expand(chosen, self._facts, seat), self.now)
        except Exception as error:
            raise self._failure("option library", error) from error
        self._offers[seat] = None
        self._runs[seat] = run
        self._recent[seat] = (*self._recent[seat][-4:], chosen.key)
        self._outbox.append(
            OptionChosen(self.now, seat, offer.decision, index, chosen.key, self.holders[seat], receipt)
        )
        self._outbox.append(OptionStarted(self.now, seat, chosen.key, run.left))

    def reject(self, seat: int, reason: str, detail: str) -> None:
        """Note a reply that is no choice; the offer stays open."""
        offer = self._open(seat)
        self._outbox.append(ChoiceRejected(self.now, seat, offer.decision, reason, detail))

    def lapse(self, seat: int, reason: str) -> None:
        """End the seat's offer without a choice."""
        offer = self._open(seat)
        self._offers[seat] = None
        self._outbox.append(OfferLapsed(self.now, seat, offer.decision, reason))

    def agent_failed(self, seat: int, error: str) -> None:
        """Note that the agent of a seat raised, was cancelled or exited."""
        self._outbox.append(AgentFailed(self.now, seat, self.holders[seat], error))

    def change_seat(self, seat: int, holder: str, reason: str) -> None:
        """Give a seat to another agent."""
        self._outbox.append(SeatChanged(self.now, seat, holder, self.holders[seat], reason))
        self.holders[seat] = holder

    def tick(self) -> None:
        """Pop one primitive action a seat, step the game, judge what ended."""
        now, facts, noop, runs = self.now, self._facts, self.game.noop, self._runs
        try:
            joint = tuple([noop if run is None else run.next(facts, seat, now, noop) for seat, run in enumerate(runs)])
        except Exception as error:
            raise self._failure("option library", error) from error
        try:
            rewards, events = self.game.step(joint)
            self._facts = facts = self.game.facts()
        except Exception as error:
            raise self._failure("game", error) from error
        outbox = self._outbox
        outbox.append(Stepped(now, joint, rewards, events))
        total = self._totals[-1]
        for seat, reward in enumerate(rewards):
            if reward:
                self.returns[seat] += reward
                total += reward
        self._totals.append(total)
        try:
            for seat, run in enumerate(runs):
                if run is not None:
                    outcome = run.outcome(facts, seat, now)
                    if outcome is not None:
                        outbox.append(OptionEnded(now, seat, run.instance.key, outcome, now + 1 - run.started))
                        runs[seat] = None
        except Exception as error:
            raise self._failure("option library", error) from error
        self.now = now + 1

    def end(self, reason: str) -> None:
        """Close what is open and write the last event."""
        for seat, offer in enumerate(self._offers):
            if offer is not None:
                self.lapse(seat, "cancelled")
        self._outbox.append(EpisodeEnded(self.now, reason, tuple(self.returns)))

    def facts(self) -> F:
        """Return the state of this tick."""
        return self._facts

    def running(self, seat: int) -> Instance | None:
        """Return the option that `seat` carries out."""
        run: _Run[Any] | None = self._runs[seat]
        return None if run is None else run.instance

    def _open(self, seat: int) -> Offer:
        offer = self._offers[seat] if 0 <= seat < len(self._offers) else None
        if offer is None:
            raise SchedulerError(seat=seat, tick=self.now, problem="was answered for, but has no open offer")
        return offer

    def _failure(self, part: str, error: Exception) -> EpisodeError:
        return EpisodeError(part=part, tick=self.now, problem=f"{type(error).__name__}: {error}")
