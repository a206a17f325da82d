"""The async driver: scheduler, seats, bus and pace make one episode.

In every tick: the scheduler opens offers, each goes over the bus to its seat's
player, answers come back over the bus until the pace's deadline, and are settled
in seat order whatever order they came in; then the world takes its step. What
happened goes out as events, in the scheduler's order.

Where the world waits for answers, an offer ends with its tick; where it does not,
an unanswered offer stays open, and a rejected one is put to its agent again.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import anyio
import structlog
from anyio.lowlevel import checkpoint

from hocket.runtime.actor import Group
from hocket.runtime.bus import Bus
from hocket.runtime.clock import Clock
from hocket.runtime.errors import BusError, EpisodeError, HocketError
from hocket.runtime.mailbox import Mailbox
from hocket.runtime.pace import Pace
from hocket.runtime.player import Answer, Player, Together
from hocket.runtime.policy import Chooser, Offer
from hocket.runtime.result import Result, result
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Seats

_GRACE = 0.5
"""Seconds of wall time that a dropped agent has to let go before it is left behind, and that
subscribers have for the last events of an episode that failed or was interrupted."""

_log = structlog.get_logger(__name__)


class Episode:
    """One live episode."""

    def __init__(self, scheduler: Scheduler[Any], seats: Seats, bus: Bus, pace: Pace, *, clock: Clock) -> None:
        """Put the parts together.

        Args:
            scheduler: at the start of an episode.
            seats: who holds each seat.
            bus: carries offers, answers and events; the caller subscribes and stops it.
            pace: when a tick may begin.
            clock: is kept at the scheduler's tick.
        """
        self.scheduler, self.seats, self.bus, self.pace, self.clock = scheduler, seats, bus, pace, clock
        self.left_behind: set[asyncio.Task[object]] = set()
        """Agents' tasks that ignored their cancellation."""
        self._dropped: set[asyncio.Task[object]] = set()
        self._rejected: list[Offer] = []
        self._cut = False

    async def run(self) -> Result:
        """Play to the end.

        Raises:
            HocketError: bus, game, options or scheduler failed; the events so far are published.
        """
        answers = self.bus.subscribe(Answer, name="episode", capacity=4 * len(self.seats), overflow="fail")
        players = [Player(seat, self.seats, self.bus) for seat in range(len(self.seats))]
        try:
            async with Group() as group:
                for player in players:
                    group.start(player.actor)
                await self._play(answers, players)
                group.cancel()
        finally:
            answers.close()
            for player in players:
                self._drop(player)
            await self._let_go()
        return result(self.scheduler)

    async def _play(self, answers: Mailbox[Answer], players: Sequence[Player]) -> None:
        reason = "failed"
        try:
            while self.scheduler.now < self.scheduler.steps:
                await self._tick(answers, players)
            reason = "horizon"
        except asyncio.CancelledError:
            reason = "interrupted"
            raise
        except HocketError:
            raise
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
            raise EpisodeError(part="scheduler", tick=self.scheduler.now, problem=problem) from error
        finally:
            self.scheduler.end(reason)
            if reason == "horizon":
                await self._publish()
            elif not self._cut:
                with anyio.move_on_after(_GRACE, shield=True), suppress(BusError):
                    await self._publish()

    async def _tick(self, answers: Mailbox[Answer], players: Sequence[Player]) -> None:
        scheduler = self.scheduler
        self.clock.run(until=scheduler.now)
        asked = self._rejected + scheduler.due()
        self._rejected = []
        await self._publish()
        self._ask(asked, players)
        came = await self._collect(answers)
        for seat, player in enumerate(players):
            offer = scheduler.open_offer(seat)
            if offer is None:
                continue
            if seat in came:
                self.seats.settle(scheduler, seat, came[seat], closing=self.pace.waits)
                self._rejected += [offer] if scheduler.open_offer(seat) is offer else []
            elif self.pace.waits:
                self._drop(player)
                scheduler.lapse(seat, "timeout")
        await self.pace.begin(scheduler.now)
        scheduler.tick()
        await self._publish()

    def _ask(self, offers: Sequence[Offer], players: Sequence[Player]) -> None:
        """Post all offers of a tick before anything else can happen."""
        tables: dict[int, Together] = {}
        agents = [self.seats.holder(offer.seat).agent for offer in offers]
        for offer, agent in zip(offers, agents, strict=True):
            together = None
            if isinstance(agent, Chooser):
                together = tables.get(id(agent))
                if together is None:
                    together = tables[id(agent)] = Together(agent, sum(each is agent for each in agents))
            players[offer.seat].together = together
        for offer in offers:
            self.bus.post(offer)

    async def _collect(self, answers: Mailbox[Answer]) -> dict[int, object]:
        """Take answers to open offers until all are there or the deadline has come.

        An answer that was given in time counts, also where another agent kept the loop from passing it on.
        """
        came: dict[int, object] = {}
        missing = self._unanswered()
        with anyio.move_on_at(self.pace.deadline(self.scheduler.now)):
            while missing:
                _keep(await answers.receive(), missing, came)
        if missing:
            await checkpoint()
            for answer in answers.take_all():
                _keep(answer, missing, came)
        return came

    def _unanswered(self) -> dict[int, int]:
        offers = [self.scheduler.open_offer(seat) for seat in range(len(self.seats))]
        return {offer.seat: offer.decision for offer in offers if offer is not None}

    async def _publish(self) -> None:
        """Hand on what has happened; a mailbox that fails does not keep the rest from the others.

        A cancellation may leave a full mailbox without an event; nothing may follow such a gap.
        """
        failed: BusError | None = None
        for event in self.scheduler.take():
            try:
                await self.bus.publish(event)
            except BusError as error:
                failed = failed or error
            except asyncio.CancelledError:
                self._cut = True
                raise
        if failed is not None:
            raise failed

    def _drop(self, player: Player) -> None:
        task = player.drop()
        if task is not None:
            self._dropped.add(task)
            task.add_done_callback(self._dropped.discard)

    async def _let_go(self) -> None:
        """Give dropped agents a moment to end; leave those behind that do not.

        One that is left behind is no task of the loop's any more, so that the end of the loop does
        not wait for it. (The end of the process still would: see `hocket play`.)
        """
        if self._dropped:
            with anyio.CancelScope(shield=True):
                _, self.left_behind = await asyncio.wait(self._dropped, timeout=_GRACE)
        if self.left_behind:
            _log.warning("agents that ignore their cancellation are left behind", tasks=len(self.left_behind))
        for task in self.left_behind:
            asyncio._unregister_task(task)


def _keep(answer: Answer, missing: dict[int, int], came: dict[int, object]) -> None:
    """Sort an answer in, unless it is to an offer that is not open any more."""
    if missing.get(answer.seat) == answer.decision:
        del missing[answer.seat]
        came[answer.seat] = answer.choice
