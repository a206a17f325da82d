"""How seats stand, as told by events: as the seats themselves have it."""

from collections.abc import Sequence

from hocket.agents.random import Random
from hocket.games import registry
from hocket.replays.standing import Standing, standings
from hocket.runtime.contract import Contract
from hocket.runtime.events import Event, OfferLapsed, OptionChosen, SeatChanged
from hocket.runtime.policy import Choice, Offer
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats


class Clumsy:
    """Drops every offer, and some of them on the floor."""

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        if offers[0].decision % 5 == 4:
            raise ValueError("salt")
        return [Choice(99) for _ in offers]


def test_seats_stand_as_they_have_played() -> None:
    """With every tick: who is relieved, since when, and who comes back; a fallback that fails puts nothing off."""
    game, names = registry.make("pantry"), ("ada", "bo")
    scheduler = Scheduler(game, registry.library(game), seed=1, holders=names, steps=80)
    contracts = (Contract(misses=2, back=13), Contract())
    seats = Seats([Holder("ada", Clumsy()), Holder("bo", Random())], Holder("cy", Clumsy()), contracts)
    events, reasons = list[Event](), set[str]()

    def look(fresh: Sequence[Event]) -> None:
        events.extend(fresh)
        reasons.update(event.reason for event in fresh if isinstance(event, SeatChanged))
        for seat, stood in enumerate(standings(names, events)):
            assert (stood.relieved, stood.since) == (seats.relieved(seat), seats.since(seat))

    play([Rollout(scheduler, seats, look)])

    assert reasons == {"missed 2 offers in a row", "failed", "back"}


def test_misses_in_a_row_are_counted() -> None:
    """A choice ends the row, and so does a change; an offer that a failed agent leaves is no miss."""
    reasons = ("timeout", "rejected", "failed")
    lapses: list[Event] = [OfferLapsed(tick, 0, tick, reason) for tick, reason in enumerate(reasons)]
    chosen = OptionChosen(3, 0, 3, 0, "wait", "ada")

    rows = [
        standings(["ada"], events)[0].missed
        for events in (lapses, [*lapses, chosen], [*lapses, SeatChanged(3, 0, "idle", "ada", "failed")])
    ]

    assert rows == [2, 0, 0]


def test_a_seat_is_of_whoever_took_it_over_in_a_fork() -> None:
    """Not of one who has only been given it, as the fallback."""
    events = [
        SeatChanged(3, 0, "cy", "ada", "fork"),
        SeatChanged(5, 0, "idle", "cy", "failed"),
        SeatChanged(7, 0, "idle", "idle", "failed"),
    ]

    assert standings(["ada", "bo"], events) == [Standing("cy", 5, relieved=True), Standing("bo")]
