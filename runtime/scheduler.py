"""The semi-MDP core: who is due, what runs, what ended.

No await and no I/O. A driver goes round three calls: `due` opens an offer for
every seat with nothing to do, `choose` (or `reject`, `lapse`) says what became of
each, `tick` pops one primitive action a seat and moves the world. Everything that
happens is put into an outbox of events, in an order that depends on nothing but
the choices, so any driver of the same choices leaves the same trace.

`tick` and `due` are the hot loop of training and build their events by position.
"""

from collections.abc import Sequence
from typing import Generic, TypeVar

from hocket.runtime.errors import SchedulerError, SettingError
from hocket.runtime.events import (
    AgentFailed,
    ChoiceRejected,
    EpisodeEnded,
    EpisodeStarted,
    Event,
    FaultInjected,
    MenuOffered,
    OfferLapsed,
    OptionChosen,
    OptionEnded,
    OptionStarted,
    Receipt,
    SeatChanged,
    Stepped,
)
from hocket.runtime.execution import Execution
from hocket.runtime.game import Game
from hocket.runtime.guard import Guard, GuardSet
from hocket.runtime.menu import Menus
from hocket.runtime.option import Library
from hocket.runtime.policy import OPTIONS_KEPT, Offer
from hocket.runtime.seed import Streams

F = TypeVar("F")


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
        guards: Sequence[Guard] = (),
    ) -> None:
        """Reset the game and note who sits where.

        Args:
            game: is reset here and stepped by `tick`; it plays one episode at a time.
            library: of the game's options.
            seed: of the whole episode.
            holders: name of the agent in each seat, shape [seats].
            steps: length of the episode, in ticks; the driver keeps to it.
            starts: where from, as `read_starts` has it.
            guards: hide instances from every menu.

        Raises:
            SettingError: a seed, start or length that makes no sense, or not one holder a seat.
            GuardError: a guard that does not fit the library.
        """
        if len(holders) != game.seats:
            right = f"{game.seats}, one a seat of {game.spec.name}"
            raise SettingError(setting="number of holders", value=len(holders), right=right)
        if type(steps) is not int or steps < 1:
            raise SettingError(setting="steps", value=steps, right="a whole number of 1 or more")
        streams = Streams(seed)
        game.reset(seed, starts)
        self.game, self.library, self.steps = game, library, steps
        self.holders = list(holders)
        self.returns = [0.0] * game.seats
        self.decisions = [0] * game.seats
        self._execution = Execution(game)
        self._menus = Menus(library, streams, game.seats, GuardSet(library, guards) if guards else None)
        self._draws = [streams.stream("choice", seat) for seat in range(game.seats)]
        self._offers: list[Offer | None] = [None] * game.seats
        self._recent: list[tuple[str, ...]] = [()] * game.seats
        self._totals = [0.0]
        self._ended = False
        self._outbox: list[Event] = [EpisodeStarted(0, tuple(holders), steps)]

    @property
    def now(self) -> int:
        """The tick that comes next."""
        return self._execution.now

    def take(self) -> list[Event]:
        """Empty the outbox: what happened since the last call, in order."""
        events, self._outbox = self._outbox, []
        return events

    def due(self) -> list[Offer]:
        """Open an offer for every seat that has nothing to do; return the new ones, in seat order."""
        fresh: list[Offer] = []
        execution = self._execution
        for seat, run in enumerate(execution.runs):
            if run is None and self._offers[seat] is None:
                decision = self.decisions[seat]
                try:
                    menu = self._menus.menu(execution.facts, seat, decision)
                except Exception as error:
                    raise execution.failure("option library", error) from error
                offer = Offer(
                    seat=seat,
                    decision=decision,
                    tick=execution.now,
                    menu=menu,
                    _game=self.game,
                    _facts=execution.facts,
                    _stream=self._draws[seat],
                    _latest=self._recent[seat],
                    _totals=self._totals,
                    steps=self.steps,
                )
                self.decisions[seat] = decision + 1
                self._offers[seat] = offer
                self._outbox.append(MenuOffered(execution.now, seat, decision, menu.keys))
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
        key = offer.menu.keys[index]
        self._begin(offer, index, OptionChosen(self.now, seat, offer.decision, index, key, self.holders[seat], receipt))

    def reject(self, seat: int, reason: str, detail: str, receipt: Receipt | None = None) -> None:
        """Note a reply that is no choice; the offer stays open."""
        offer = self._open(seat)
        self._outbox.append(ChoiceRejected(self.now, seat, offer.decision, reason, detail, receipt))

    def late(self, seat: int, decision: int, detail: str, receipt: Receipt | None = None) -> None:
        """Note a reply to an offer that has ended before."""
        offer = self._offers[seat]
        if not 0 <= decision < self.decisions[seat] or (offer is not None and offer.decision == decision):
            raise SchedulerError(seat=seat, tick=self.now, problem=f"decision {decision} has not ended")
        self._outbox.append(ChoiceRejected(self.now, seat, decision, "late", detail, receipt))

    def lapse(self, seat: int, reason: str, instead: str = "") -> None:
        """End the seat's offer without a choice.

        Args:
            seat: whose offer.
            reason: why.
            instead: key of an instance on its menu that the seat goes on with; empty to stand still.
        """
        offer = self._open(seat)
        lapsed = OfferLapsed(self.now, seat, offer.decision, reason, instead)
        if instead:
            if instead not in offer.menu.keys:
                raise SchedulerError(seat=seat, tick=self.now, problem=f"{instead} is not on the menu")
            self._begin(offer, offer.menu.keys.index(instead), lapsed)
        else:
            self._offers[seat] = None
            self._outbox.append(lapsed)

    def fault_injected(self, seat: int, fault: str, message: str = "", decision: int = -1, ticks: int = 0) -> None:
        """Note what a simulated network or a faulty agent did."""
        self._outbox.append(FaultInjected(self.now, seat, fault, message, decision, ticks))

    def agent_failed(self, seat: int, error: str) -> None:
        """Note that the agent of a seat raised, was cancelled or exited."""
        self._outbox.append(AgentFailed(self.now, seat, self.holders[seat], error))

    def change_seat(self, seat: int, holder: str, reason: str) -> None:
        """Give a seat to another agent."""
        if not 0 <= seat < len(self.holders):
            raise SchedulerError(seat=seat, tick=self.now, problem="there is no such seat")
        self._outbox.append(SeatChanged(self.now, seat, holder, self.holders[seat], reason))
        self.holders[seat] = holder

    def tick(self) -> None:
        """Pop one primitive action a seat, step the game, judge what ended."""
        execution, outbox = self._execution, self._outbox
        now = execution.now
        if self._ended:
            raise SchedulerError(seat=-1, tick=now, problem="the episode has ended, and cannot go on")
        execution.step()
        outbox.append(Stepped(now, execution.joint, execution.rewards, execution.events))
        total = self._totals[-1]
        for seat, reward in enumerate(execution.rewards):
            if reward:
                self.returns[seat] += reward
                total += reward
        self._totals.append(total)
        for seat, run, outcome in execution.judge():
            outbox.append(OptionEnded(now, seat, run.instance.key, outcome, now + 1 - run.started))

    def end(self, reason: str) -> None:
        """Close what is open, cut off what runs, and write the last event."""
        if self._ended:
            raise SchedulerError(seat=-1, tick=self.now, problem="the episode has ended already")
        self._ended = True
        for seat, offer in enumerate(self._offers):
            if offer is not None:
                self.lapse(seat, "cancelled")
        now = self.now
        for seat, run in enumerate(self._execution.runs):
            if run is not None:
                self._outbox.append(OptionEnded(now, seat, run.instance.key, "cancelled", now - run.started))
                self._execution.runs[seat] = None
        self._outbox.append(EpisodeEnded(now, reason, tuple(self.returns)))

    def facts(self) -> F:
        """Return the state of this tick."""
        return self._execution.facts

    def doing(self, seat: int) -> tuple[str, bool]:
        """Return the key of the seat's latest option, empty before its first, and whether it is under way."""
        recent = self._recent[seat]
        return recent[-1] if recent else "", self._execution.runs[seat] is not None

    def _begin(self, offer: Offer, index: int, event: Event) -> None:
        """Begin an entry of an open menu; `event` says how the offer ended."""
        seat, chosen = offer.seat, offer.menu.entries[index]
        run = self._execution.start(seat, self.library.by_name[chosen.option], chosen)
        self._offers[seat] = None
        self._recent[seat] = (*self._recent[seat][1 - OPTIONS_KEPT :], chosen.key)
        self._outbox.append(event)
        self._outbox.append(OptionStarted(self.now, seat, chosen.key, run.left))

    def _open(self, seat: int) -> Offer:
        offer = self._offers[seat] if 0 <= seat < len(self._offers) else None
        if offer is None:
            raise SchedulerError(seat=seat, tick=self.now, problem="was answered for, but has no open offer")
        return offer
