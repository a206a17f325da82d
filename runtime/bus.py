"""Typed publish and subscribe, with an account of every message.

A message is any object. It goes to the mailboxes subscribed to its class or to a
class above it, and where a mailbox is bound to a seat, only if that is the
message's `seat`. Publishing puts a message into all of its mailboxes at once,
before anything else can happen: every mailbox sees the messages in the one order
in which they were published. What a full mailbox does is its own policy:

    wait            the publisher is suspended until its message has moved up
    drop_oldest     the oldest waiting message becomes a dead letter
    fail            the new message becomes a dead letter, the publisher gets a BusError

A policy touches its own mailbox only: the others have the message in any case.
Whatever reaches nobody is a dead letter with a reason (see `ledger.py`), and is
announced as a `MessageDead` to those who subscribe to it and have room; an
announcement never waits, displaces, fails or is announced itself. Nothing is
announced after the stop.
"""

import asyncio
import math
from typing import NamedTuple, TypeAlias, TypeVar, cast

import anyio

from hocket.runtime.clock import Clock
from hocket.runtime.errors import BusError, SettingError
from hocket.runtime.events import MessageDead
from hocket.runtime.ledger import Counts, DeadLetter, Ledger
from hocket.runtime.mailbox import Mailbox, Overflow

M = TypeVar("M")


_Suspended: TypeAlias = "tuple[Mailbox[object], asyncio.Future[None]]"


class _Route(NamedTuple):
    """Where messages of one class go, in the order of subscription."""

    unbound: tuple[Mailbox[object], ...]
    seats: dict[object, tuple[Mailbox[object], ...]]
    """For each seat that a mailbox is bound to: its own mailboxes, and the unbound ones."""


class _Subscription(NamedTuple):
    kinds: tuple[type, ...]
    seat: int | None
    mailbox: Mailbox[object]


class Bus:
    """The one way from a publisher to a receiver."""

    def __init__(self, clock: Clock | None = None, *, keep: int = 256) -> None:
        """Open a bus.

        Args:
            clock: says at which tick a message died; by default one that stands at 0.
            keep: how many dead letters to keep in full.
        """
        self._clock = clock or Clock()
        self._ledger = Ledger(self._announce, keep=keep)
        self._subscriptions: list[_Subscription] = []
        self._routes: dict[type, _Route] = {}
        self._stopped = False
        self._moved = asyncio.Event()
        self._stoppers: list[asyncio.Task[object] | None] = []

    @property
    def stopped(self) -> bool:
        """Whether the bus has stopped taking messages."""
        return self._stopped

    @property
    def dead_letters(self) -> tuple[DeadLetter, ...]:
        """The last dead letters, oldest first."""
        return tuple(self._ledger.last)

    def counts(self) -> Counts:
        """How many deliveries there were so far, and where they are."""
        waiting = sum(subscription.mailbox.waiting for subscription in self._subscriptions)
        return Counts(self._ledger.deliveries, self._ledger.received, waiting, dict(self._ledger.dead))

    def overfull(self) -> tuple[str, ...]:
        """Names of mailboxes in which more waits than they hold, those of suspended publishers apart: always none."""
        return tuple(each.mailbox.name for each in self._subscriptions if each.mailbox.overfull)

    def subscribe(
        self,
        kinds: type[M] | tuple[type[M], ...],
        *,
        name: str,
        capacity: int,
        overflow: Overflow,
        seat: int | None = None,
    ) -> Mailbox[M]:
        """Open a mailbox for messages of some classes.

        Args:
            kinds: the classes, or classes that they derive from.
            name: what dead letters call it; no two open mailboxes have one name.
            capacity: how many messages may wait in it.
            overflow: what happens to the message that is one too many.
            seat: take only messages whose `seat` is this.

        Raises:
            BusError: the bus has stopped.
            SettingError: a name that is taken, no capacity, an unknown policy.
        """
        if self._stopped:
            raise BusError(message="a subscription", mailbox=name, problem="the bus has stopped")
        if any(subscription.mailbox.name == name for subscription in self._subscriptions):
            raise SettingError(setting="name of a mailbox", value=name, right="one that no open mailbox has")
        mailbox: Mailbox[M] = Mailbox(
            name=name, capacity=capacity, overflow=overflow, ledger=self._ledger, left=self._leave
        )
        wanted = kinds if isinstance(kinds, tuple) else (kinds,)
        self._subscriptions.append(_Subscription(wanted, seat, cast(Mailbox[object], mailbox)))
        self._routes.clear()
        return mailbox

    def post(self, message: object) -> int:
        """Publish a message without waiting, so that any number can be posted as one.

        Returns:
            How many mailboxes took it; where it is 0, the message is a dead letter.

        Raises:
            BusError: a mailbox was full whose policy is to fail, or to wait.
        """
        mailboxes = self._mailboxes(message)
        full = [mailbox for mailbox in mailboxes if not mailbox.offer(message)]
        if full:
            _, error = self._overflow(message, full, may_wait=False)
            if error is not None:
                raise error
        return len(mailboxes)

    async def publish(self, message: object) -> None:
        """Publish a message; suspended only while a mailbox is full whose policy is to wait.

        Where the publisher is cancelled, the message is withdrawn from mailboxes in which
        it has not moved up. The stop, and closing the mailbox, let it go on.

        Raises:
            BusError: a mailbox was full whose policy is to fail.
        """
        full = [mailbox for mailbox in self._mailboxes(message) if not mailbox.offer(message)]
        if full:
            suspended, error = self._overflow(message, full, may_wait=True)
            try:
                for _, future in suspended:
                    await future
            except BaseException:
                for mailbox, future in suspended:
                    mailbox.withdraw(future)
                raise
            if error is not None:
                raise error

    async def stop(self, grace: float = 5.0) -> None:
        """Take no further message, and let receivers finish what they have.

        Suspended publishers go on at once: their messages were published before the stop,
        and are delivered. Then it waits until nothing waits and no actor has a message in
        hand. What is left when the grace is over, or when the stop itself is cancelled,
        becomes dead letters, and actors still busy are cancelled. It may be called twice, by
        several tasks, and from inside a handler, which cannot wait for itself: its mailbox is
        drained after it has returned.

        Args:
            grace: how long receivers may take, in seconds of wall time.

        Raises:
            SettingError: the grace is negative, or not finite.
        """
        if not 0 <= grace < math.inf:
            raise SettingError(setting="grace", value=grace, right="a finite number of seconds, 0 or more")
        self._close_doors()
        me = asyncio.current_task()
        inside = any(subscription.mailbox.server is me for subscription in self._subscriptions)
        self._stoppers += [me] if inside else []
        try:
            with anyio.move_on_after(grace):
                while self._busy(inside):
                    self._moved.clear()
                    await self._moved.wait()
        finally:
            for mailbox in self._busy(inside):
                mailbox.cut_off()
            if inside:
                self._stoppers.remove(me)

    def _close_doors(self) -> None:
        if not self._stopped:
            self._stopped = True
            self._routes.clear()
            for subscription in self._subscriptions:
                subscription.mailbox.end(self._moved.set)

    def _busy(self, inside: bool) -> list[Mailbox[object]]:
        """The mailboxes that a stop waits for; one from a handler waits for no handler that waits for the stop."""
        excused = self._stoppers if inside else []
        mailboxes = [subscription.mailbox for subscription in self._subscriptions]
        return [each for each in mailboxes if not each.quiet and each.server not in excused]

    def _mailboxes(self, message: object) -> tuple[Mailbox[object], ...]:
        """Where a message goes, counted; a message that nobody wants is buried here."""
        route = self._routes.get(type(message)) or self._find_route(type(message))
        mailboxes = route.unbound
        if route.seats:
            mailboxes = route.seats.get(getattr(message, "seat", None), mailboxes)
        self._ledger.deliveries += len(mailboxes) or 1
        if not mailboxes:
            self._ledger.bury(message, "", "after the stop" if self._stopped else "no subscriber")
        return mailboxes

    def _find_route(self, kind: type) -> _Route:
        wanted = [] if self._stopped else [each for each in self._subscriptions if issubclass(kind, each.kinds)]
        seats = dict.fromkeys(each.seat for each in wanted if each.seat is not None)
        route = _Route(
            tuple(each.mailbox for each in wanted if each.seat is None),
            {seat: tuple(each.mailbox for each in wanted if each.seat in (None, seat)) for seat in seats},
        )
        self._routes[kind] = route
        return route

    def _overflow(
        self, message: object, full: list[Mailbox[object]], *, may_wait: bool
    ) -> tuple[list[_Suspended], BusError | None]:
        """Apply each full mailbox's policy; the dead are buried once every mailbox has been seen to."""
        suspended: list[_Suspended] = []
        dropped: list[tuple[Mailbox[object], object]] = []
        refused: list[Mailbox[object]] = []
        for mailbox in full:
            if mailbox.overflow == "drop_oldest":
                dropped.append((mailbox, mailbox.displace(message)))
            elif mailbox.overflow == "wait" and may_wait:
                suspended.append((mailbox, mailbox.suspend(message)))
            else:
                refused.append(mailbox)
        for mailbox, oldest in dropped:
            self._ledger.bury(oldest, mailbox.name, "dropped oldest")
        for mailbox in refused:
            self._ledger.bury(message, mailbox.name, "mailbox full")
        return suspended, self._refusal(message, refused[0]) if refused else None

    def _refusal(self, message: object, mailbox: Mailbox[object]) -> BusError:
        why = "its policy is to fail" if mailbox.overflow == "fail" else "a post cannot wait"
        problem = f"the mailbox is full (capacity {mailbox.capacity}), and {why}"
        return BusError(message=type(message).__name__, mailbox=mailbox.name, problem=problem, tick=self._clock.now)

    def _announce(self, letter: DeadLetter) -> None:
        """Tell those who want to know, unless they have no room; MessageDead itself is only counted."""
        if isinstance(letter.message, MessageDead):
            return
        route = self._routes.get(MessageDead) or self._find_route(MessageDead)
        if route.unbound:
            reason = f"{letter.reason}: {letter.detail}" if letter.detail else letter.reason
            dead = MessageDead(self._clock.now, type(letter.message).__name__, letter.mailbox, reason)
            self._ledger.deliveries += len(route.unbound)
            for mailbox in route.unbound:
                if not mailbox.offer(dead):
                    self._ledger.bury(dead, mailbox.name, "mailbox full")

    def _leave(self, mailbox: Mailbox[M]) -> None:
        self._subscriptions = [each for each in self._subscriptions if each.mailbox is not mailbox]
        self._routes.clear()
