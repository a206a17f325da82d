"""The async driver: scheduler, seats, bus and pace make one episode.

In every tick: the scheduler opens offers, each goes over the bus to its seat's
player, answers come back over the bus until the pace's deadline, and are settled
in seat order whatever order they came in; then the world takes its step. What
happened goes out as events, in the scheduler's order.

Where the world waits for answers, an offer ends with its tick; where it does not,
an unanswered offer stays open until its seat's deadline, and a rejected one is put to
its agent again. In virtual time offers and answers cross a simulated network.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from operator import attrgetter
from typing import Any

import anyio
import structlog
from anyio.lowlevel import checkpoint

from hocket.runtime.actor import Group
from hocket.runtime.bus import Bus
from hocket.runtime.clock import Clock
from hocket.runtime.errors import BusError, EpisodeError, HocketError
from hocket.runtime.mailbox import Mailbox
from hocket.runtime.network import Network
from hocket.runtime.pace import Pace, Simulated
from hocket.runtime.player import Answer, Player, Together
from hocket.runtime.policy import Agent, Chooser, Offer
from hocket.runtime.result import Result, result
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Seats
from hocket.runtime.spoiled import Spoiled

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
        self._again = [each for each in map(scheduler.open_offer, range(len(seats))) if each is not None]
        """Offers to be asked about again, each once; at first, those that were open before this driver came."""
        self._midway = bool(self._again)
        """Whether the first tick has begun already, and its offers are made."""
        self._network = Network(pace.faults, clock, scheduler.fault_injected) if isinstance(pace, Simulated) else None
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
        scheduler, seats = self.scheduler, self.seats
        self.clock.run(until=scheduler.now)
        for seat in seats.change_hands(scheduler, midway=self._network is None):
            self._drop(players[seat])
            offer = scheduler.open_offer(seat)
            if offer is not None and offer not in self._again:
                self._again.append(offer)
        asked = [each for each in self._again if scheduler.open_offer(each.seat) is each]
        asked += [] if self._midway else scheduler.due()
        self._midway = False
        self._again = []
        await self._publish()
        if self._network is None:
            self._ask([(offer, seats.holder(offer.seat).agent) for offer in asked], players)
            came = await self._collect(answers, self._unanswered())
        else:
            came = await self._cross(self._network, asked, answers, players)
        for answer in came:
            self._settle(answer)
        for seat, player in enumerate(players):
            if self.pace.waits and scheduler.open_offer(seat) is not None:
                self._drop(player)
                seats.time_out(scheduler, seat)
        for seat in seats.keep_contracts(scheduler):
            self._drop(players[seat])
        await self.pace.begin(scheduler.now)
        scheduler.tick()
        await self._publish()

    def _settle(self, answer: Answer) -> None:
        """Apply an answer to the offer that it is to; one that comes too late is only noted."""
        scheduler, seat = self.scheduler, answer.seat
        offer = scheduler.open_offer(seat)
        if offer is None or offer.decision != answer.decision:
            if 0 <= answer.decision < scheduler.decisions[seat]:
                self.seats.settle_late(scheduler, seat, answer.decision, answer.choice)
            return
        self.seats.settle(scheduler, seat, answer.choice, closing=self.pace.waits)
        never = isinstance(answer.choice, Spoiled) and not answer.choice.after
        if scheduler.open_offer(seat) is offer and not never and offer not in self._again:
            self._again.append(offer)

    async def _cross(
        self, network: Network, asked: Sequence[Offer], answers: Mailbox[Answer], players: Sequence[Player]
    ) -> list[Answer]:
        """Send offers over the network, ask agents whose offers arrive, and return the answers that have come back.

        The fallback stands beside the runtime: what passes between the two crosses no network.
        """
        self.clock.catch_up()
        beside: list[tuple[Offer, Agent]] = []
        for offer in asked:
            agent = self.seats.holder(offer.seat).agent
            if self.seats.relieved(offer.seat):
                beside.append((offer, agent))
            else:
                network.offer(offer, agent)
        came = await self._answered(beside, answers, players)
        self.clock.catch_up()
        while arrived := network.take_offers():
            for answer in await self._answered(arrived, answers, players):
                self._send_back(network, answer)
            self.clock.catch_up()
        return sorted(came + network.take_answers(), key=attrgetter("seat"))

    async def _answered(
        self, asked: Sequence[tuple[Offer, Agent]], answers: Mailbox[Answer], players: Sequence[Player]
    ) -> list[Answer]:
        """Ask agents and wait for them; one that is not done by the deadline is dropped."""
        missing = {(offer.seat, offer.decision) for offer, _ in asked}
        self._ask(asked, players)
        came = await self._collect(answers, missing)
        for seat, _ in sorted(missing):
            self._drop(players[seat])
        return came

    def _send_back(self, network: Network, answer: Answer) -> None:
        """Send an answer back, in as many copies as its agent sends."""
        sent = answer.choice
        if not isinstance(sent, Spoiled):
            network.answer(answer)
            return
        late = max(sent.after, default=0)
        self.scheduler.fault_injected(answer.seat, sent.fault, "choice", answer.decision, late)
        for after in sent.after:
            network.answer(Answer(answer.seat, answer.decision, sent.answer), after)

    def _ask(self, asked: Sequence[tuple[Offer, Agent]], players: Sequence[Player]) -> None:
        """Post all offers of a tick before anything else can happen."""
        tables: dict[int, Together] = {}
        for offer, agent in asked:
            together = None
            if isinstance(agent, Chooser):
                together = tables.get(id(agent))
                if together is None:
                    together = tables[id(agent)] = Together(agent, sum(each is agent for _, each in asked))
            players[offer.seat].agent, players[offer.seat].together = agent, together
        for offer, _ in asked:
            self.bus.post(offer)

    async def _collect(self, answers: Mailbox[Answer], missing: set[tuple[int, int]]) -> list[Answer]:
        """Take answers until none is missing or the deadline has come; return them in seat order.

        An answer that was given in time counts, also where another agent kept the loop from passing it on.
        """
        came: list[Answer] = []
        with anyio.move_on_at(self.pace.deadline(self.scheduler.now)):
            while missing:
                came.append(await answers.receive())
                missing.discard((came[-1].seat, came[-1].decision))
        if missing:
            await checkpoint()
            came += answers.take_all()
        return sorted(came, key=attrgetter("seat"))

    def _unanswered(self) -> set[tuple[int, int]]:
        offers = [self.scheduler.open_offer(seat) for seat in range(len(self.seats))]
        return {(offer.seat, offer.decision) for offer in offers if offer is not None}

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
