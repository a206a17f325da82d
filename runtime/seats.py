"""Who holds each seat, and what an answer of theirs does to the episode.

A seat is bound to an agent and can be bound to another at an option boundary. An
agent that raises, is cancelled or exits has failed: that is its seat's fault and
nobody else's, so the seat goes to the fallback and the episode goes on. A reply
that is no choice from the menu is rejected; the agent keeps its seat, unless its
contract says otherwise.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from hocket.runtime.contract import Contract, check_contract
from hocket.runtime.errors import SchedulerError, SettingError
from hocket.runtime.fault import Fault
from hocket.runtime.incident import Faults
from hocket.runtime.policy import Agent, Choice, NoChoice, misplaced, objection, receipt_of
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.spoiled import Spoiled, faulty
from hocket.runtime.swap import SWAP, Swap


class Holder(msgspec.Struct, frozen=True):
    """An agent under the name that the trace knows it by."""

    name: str
    agent: Agent
    adapter: str | None = None
    """Digest of the adapter that its receipts must name, empty for a base; None where they need not."""


def spoilt(holders: Sequence[Holder], faults: Faults | None) -> list[Holder]:
    """Return holders whose answers go wrong as `faults` says, if it is anything; seats still share their agent."""
    if faults is None:
        return list(holders)
    wrapped = {id(each.agent): faulty(each.agent, faults) for each in holders}
    return [msgspec.structs.replace(each, agent=wrapped[id(each.agent)]) for each in holders]


class Seats:
    """The holders of one episode."""

    def __init__(
        self, holders: Sequence[Holder], fallback: Holder, contracts: Sequence[Contract] | None = None
    ) -> None:
        """Seat the agents.

        Args:
            holders: who holds each seat, shape [seats].
            fallback: takes the seat of an agent that has failed, or missed too often.
            contracts: terms of each seat, shape [seats]; by default none.

        Raises:
            SettingError: not one contract a seat, or one that makes no sense.
        """
        self._holders, self._first = list(holders), list(holders)
        self._swaps: list[Swap] = []
        self._since = [0] * len(self._holders)
        self._fallback = fallback
        self._contracts = tuple(check_contract(each) for each in contracts or (Contract(),) * len(self._holders))
        if len(self._contracts) != len(self._holders):
            right = f"{len(self._holders)}, one a seat"
            raise SettingError(setting="number of contracts", value=len(self._contracts), right=right)
        self._bound = any(each != Contract() for each in self._contracts)
        self._missed = [0] * len(self._holders)
        self._relieved = [False] * len(self._holders)

    def __len__(self) -> int:
        return len(self._holders)

    @property
    def names(self) -> tuple[str, ...]:
        """Name of the agent in each seat."""
        return tuple(holder.name for holder in self._holders)

    def holder(self, seat: int) -> Holder:
        """Return who holds `seat` now."""
        return self._holders[seat]

    def relieved(self, seat: int) -> bool:
        """Whether the fallback has taken `seat`."""
        return self._relieved[seat]

    def since(self, seat: int) -> int:
        """Return the tick at which its holder took `seat`."""
        return self._since[seat]

    def bind(self, scheduler: Scheduler[Any], seat: int, holder: Holder, reason: str) -> None:
        """Give `seat` to another agent, on the record; it answers from the next offer on."""
        scheduler.change_seat(seat, holder.name, reason)
        self._holders[seat], self._since[seat], self._missed[seat] = holder, scheduler.now, 0
        self._relieved[seat] = False

    def plan(self, swap: Swap) -> None:
        """Have a seat change hands once it can; those that are due on one tick do so in the order of their plans."""
        self._swaps.append(swap)

    @property
    def planned(self) -> tuple[Swap, ...]:
        """Changes that have not come about yet."""
        return tuple(self._swaps)

    def change_hands(self, scheduler: Scheduler[Any], *, midway: bool) -> list[int]:
        """Carry out the swaps that are due, of seats that are between two options; before the offers of a tick.

        Args:
            scheduler: of the episode.
            midway: whether a seat whose offer is open changes hands as well, and its new holder is asked the same.

        Returns:
            The seats whose open offer is now for another agent.
        """
        asked_anew: list[int] = []
        for swap in [swap for swap in self._swaps if scheduler.now >= swap.tick]:
            offer = scheduler.open_offer(swap.seat)
            if scheduler.doing(swap.seat)[1] or (offer is not None and not midway):
                continue
            self._swaps.remove(swap)
            holder = self._first[swap.seat] = Holder(swap.name, swap.agent, swap.adapter)
            self.bind(scheduler, swap.seat, holder, SWAP)
            if offer is not None:
                asked_anew.append(swap.seat)
        return asked_anew

    def resume(self, seat: int, holder: Holder, *, since: int, relieved: bool, missed: int) -> None:
        """Let `holder` go on in `seat` as it stood in a recorded episode; a relieved one goes back to its first."""
        self._holders[seat], self._since[seat] = holder, since
        self._relieved[seat], self._missed[seat] = relieved, missed

    def settle(self, scheduler: Scheduler[Any], seat: int, answer: object, *, closing: bool) -> None:
        """Apply an agent's answer to the seat's open offer.

        Args:
            scheduler: of the episode.
            seat: whose offer is answered.
            answer: a Choice, a Fault, or nonsense.
            closing: whether the offer ends with this tick; else a rejected one stays open, unless its
                agent has given it up itself.
        """
        offer = scheduler.open_offer(seat)
        if offer is None:
            raise SchedulerError(seat=seat, tick=scheduler.now, problem="was answered for, but has no open offer")
        if isinstance(answer, Spoiled):
            if answer.after in ((), (0,)):  # without a network nothing is late, and nothing comes twice
                scheduler.fault_injected(seat, answer.fault, "choice", offer.decision)
            if not answer.after:
                if closing:
                    self._lapse(scheduler, seat, "timeout")
                return
            answer = answer.answer
        if isinstance(answer, Fault):
            scheduler.agent_failed(seat, answer.error)
            scheduler.lapse(seat, "failed")
            self._relieve(scheduler, seat, "failed")
            return
        wrong = objection(answer, offer.menu)
        if isinstance(answer, Choice) and (wrong is None or wrong[0] != "malformed"):
            wrong = misplaced(answer, offer, self._holders[seat].adapter) or wrong
            if wrong is None:
                self._missed[seat] = 0
                scheduler.choose(seat, answer.index, answer.receipt)
        if wrong is not None:
            scheduler.reject(seat, *wrong, receipt_of(answer))
            if closing or isinstance(answer, NoChoice):
                self._lapse(scheduler, seat, "rejected")

    def settle_late(self, scheduler: Scheduler[Any], seat: int, decision: int, answer: object) -> None:
        """Note an answer to an offer that has ended before; a failure of its agent costs it the seat all the same."""
        if isinstance(answer, Fault) and not self.relieved(seat):
            scheduler.agent_failed(seat, answer.error)
            if scheduler.open_offer(seat) is not None:
                scheduler.lapse(seat, "failed")
            self._relieve(scheduler, seat, "failed")
            return
        inner = answer.answer if isinstance(answer, Spoiled) else answer
        detail = f"it failed: {inner.error}" if isinstance(inner, Fault) else "its offer has ended"
        scheduler.late(seat, decision, detail, receipt_of(inner))

    def time_out(self, scheduler: Scheduler[Any], seat: int) -> None:
        """End the seat's offer, which was not answered in time."""
        self._lapse(scheduler, seat, "timeout")

    def keep_contracts(self, scheduler: Scheduler[Any]) -> list[int]:
        """End offers whose deadline has come, and give seats back whose time has; return seats that were late."""
        late: list[int] = []
        if not self._bound:
            return late
        for seat, contract in enumerate(self._contracts):
            offer = scheduler.open_offer(seat)
            if offer is not None and contract.deadline is not None and scheduler.now - offer.tick >= contract.deadline:
                late.append(seat)
                self._lapse(scheduler, seat, "timeout")
                offer = None
            due = contract.back is not None and scheduler.now - self._since[seat] >= contract.back
            if due and offer is None and self.relieved(seat):
                self.bind(scheduler, seat, self._first[seat], "back")
        return late

    def _lapse(self, scheduler: Scheduler[Any], seat: int, reason: str) -> None:
        """End an offer that its agent has missed; too many of them cost it the seat."""
        offer, contract = scheduler.open_offer(seat), self._contracts[seat]
        scheduler.lapse(seat, reason, "" if offer is None else contract.instead(offer.menu))
        self._missed[seat] += 1
        count = self._missed[seat]
        if contract.misses is not None and count >= contract.misses and not self.relieved(seat):
            self._relieve(scheduler, seat, f"missed {count} offer{'s' if count > 1 else ''} in a row")

    def _relieve(self, scheduler: Scheduler[Any], seat: int, reason: str) -> None:
        """Give `seat` to the fallback; one that has it and fails does not put off that it goes back."""
        since = self._since[seat] if self._relieved[seat] else scheduler.now
        self.bind(scheduler, seat, self._fallback, reason)
        self._since[seat], self._relieved[seat] = since, True
