"""The tight driver: one or many episodes, tick by tick, without a bus or a loop.

K rollouts advance together, so that whatever is due in any of them on one tick
reaches a shared chooser as one batch. Used for burn-in, training and tests; the
trace is the one that the async episode leaves.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from operator import itemgetter
from typing import Any, cast

from hocket.runtime.errors import SettingError
from hocket.runtime.events import Event
from hocket.runtime.fault import ask
from hocket.runtime.policy import Chooser, Offer
from hocket.runtime.result import Result, result
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Seats


class Rollout:
    """One episode in the hands of the synchronous driver."""

    def __init__(
        self, scheduler: Scheduler[Any], seats: Seats, sink: Callable[[Sequence[Event]], object] | None = None
    ) -> None:
        """Put a scheduler and its seats together.

        Args:
            scheduler: of the episode, at its start, or with open offers; those are asked first.
            seats: all held by choosers.
            sink: called with the events of each tick, in order.

        Raises:
            SettingError: a seat is held by an agent that answers in its own time.
        """
        for seat in range(len(seats)):
            holder = seats.holder(seat)
            if not isinstance(holder.agent, Chooser):
                right = "a Chooser, which answers at once"
                raise SettingError(setting=f"agent of seat {seat} in a rollout", value=holder.name, right=right)
        self.scheduler, self.seats, self.sink = scheduler, seats, sink
        self.open = [offer for offer in map(scheduler.open_offer, range(len(seats))) if offer is not None]
        """Offers of this tick that were made before this driver came."""

    def result(self) -> Result:
        """Return what has come of it so far."""
        return result(self.scheduler)


def play(rollouts: Sequence[Rollout]) -> list[Result]:
    """Play rollouts to their ends, all of them advancing by one tick at a time.

    Raises:
        HocketError: the game, the options or the scheduler of one of them failed; those that
            were not over have ended with it, on the record.
    """
    going = _end_those_over(rollouts)
    while going:
        try:
            _advance(going)
        except BaseException as error:
            for rollout in going:
                with suppress(Exception):  # what failed first is what is told; the others get their end all the same
                    rollout.scheduler.end("failed" if isinstance(error, Exception) else "interrupted")
                    _hand_over(rollout)
            raise
        going = _end_those_over(going)
    return [rollout.result() for rollout in rollouts]


def _end_those_over(rollouts: Sequence[Rollout]) -> list[Rollout]:
    going = []
    for rollout in rollouts:
        if rollout.scheduler.now < rollout.scheduler.steps:
            going.append(rollout)
        else:
            rollout.scheduler.end("horizon")
            _hand_over(rollout)
    return going


def _advance(rollouts: Sequence[Rollout]) -> None:
    asked: dict[int, tuple[Chooser, list[Offer], list[Rollout]]] = {}
    for rollout in rollouts:
        if not rollout.open:
            rollout.seats.change_hands(rollout.scheduler, midway=False)
        fresh, rollout.open = rollout.open or rollout.scheduler.due(), []
        for offer in fresh:
            chooser = cast(Chooser, rollout.seats.holder(offer.seat).agent)
            _, offers, owners = asked.setdefault(id(chooser), (chooser, [], []))
            offers.append(offer)
            owners.append(rollout)
    answers = [
        (offer.seat, rollout, answer)
        for chooser, offers, owners in asked.values()
        for rollout, offer, answer in zip(owners, offers, ask(chooser, offers), strict=True)
    ]
    if len(asked) > 1:
        answers.sort(key=itemgetter(0))
    for seat, rollout, answer in answers:
        rollout.seats.settle(rollout.scheduler, seat, answer, closing=True)
    for rollout in rollouts:
        rollout.seats.keep_contracts(rollout.scheduler)
        rollout.scheduler.tick()
        _hand_over(rollout)


def _hand_over(rollout: Rollout) -> None:
    events = rollout.scheduler.take()
    if rollout.sink is not None:
        rollout.sink(events)
