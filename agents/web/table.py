"""A table: one game, its seats, and whoever has come to play or to watch.

Episodes are played at live pace, one after the other, each on its own trace. One begins
once everybody who is awaited is there. Whoever leaves keeps the seat for the grace time,
standing still; then the fallback holds it until they are back.
"""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Literal

import msgspec
import structlog

from hocket.agents.web.audience import Audience
from hocket.agents.web.door import Door
from hocket.agents.web.line import Line
from hocket.agents.web.messages import (
    Again,
    Choose,
    Ended,
    Over,
    Pause,
    Place,
    Refused,
    Said,
    Seen,
    Started,
    State,
    SwapSeat,
    encode,
)
from hocket.agents.web.offered import offered
from hocket.agents.web.plan import AWAITED, Plan, welcome
from hocket.agents.web.scenes import scenes_of
from hocket.replays.recorder import RECORDED, Recorder
from hocket.replays.trace import Terms, make_header
from hocket.replays.writer import TraceWriter
from hocket.runtime.actor import Actor, Group
from hocket.runtime.bus import Bus
from hocket.runtime.clock import Clock
from hocket.runtime.contract import Contract
from hocket.runtime.episode import Episode
from hocket.runtime.errors import HocketError, UsageError
from hocket.runtime.events import EpisodeStarted, Event, OfferLapsed, OptionChosen, OptionStarted, SeatChanged, Stepped
from hocket.runtime.pace import Live
from hocket.runtime.pausable import Pausable
from hocket.runtime.policy import Offer
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats
from hocket.runtime.swap import Swap

FRESH = 3.0
"""Seconds for which an offer to somebody outside is open: after that it lapses, and the next one is of the world as it
is then."""
Phase = Literal["waiting", "playing", "paused", "over"]
_log = structlog.get_logger(__name__)


class Table:
    """Plays, tells, and listens."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.phase: Phase = "waiting"
        self.played = 0
        """Episodes that are over."""
        self.links: dict[str, str] = {}
        """Paths that the host may hand on; set by the server, which draws them."""
        self._scenes = scenes_of(plan.game)
        self._doors = {seat: Door(name, partial(self.offered, seat)) for seat, name in plan.outside.items()}
        self._audience = Audience()
        self._moved = asyncio.Event()
        self._again = False
        self._tasks: set[asyncio.Future[None]] = set()
        self._scheduler: Scheduler[Any] | None = None
        self._seats: Seats | None = None
        self.pace: Pausable | None = None
        self._over: bytes = b""

    async def run(self) -> None:
        """Play one episode after the other, until cancelled."""
        while True:
            self.phase = "waiting"
            self._show()
            await self._until(self._everybody)
            try:
                await self._episode(self.plan.seed + self.played)
            except HocketError as error:
                _log.warning("an episode has failed", game=self.plan.game.spec.name, error=str(error))
                self._audience.tell(encode(Refused(f"the episode has failed: {error}")))
            self.played += 1
            self.phase = "over"
            self._again = False
            self._show()
            await self._until(lambda: self._again)

    def enter(self, line: Line) -> str | None:
        """Let somebody in; return why not, where they cannot come."""
        door = None if line.seat is None else self._doors[line.seat]
        if door is not None:
            if door.line is not None:
                return "this seat is taken on another page"
            door.line = line
            self._back(line.seat, door)
        self._audience.lines.append(line)
        line.send(encode(welcome(self.plan, line.role, line.seat, self._scenes.map, self.links)))
        self._audience.catch_up(line)
        if self._over:
            line.send(self._over)
        if door is not None and door.outside.offer is not None:
            line.send(self._offer(door.outside.offer))
        self._moved.set()
        self._show()
        return None

    def leave(self, line: Line) -> None:
        """Note that a connection is gone; its seat is kept for the grace time."""
        self._audience.lines.remove(line)
        if line.seat is not None and self._doors[line.seat].line is line:
            door = self._doors[line.seat]
            door.line = None
            loop = asyncio.get_running_loop()
            door.leaving = loop.call_later(self.plan.grace, self._relieve, line.seat, door)
        self._show()

    def hear(self, line: Line, said: Said) -> str | None:
        """Do what a client says; return what is wrong with it, where nothing has come of it."""
        match said:
            case Choose():
                door = None if line.seat is None else self._doors[line.seat]
                return "only a seat can choose" if door is None else door.outside.answer(said.decision, said.index)
            case _ if line.role == "watcher":
                return "whoever watches can do nothing else"
            case Pause():
                return self._hold(said.paused)
            case Again():
                return self._ask_again()
            case SwapSeat():
                return self._swap(line, said)

    def offered(self, seat: int, offer: Offer | None) -> None:
        """Pass an open offer on to whoever holds the seat."""
        line = self._doors[seat].line
        if offer is not None and line is not None:
            line.send(self._offer(offer))

    def _everybody(self) -> bool:
        return all(door.line is not None for door in self._doors.values())

    async def _until(self, held: Callable[[], bool]) -> None:
        while not held():
            self._moved.clear()
            await self._moved.wait()

    async def _episode(self, seed: int) -> None:
        plan = self.plan
        cast = {seat: await self._cast(name, seat) for seat, name in plan.agents.items()}
        fallback = await self._cast(plan.fallback, 0)
        holders = [cast[seat] if seat in cast else self._doors[seat].holder for seat in range(plan.game.seats)]
        length: dict[str, Any] = {"seed": seed, "steps": plan.steps, "starts": plan.starts, "guards": plan.guards}
        names = [holder.name for holder in holders]
        fresh = Contract(deadline=max(2, round(FRESH * plan.hz)))
        contracts = tuple(fresh if seat in self._doors else Contract() for seat in range(plan.game.seats))
        terms = Terms("live", contracts, plan.fallback)
        header = make_header(plan.game, plan.library, seats=names, terms=terms, **length)
        scheduler = Scheduler(plan.game, plan.library, holders=names, **length)
        writer = TraceWriter(plan.traces(seed), header)
        seats, pace = Seats(holders, fallback, contracts), Pausable(Live(plan.hz))
        self._scheduler, self._seats, self.pace, self._over = scheduler, seats, pace, b""
        self._audience.begin()
        self._audience.narrate(encode(Started(msgspec.Raw(msgspec.json.encode(header)))))
        self.phase = "playing"
        clock = Clock()
        bus = Bus(clock)
        try:
            heard = bus.subscribe(RECORDED, name="table", capacity=1024, overflow="wait")
            episode = Episode(scheduler, seats, bus, pace, clock=clock)
            async with Group() as group:
                group.start(Recorder(bus, writer).actor)
                group.start(Actor(heard, self._pass_on))
                try:
                    await episode.run()
                finally:
                    await asyncio.shield(bus.stop())
        finally:
            writer.close()
            self._seats = None
            returns = tuple(scheduler.returns)
            self._over = encode(Over(sum(returns), returns, writer.path.name))
            self._audience.tell(self._over)

    async def _cast(self, name: str, seat: int) -> Holder:
        """Make an agent in a thread: a language model takes seconds to load, and the world does not wait."""
        return await asyncio.to_thread(self.plan.cast, name, seat)

    async def _pass_on(self, event: Event) -> None:
        self._audience.narrate(encode(Seen(event)))
        match event:
            case OptionChosen() | OfferLapsed() if event.seat in self._doors:
                line = self._doors[event.seat].line
                if line is not None:
                    line.send(encode(Ended(event.decision, "chosen" if isinstance(event, OptionChosen) else "lapsed")))
            case Stepped() | SeatChanged() | EpisodeStarted() | OptionStarted():
                self._show()
            case _:
                pass

    def _show(self) -> None:
        self._audience.show(lambda seat: encode(self._state(seat)))

    def _state(self, seat: int | None) -> State:
        scheduler, plan = self._scheduler, self.plan
        doors = self._doors
        places = []
        for each in range(plan.game.seats):
            here = doors[each].line is not None if each in doors else None
            name = doors[each].holder.name if each in doors else plan.agents.get(each, plan.fallback)
            doing, going = ("", False) if scheduler is None else scheduler.doing(each)
            places.append(Place(name if scheduler is None else scheduler.holders[each], here, doing, going))
        if scheduler is None:
            facts, tick, returns = plan.game.facts(), 0, (0.0,) * plan.game.seats
        else:
            facts, tick, returns = scheduler.facts(), scheduler.now, tuple(scheduler.returns)
        return State(self.phase, tick, sum(returns), returns, tuple(places), self._scenes.scene(facts, seat))

    def _offer(self, offer: Offer) -> bytes:
        facts = self.plan.game.facts() if self._scheduler is None else self._scheduler.facts()
        return encode(offered(self.plan, facts, offer))

    def _hold(self, paused: bool) -> str | None:
        if self.pace is None or self.phase not in ("playing", "paused"):
            return "there is no episode to be paused"
        (self.pace.pause if paused else self.pace.resume)()
        self.phase = "paused" if paused else "playing"
        self._show()
        return None

    def _ask_again(self) -> str | None:
        if self.phase != "over":
            return "an episode is under way"
        self._again = True
        self._moved.set()
        return None

    def _swap(self, line: Line, said: SwapSeat) -> str | None:
        if line.role != "host":
            return "only the host can give a seat to somebody else"
        if self._seats is None or self._scheduler is None:
            return "there is no episode under way"
        if not 0 <= said.seat < self.plan.game.seats:
            return f"there is no seat {said.seat}"
        self._begin(self._give(line, said.seat, said.agent))
        return None

    async def _give(self, line: Line, seat: int, name: str) -> None:
        """Give a seat to whom the host names; it is theirs until the host says otherwise."""
        door = self._doors.get(seat)
        try:
            holder = door.holder if door is not None and name in AWAITED else await self._cast(name, seat)
        except UsageError as error:
            line.send(encode(Refused(str(error))))
            return
        if door is not None:
            door.away = False
        self._plan_swap(seat, holder)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _plan_swap(self, seat: int, holder: Holder) -> None:
        if self._seats is not None and self._scheduler is not None:
            self._seats.plan(Swap(self._scheduler.now, seat, holder.name, holder.agent, holder.adapter))

    def _relieve(self, seat: int, door: Door) -> None:
        """Call for the fallback, where whoever has left still holds the seat."""
        door.leaving = None
        if door.line is None and self._seats is not None and self._seats.holder(seat).agent is door.outside:
            door.away = True
            self._begin(self._relieved(seat, door))

    async def _relieved(self, seat: int, door: Door) -> None:
        holder = await self._cast(self.plan.fallback, seat)
        if door.away:
            self._plan_swap(seat, holder)

    def _back(self, seat: int | None, door: Door) -> None:
        if door.leaving is not None:
            door.leaving.cancel()
            door.leaving = None
        if door.away and seat is not None:
            door.away = False
            self._plan_swap(seat, door.holder)
