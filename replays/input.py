"""A recorded input, and what a scheduler makes of it.

Inputs are what does not follow from the rest: choices, rejections, lapses, failures of agents, changes of
seats, faults that were injected, and why an episode ended. Each is given to the scheduler at its place in
the order of events; what comes of it is worked out afresh.
"""

from typing import Any, TypeAlias

from hocket.runtime.events import (
    AgentFailed,
    ChoiceRejected,
    EpisodeEnded,
    Event,
    FaultInjected,
    OfferLapsed,
    OptionChosen,
    OptionEnded,
    SeatChanged,
    Stepped,
)
from hocket.runtime.scheduler import Scheduler

Objection: TypeAlias = tuple[str, object, str]
"""The field that does not fit, its value, and what there is in its place."""


def precedes_offers(recorded: Event) -> bool:
    """Tell whether an input may come before the offers of its tick: it concerns none of them."""
    match recorded:
        case SeatChanged() | FaultInjected() | ChoiceRejected(reason="late"):
            return True
        case _:
            return winds_up(recorded)


def winds_up(recorded: Event) -> bool:
    """Tell whether an event that nothing before it has brought about belongs to the end of its episode.

    An option ends with a step, which makes its event; where no step has, the episode has cut it off.
    """
    match recorded:
        case EpisodeEnded() | OptionEnded() | OfferLapsed(reason="cancelled"):
            return True
        case _:
            return False


def objection(recorded: Event, scheduler: Scheduler[Any], *, by_key: bool = False) -> Objection | None:
    """Say why an input cannot be given to the scheduler now; None where it can.

    Args:
        recorded: the input.
        scheduler: at its place in the course of the episode.
        by_key: whether a choice is looked up by its option's key, rather than by its place on the menu.
    """
    seats = len(scheduler.holders)
    match recorded:
        case OptionChosen() | ChoiceRejected() | OfferLapsed() | AgentFailed() | SeatChanged() | FaultInjected():
            if not 0 <= recorded.seat < seats:
                return "seat", recorded.seat, f"{seats} seats"
        case Stepped():
            return ("type", "stepped", "episode_ended") if scheduler.now >= scheduler.steps else None
        case _:
            return None
    match recorded:
        case ChoiceRejected(reason="late"):
            return _unready(recorded, scheduler)
        case OptionChosen() | ChoiceRejected() | OfferLapsed() if not winds_up(recorded):
            return _unfit(recorded, scheduler, by_key=by_key)
        case _:
            return None


def _unfit(
    recorded: OptionChosen | ChoiceRejected | OfferLapsed, scheduler: Scheduler[Any], *, by_key: bool
) -> Objection | None:
    """Say why an outcome is none of the seat's open offer."""
    offer, kind = scheduler.open_offer(recorded.seat), str(recorded.__struct_config__.tag)
    if offer is None:
        return "type", kind, f"no open offer of seat {recorded.seat}"
    match recorded:
        case OptionChosen() if scheduler.now >= scheduler.steps:
            return "type", kind, "offer_lapsed"
        case OptionChosen() if by_key and recorded.option not in offer.menu.keys:
            return "option", recorded.option, "a menu without it"
        case OptionChosen() if not (by_key or 0 <= recorded.index < len(offer.menu)):
            return "index", recorded.index, f"a menu of {len(offer.menu)}"
        case OfferLapsed() if recorded.instead not in ("", *offer.menu.keys):
            return "instead", recorded.instead, "a menu without it"
        case _:
            return None


def _unready(recorded: ChoiceRejected, scheduler: Scheduler[Any]) -> Objection | None:
    """Say why a reply cannot have been late."""
    offer, made = scheduler.open_offer(recorded.seat), scheduler.decisions[recorded.seat]
    if not 0 <= recorded.decision < made:
        return "decision", recorded.decision, f"{made} decisions"
    return ("reason", "late", "its offer open") if offer is not None and offer.decision == recorded.decision else None


def carry_out(recorded: Event, scheduler: Scheduler[Any], reason: str, *, by_key: bool = False) -> None:
    """Give the scheduler an input to which there is no objection; `reason` is why the episode ended."""
    over = scheduler.now >= scheduler.steps
    match recorded:
        case OptionChosen():
            offer = scheduler.open_offer(recorded.seat) if by_key else None
            index = recorded.index if offer is None else offer.menu.keys.index(recorded.option)
            scheduler.choose(recorded.seat, index, recorded.receipt)
        case ChoiceRejected(reason="late"):
            scheduler.late(recorded.seat, recorded.decision, recorded.detail, recorded.receipt)
        case ChoiceRejected():
            scheduler.reject(recorded.seat, recorded.reason, recorded.detail, recorded.receipt)
        case OfferLapsed() if not (over or winds_up(recorded)):
            scheduler.lapse(recorded.seat, recorded.reason, recorded.instead)
        case FaultInjected():
            scheduler.fault_injected(recorded.seat, recorded.fault, recorded.message, recorded.decision, recorded.ticks)
        case AgentFailed():
            scheduler.agent_failed(recorded.seat, recorded.error)
        case SeatChanged():
            scheduler.change_seat(recorded.seat, recorded.holder, recorded.reason)
        case EpisodeEnded() | OptionEnded() | OfferLapsed():
            reason = recorded.reason if isinstance(recorded, EpisodeEnded) else reason
            scheduler.end("interrupted" if reason == "horizon" and not over else reason)
        case Stepped():
            scheduler.tick()
        case _:
            pass
