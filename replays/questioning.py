"""Agents of a recorded episode are asked again, and answer as they did.

The offers are those of the rerun, so an agent that is a function of its offer, such
as a language model in this process, must say the same again: choice, receipt and all.
Replies that came late, and those that a fault of the agent's own has spoilt, are not asked for.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from hocket.replays.difference import Difference, between
from hocket.runtime.events import AgentFailed, ChoiceRejected, Event, FaultInjected, OptionChosen, Receipt
from hocket.runtime.fault import Fault, ask
from hocket.runtime.fault_profile import SPOILS
from hocket.runtime.policy import Choice, Chooser, Offer, misplaced, objection, receipt_of
from hocket.runtime.scheduler import Scheduler


class Witness(msgspec.Struct, frozen=True):
    """An agent that is asked again."""

    agent: Chooser
    tolerance: float = 0.0
    """How far a log-probability may be off; with any, what computed it is not compared."""


class Questioning:
    """Puts the offers of a rerun to those who answered them."""

    def __init__(self, scheduler: Scheduler[Any], witnesses: Mapping[tuple[int, str], Witness]) -> None:
        """Stand before the first event.

        Args:
            scheduler: of the rerun.
            witnesses: by seat and the name under which they hold it.
        """
        self.agreed = 0
        """Answers that were the same again."""
        self._scheduler, self._witnesses = scheduler, witnesses
        self._answers: dict[tuple[int, int, str], object] = {}
        """By seat, decision and holder: what has been answered, and not been recorded yet."""
        self._spoilt: set[tuple[int, int]] = set()
        """Seat and decision of answers that were spoilt on purpose."""

    def answered(self, recorded: Event) -> Event | None:
        """Ask for what an event records, before it takes effect; return the event as it should be.

        All open offers of one agent are put to it at once, as in the episode. None for an event that is no
        answer of a witness.
        """
        match recorded:
            case FaultInjected() if recorded.fault in SPOILS:
                self._spoilt.add((recorded.seat, recorded.decision))
                return None
            case OptionChosen() | AgentFailed() | ChoiceRejected() if self._witnesses and not _is_late(recorded):
                offer, witness = self._open(recorded.seat)
            case _:
                return None
        if offer is None or witness is None or (offer.seat, offer.decision) in self._spoilt:
            return None
        holder = self._scheduler.holders[offer.seat]
        if (offer.seat, offer.decision, holder) not in self._answers:
            self._ask(witness)
        return _event(recorded.tick, offer, holder, self._answers.pop((offer.seat, offer.decision, holder)))

    def difference(self, number: int, recorded: Event, answered: Event | None) -> Difference | None:
        """Compare a recorded answer with what `answered` made of it."""
        if answered is None:
            return None
        seat = getattr(recorded, "seat", -1)
        witness = self._witnesses[seat, self._scheduler.holders[seat]]
        found = between(number, recorded, _as_near(recorded, answered, witness.tolerance))
        self.agreed += found is None
        return found

    def _open(self, seat: int) -> tuple[Offer | None, Witness | None]:
        scheduler = self._scheduler
        if not 0 <= seat < len(scheduler.holders):
            return None, None
        return scheduler.open_offer(seat), self._witnesses.get((seat, scheduler.holders[seat]))

    def _ask(self, witness: Witness) -> None:
        offers = []
        for seat in range(len(self._scheduler.holders)):
            offer, theirs = self._open(seat)
            if offer is not None and theirs is not None and theirs.agent is witness.agent:
                offers.append(offer)
        for offer, answer in zip(offers, ask(witness.agent, offers), strict=True):
            self._answers[offer.seat, offer.decision, self._scheduler.holders[offer.seat]] = answer


def _is_late(recorded: Event) -> bool:
    return isinstance(recorded, ChoiceRejected) and recorded.reason == "late"


def _event(tick: int, offer: Offer, holder: str, answer: object) -> Event:
    """Make the event that an answer leaves."""
    seat, decision, keys = offer.seat, offer.decision, offer.menu.keys
    if isinstance(answer, Fault):
        return AgentFailed(tick, seat, holder, answer.error)
    wrong = objection(answer, offer.menu)
    if isinstance(answer, Choice) and (wrong is None or wrong[0] != "malformed"):
        wrong = misplaced(answer, offer, None) or wrong
    if isinstance(answer, Choice) and wrong is None:
        return OptionChosen(tick, seat, decision, answer.index, keys[answer.index], holder, answer.receipt)
    reason, detail = wrong or ("malformed", "")
    return ChoiceRejected(tick, seat, decision, reason, detail, receipt_of(answer))


def _as_near(recorded: Event, answered: Event, tolerance: float) -> Event:
    """Put recorded log-probabilities in the place of those that are near enough."""
    if not tolerance:
        return answered
    match recorded, answered:
        case (OptionChosen(receipt=Receipt() as was), OptionChosen(receipt=Receipt() as now)) | (
            ChoiceRejected(receipt=Receipt() as was),
            ChoiceRejected(receipt=Receipt() as now),
        ):
            return msgspec.structs.replace(answered, receipt=_near(was, now, tolerance))
        case _:
            return answered


def _near(was: Receipt, now: Receipt, tolerance: float) -> Receipt:
    return msgspec.structs.replace(
        now,
        backend=was.backend,
        check=was.check,
        log_prob=_nearest((was.log_prob,), (now.log_prob,), tolerance)[0],
        menu=_nearest(was.menu, now.menu, tolerance),
        intents=_nearest(was.intents, now.intents, tolerance),
    )


def _nearest(was: tuple[Any, ...], now: tuple[Any, ...], tolerance: float) -> tuple[Any, ...]:
    if len(was) != len(now):
        return now
    pairs = zip(was, now, strict=True)
    return tuple([old if None not in (old, new) and abs(old - new) <= tolerance else new for old, new in pairs])
