"""A recorded course is taken again: in all that was recorded, or in behaviour alone."""

from collections.abc import Sequence

import msgspec

from hocket.agents.random import Random
from hocket.games import registry
from hocket.learners.guard_file import decode_guards
from hocket.replays.rerun import rerun
from hocket.replays.trace import Trace, make_header
from hocket.runtime.events import (
    ChoiceRejected,
    EpisodeEnded,
    Event,
    MenuOffered,
    OfferLapsed,
    OptionChosen,
    Receipt,
    Stepped,
)
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats


def _placed(events: Sequence[Event], number: int, /, **fields: object) -> tuple[Event, ...]:
    changed = list(events)
    changed[number - 1] = msgspec.structs.replace(changed[number - 1], **fields)
    return tuple(changed)


def _guarded() -> Trace:
    game = registry.make("pantry")
    library, ada = registry.library(game), Random()
    committed = registry.guards(game)
    assert committed is not None
    guards = decode_guards(committed, "pantry").guards
    header = make_header(game, library, seed=1, starts="standard", steps=40, seats=("ada", "bo"), guards=guards)
    scheduler = Scheduler(game, library, seed=1, holders=("ada", "bo"), steps=40, guards=guards)
    events: list[Event] = []
    play([Rollout(scheduler, Seats([Holder("ada", ada), Holder("bo", ada)], Holder("idle", ada)), events.extend)])
    return Trace(header, tuple(events))


def test_by_position_menus_may_change() -> None:
    """Without the guards menus are longer, and their letters are drawn anew; what was done is the same."""
    guarded = _guarded()
    bare = Trace(msgspec.structs.replace(guarded.header, guards=()), guarded.events)

    keyed, positional = rerun(bare), rerun(bare, mode="positional")

    assert keyed.difference is not None
    assert keyed.difference.field == "menu"
    assert positional.agrees
    assert positional.events == len(guarded.events)
    assert rerun(guarded).agrees
    assert rerun(guarded, mode="positional").agrees


def test_by_position_an_option_is_looked_up_by_its_key(played: Trace) -> None:
    """Its place and its receipt are not compared; that it can be chosen is."""
    number = next(place for place, event in enumerate(played.events, 1) if isinstance(event, OptionChosen))
    elsewhere = Trace(played.header, _placed(played.events, number, index=99, receipt=Receipt(-1.0)))
    nowhere = Trace(played.header, _placed(played.events, number, option="serve@9,9"))

    missing = rerun(nowhere, mode="positional").difference

    assert rerun(elsewhere, mode="positional").agrees
    assert missing is not None
    assert (missing.number, missing.field) == (number, "option")
    assert missing.sentence("in the trace", "in the rerun").endswith(
        "field option: 'serve@9,9' in the trace, 'a menu without it' in the rerun"
    )


def test_by_position_behaviour_must_agree(played: Trace) -> None:
    """Options, joint actions, rewards, game events, returns, and the ticks of what was put in."""
    changes: dict[type[Event], tuple[str, object]] = {
        MenuOffered: ("decision", 9),
        OptionChosen: ("tick", 1),
        Stepped: ("joint", (0, 0)),
        EpisodeEnded: ("returns", (7.0, 0.0)),
    }

    for kind, (field, value) in changes.items():
        number = next(place for place, event in enumerate(played.events, 1) if isinstance(event, kind))
        found = rerun(Trace(played.header, _placed(played.events, number, **{field: value})), mode="positional")
        assert found.difference is not None
        assert (found.difference.number, found.difference.field.partition(".")[0]) == (number, field)


def test_what_is_no_answer_may_come_before_the_offers_of_its_tick() -> None:
    """A seat changes hands, a partition begins, a reply comes late: none of it opens an offer."""
    game = registry.make("pantry")
    library = registry.library(game)
    scheduler = Scheduler(game, library, seed=1, holders=("ada", "bo"), steps=6)
    for tick in range(6):
        scheduler.change_seat(0, f"cy{tick}", "asked for")
        scheduler.fault_injected(1, "partition", ticks=2)
        if tick > 2:
            scheduler.late(1, 0, "its offer has ended")
        for offer in scheduler.due():
            scheduler.lapse(offer.seat, "timeout", "wait")
        scheduler.change_seat(1, f"dee{tick}", "asked for")
        scheduler.tick()
    scheduler.end("horizon")
    header = make_header(game, library, seed=1, starts="standard", steps=6, seats=("ada", "bo"))

    events = scheduler.take()

    assert rerun(Trace(header, tuple(events))).agrees
    assert any(isinstance(event, ChoiceRejected) for event in events)
    assert all(event.instead == "wait" for event in events if isinstance(event, OfferLapsed) and event.tick < 6)


def test_offers_may_be_made_twice_in_a_tick() -> None:
    """As by a driver that takes over in mid-tick, when an offer has lapsed already."""
    game = registry.make("pantry")
    library = registry.library(game)
    scheduler = Scheduler(game, library, seed=1, holders=("ada", "bo"), steps=2)
    scheduler.due()
    scheduler.lapse(0, "rejected")
    scheduler.due()
    scheduler.choose(0, 0)
    scheduler.tick()
    scheduler.end("interrupted")
    header = make_header(game, library, seed=1, starts="standard", steps=2, seats=("ada", "bo"))

    assert rerun(Trace(header, tuple(scheduler.take()))).agrees


def test_an_end_before_its_time_is_not_the_horizon(played: Trace) -> None:
    """Where offers were open, the first event of the winding up is an input, and the last says why."""
    game = registry.make("pantry")
    library = registry.library(game)
    scheduler = Scheduler(game, library, seed=1, holders=("ada", "bo"), steps=9)
    scheduler.due()
    scheduler.end("horizon")
    header = make_header(game, library, seed=1, starts="standard", steps=9, seats=("ada", "bo"))
    events = scheduler.take()

    found = rerun(Trace(header, tuple(events))).difference

    assert found is not None
    assert (found.number, found.field, found.one) == (len(events), "reason", "horizon")
