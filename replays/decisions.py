"""The decisions of a trace, in the order in which they were offered."""

import re

import msgspec

from hocket.replays.input import winds_up
from hocket.replays.trace import Trace
from hocket.runtime.errors import DecisionError, SeatError
from hocket.runtime.events import AgentFailed, MenuOffered, OfferLapsed, OptionChosen, OptionEnded

_NAMED = re.compile(r"(?:(?P<seat>\d{1,9}):)?(?P<number>\d{1,18})", re.ASCII)


class Decision(msgspec.Struct, frozen=True):
    """One offer of a trace."""

    number: int
    """Running number over the offers of all seats, from 0."""
    seat: int
    tick: int
    """At which the offer was made."""
    before: int
    """How many events came before its outcome: a choice, a lapse, the failure of its agent, or the end of it all."""


def decisions(trace: Trace) -> list[Decision]:
    """List them."""
    found: list[Decision] = []
    open_: dict[int, int] = {}
    for place, event in enumerate(trace.events):
        ended: list[int] = []
        match event:
            case MenuOffered():
                open_[event.seat] = len(found)
                found.append(Decision(len(found), event.seat, event.tick, len(trace.events)))
            case OptionChosen() | AgentFailed() | OfferLapsed() if not winds_up(event):
                ended = [event.seat]
            case OptionEnded(outcome=outcome) if outcome != "cancelled":
                pass
            case _ if winds_up(event):
                ended = list(open_)
            case _:
                pass
        for seat in ended:
            if (number := open_.pop(seat, None)) is not None:
                found[number] = msgspec.structs.replace(found[number], before=place)
    return found


def find_decision(trace: Trace, name: str) -> Decision:
    """Return the decision of that name: `57`, or `1:20` for the decision 20 of seat 1.

    Raises:
        DecisionError: there is none.
        SeatError: there is no such seat.
    """
    everything = decisions(trace)
    torn = len(trace.events) if trace.torn else None
    named = _NAMED.fullmatch(name)
    if named is None:
        raise DecisionError(decision=name, trace=trace.path, count=len(everything), torn=torn)
    number, seat = int(named["number"]), None if named["seat"] is None else int(named["seat"])
    if seat is not None and seat >= len(trace.header.seats):
        game, seats = trace.header.game.name, len(trace.header.seats)
        raise SeatError(seat=seat, game=game, seats=seats, problem="is not there")
    among = everything if seat is None else [each for each in everything if each.seat == seat]
    if number >= len(among):
        raise DecisionError(decision=name, trace=trace.path, count=len(among), seat=seat, torn=torn)
    return among[number]
