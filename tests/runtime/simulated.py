"""A simulated episode of ada and bo in the pantry, with faults as text."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import anyio
from anyio.lowlevel import checkpoint

from hocket.agents.idle import Idle
from hocket.games import registry
from hocket.replays.recording import Recording, record
from hocket.replays.trace import make_header
from hocket.runtime.contract import Contract, read_contract
from hocket.runtime.events import (
    AgentFailed,
    ChoiceRejected,
    Event,
    FaultInjected,
    MenuOffered,
    OfferLapsed,
    OptionChosen,
    Receipt,
    SeatChanged,
)
from hocket.runtime.incident import Faults, read_incident
from hocket.runtime.listed import Listed
from hocket.runtime.pace import Simulated
from hocket.runtime.policy import Agent, Choice, Offer
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats, spoilt

NAMES = ("ada", "bo", "cy")


class Waiting:
    """Waits, decision by decision, and keeps which it was asked about, with the ticks of their offers."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, int]] = []
        """Seat and decision."""
        self.batches: list[list[int]] = []
        """Seats of the offers that came together."""

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        self.asked += [(offer.seat, offer.decision) for offer in offers]
        self.batches.append([offer.seat for offer in offers])
        return [Choice(offer.menu.keys.index("wait"), receipt(offer)) for offer in offers]


class Slow:
    """The same in its own time, one offer at a time."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, int]] = []

    async def choose(self, offer: Offer) -> Choice:
        self.asked.append((offer.seat, offer.decision))
        await checkpoint()
        return Choice(offer.menu.keys.index("wait"), receipt(offer))


def receipt(offer: Offer) -> Receipt:
    """Whose answer it is, so that a trace tells one from another."""
    return Receipt(prompt=(offer.seat, offer.decision), reply=(1, 2, 3, 4, 5))


def simulated(
    *faults: str,
    agents: Sequence[Agent] | None = None,
    terms: str = "",
    holders: Sequence[Holder] | None = None,
    fallback: Holder | None = None,
    happening: Faults | None = None,
    **episode: Any,
) -> Recording:
    """Play an episode to its end; to hang is to fail.

    Args:
        faults: incidents, as text.
        agents: in the seats; by default ada and bo wait, which takes two ticks.
        terms: of every seat, as text.
        holders: in place of agents.
        fallback: by default idle.
        happening: in place of incidents.
        **episode: its seed (0), steps (12), limit (None).
    """
    wanted = agents or ([] if holders else [Waiting(), Waiting()])
    seated = holders or [Holder(name, agent) for name, agent in zip(NAMES, wanted, strict=False)]
    game = registry.make("pantry", {"seats": len(seated)})
    library, names = registry.library(game), [holder.name for holder in seated]
    length: dict[str, Any] = {"seed": episode.get("seed", 0), "steps": episode.get("steps", 12), "starts": "standard"}
    listed = Listed(map(read_incident, faults)) if happening is None else happening
    contract = read_contract(terms) if terms else Contract()
    seats = Seats(spoilt(seated, listed), fallback or Holder("idle", Idle()), [contract] * len(seated))
    scheduler = Scheduler(game, library, holders=names, **length)
    header = make_header(game, library, seats=names, **length)
    pace = Simulated(listed, episode.get("limit"))

    async def play() -> Recording:
        with anyio.fail_after(20):
            return await record(header, scheduler, seats, pace)

    recording = anyio.run(partial(play))
    assert str(recording.error or "") == episode.get("error", "")
    return recording


def course(recording: Recording, seat: int = 0, decision: int | None = None) -> list[str]:
    """What became of each offer of a seat, or of one: `DECISION WHAT at TICK`, or `WHAT at TICK`."""
    found: list[str] = []
    for event in recording.trace.events:
        match event:
            case MenuOffered() | OptionChosen() | OfferLapsed() | ChoiceRejected() if event.seat == seat:
                if decision is None:
                    found.append(f"{event.decision} {_word(event)} at {event.tick}")
                elif event.decision == decision:
                    found.append(f"{_word(event)} at {event.tick}")
            case _:
                pass
    return found


def injected(recording: Recording) -> list[FaultInjected]:
    """What is on the record of what went wrong on purpose."""
    return [event for event in recording.trace.events if isinstance(event, FaultInjected)]


def changes(recording: Recording) -> list[Event]:
    """Failures of agents and changes of seats."""
    return [event for event in recording.trace.events if isinstance(event, AgentFailed | SeatChanged)]


def _word(event: Event) -> str:
    match event:
        case MenuOffered():
            return "offered"
        case OptionChosen():
            return "chosen"
        case OfferLapsed():
            return event.reason
        case ChoiceRejected():
            return f"refused ({event.reason})"
        case _:
            raise AssertionError(event)
