"""The semi-MDP core: who is due, what runs, what ended, in which order."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hocket.games import registry
from hocket.games.pantry.options import default_library
from hocket.games.pantry.rules import ACT, BEFORE, HATCH, STAY, Facts
from hocket.games.pantry.world import Pantry
from hocket.games.wait import Wait
from hocket.runtime.errors import EpisodeError, SchedulerError
from hocket.runtime.events import (
    AgentFailed,
    ChoiceRejected,
    EpisodeEnded,
    EpisodeStarted,
    Event,
    FaultInjected,
    GameEvent,
    MenuOffered,
    OfferLapsed,
    OptionChosen,
    OptionEnded,
    OptionStarted,
    Receipt,
    SeatChanged,
    Stepped,
)
from hocket.runtime.option import Failure, Feature, Instance, Library, Plan, instance
from hocket.runtime.policy import Offer
from hocket.runtime.scheduler import Scheduler

EAST = 2


class Polite:
    """Walks east to the hatch, but never into a cell on which somebody stands."""

    name, private, fixed, replans, slack = "walk", False, True, True, 3
    reads: tuple[Feature, ...] = ()
    senses: tuple[Feature, ...] = ()

    def read(self, instance: Instance, facts: Facts, seat: int) -> tuple[int, ...]:
        return ()

    sense = read

    def instances(self, facts: Facts, seat: int) -> Sequence[Instance]:
        return (instance("walk", HATCH, "walk to the hatch"),)

    def expand(self, instance: Instance, facts: Facts, seat: int) -> Plan | Failure:
        here, others = facts.places[seat], facts.places[:seat] + facts.places[seat + 1 :]
        if (here[0] + 1, here[1]) in others:
            return Failure("NoPath", passing=True)
        return (*(EAST,) * (BEFORE[HATCH][0] - here[0]), ACT)

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        return after.places[seat] == BEFORE[HATCH]


class Broken(Polite):
    """Raises in one of its parts."""

    def __init__(self, part: str) -> None:
        self.part, self.asked = part, 0

    def instances(self, facts: Facts, seat: int) -> Sequence[Instance]:
        self._break("instances")
        return super().instances(facts, seat)

    def expand(self, instance: Instance, facts: Facts, seat: int) -> Plan | Failure:
        self.asked += 1
        self._break("expand" if self.asked == 1 else "replan")
        return super().expand(instance, facts, seat)

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        self._break("effect")
        return super().effect(instance, before, after, seat)

    def _break(self, part: str) -> None:
        if part == self.part:
            raise ZeroDivisionError(part)


class Cursed(Pantry):
    """A pantry that falls down at one tick."""

    def __init__(self, last: int) -> None:
        super().__init__(2)
        self.left = last

    def step(self, joint: Sequence[int]) -> tuple[tuple[float, ...], tuple[GameEvent, ...]]:
        self.left -= 1
        if self.left < 0:
            raise RuntimeError("the roof fell in")
        return super().step(joint)


def pantry(seed: int = 0, seats: int = 2, game: Pantry | None = None) -> Scheduler[Any]:
    """A pantry with its usual options, its first event taken."""
    game = game or Pantry(seats)
    scheduler = Scheduler(game, default_library(), seed=seed, holders=("ada", "bo", "cy")[: game.seats], steps=60)
    scheduler.take()
    return scheduler


def corridor(option: Polite) -> Scheduler[Facts]:
    """A pantry in which ada stands west of the hatch, bo two cells before her and in her row."""
    game = Pantry(2)
    library: Library[Facts] = Library(name="polite", version=1, digest="00", options=[Wait(STAY, 1), option])
    seed = next(seed for seed in range(2000) if _starts(game, seed) == ((1, 2), (3, 1)))
    scheduler = Scheduler(game, library, seed=seed, holders=("ada", "bo"), steps=60)
    scheduler.take()
    return scheduler


def _starts(game: Pantry, seed: int) -> tuple[tuple[int, int], ...]:
    game.reset(seed, "standard")
    return game.facts().places


def choose(scheduler: Scheduler[Any], seat: int, option: str) -> None:
    """Choose an option by its name."""
    offer = scheduler.open_offer(seat)
    assert offer is not None
    scheduler.choose(seat, next(place for place, key in enumerate(offer.menu.keys) if key.startswith(option)))


def ended(events: Sequence[Event], seat: int) -> list[tuple[str, int]]:
    """Outcomes and lengths of a seat's options."""
    return [(event.outcome, event.ticks) for event in events if isinstance(event, OptionEnded) and event.seat == seat]


def test_an_episode_begins_with_its_holders_and_length() -> None:
    """The first event is the reset, at tick 0."""
    scheduler = Scheduler(Pantry(2), default_library(), seed=0, holders=("ada", "bo"), steps=60)

    events = scheduler.take()

    assert events == [EpisodeStarted(0, ("ada", "bo"), 60)]
    assert scheduler.take() == []


def test_a_seat_is_due_once_and_again_when_its_option_has_ended() -> None:
    """An offer stays the same until it has ended; a busy seat gets none."""
    scheduler = pantry()

    first = scheduler.due()
    again = scheduler.due()
    choose(scheduler, 0, "wait")
    choose(scheduler, 1, "wait")
    scheduler.tick()
    busy = scheduler.due()
    scheduler.tick()
    fresh = scheduler.due()

    assert [offer.seat for offer in first] == [0, 1]
    assert (again, busy) == ([], [])
    assert [(offer.seat, offer.decision, offer.tick) for offer in fresh] == [(0, 1, 2), (1, 1, 2)]


def test_events_of_a_tick_come_offers_first_then_answers_then_the_step_then_what_it_ended() -> None:
    """One order whatever the driver does between the calls: a trace is a sequence."""
    scheduler = pantry()
    offers = scheduler.due()
    menus = [offer.menu.keys for offer in offers]

    scheduler.choose(0, menus[0].index("take@3,0"), Receipt(-0.5))
    scheduler.reject(1, "malformed", "a str, not a Choice")
    scheduler.lapse(1, "cancelled")
    scheduler.tick()

    assert scheduler.take() == [
        MenuOffered(0, 0, 0, menus[0]),
        MenuOffered(0, 1, 0, menus[1]),
        OptionChosen(0, 0, 0, menus[0].index("take@3,0"), "take@3,0", "ada", Receipt(-0.5)),
        OptionStarted(0, 0, "take@3,0", 0),
        ChoiceRejected(0, 1, 0, "malformed", "a str, not a Choice"),
        OfferLapsed(0, 1, 0, "cancelled"),
        Stepped(0, (STAY, STAY), (0.0, 0.0)),
        OptionEnded(0, 0, "take@3,0", "explicit:TableEmpty", 1),
    ]


def test_options_run_on_their_own_time() -> None:
    """A long option of bo's does not keep ada from choosing anew."""
    scheduler = pantry(seed=3)
    events: list[Event] = []

    for _ in range(30):
        scheduler.due()
        for seat, option in ((0, "wait"), (1, "fetch")):
            if scheduler.open_offer(seat) is not None:
                choose(scheduler, seat, option)
        scheduler.tick()
        events += scheduler.take()

    ticks = {
        seat: [event.tick for event in events if isinstance(event, MenuOffered) and event.seat == seat]
        for seat in (0, 1)
    }
    assert ticks[0] == list(range(0, 30, 2))
    assert ticks[1] != ticks[0]
    assert len(ticks[1]) > 1


def test_a_failed_expansion_costs_one_tick() -> None:
    """Nobody can loop inside a tick by starting what cannot be started."""
    scheduler = pantry()
    events: list[Event] = []

    for _ in range(5):
        scheduler.due()
        choose(scheduler, 0, "take")
        scheduler.tick()
        events += scheduler.take()

    assert ended(events, 0) == [("explicit:TableEmpty", 1)] * 5
    assert [event.joint[0] for event in events if isinstance(event, Stepped)] == [STAY] * 5


def test_a_seat_that_has_not_answered_stands_still() -> None:
    """The world does not need an answer to move on; the offer stays open, letters and all."""
    scheduler = pantry()
    ada, _ = scheduler.due()
    choose(scheduler, 1, "fetch")

    scheduler.tick()
    scheduler.tick()

    assert [event.joint[0] for event in scheduler.take() if isinstance(event, Stepped)] == [STAY, STAY]
    assert scheduler.open_offer(0) is ada
    assert not scheduler.doing(0)[1]


def test_a_late_choice_counts_from_its_tick() -> None:
    """The trace says when a choice took effect, not when it was asked for."""
    scheduler = pantry()
    scheduler.due()
    for _ in range(3):
        scheduler.tick()
    scheduler.take()

    choose(scheduler, 0, "wait")
    for _ in range(2):
        scheduler.tick()

    events = [event for event in scheduler.take() if not isinstance(event, Stepped)]
    assert [event.tick for event in events] == [3, 3, 4]
    assert ended(events, 0) == [("success", 2)]


def test_a_rejected_reply_leaves_the_offer_open() -> None:
    """An agent may try again: the letters are still those that it has seen."""
    scheduler = pantry()
    ada = scheduler.due()[0]

    scheduler.reject(0, "not on the menu", "index 9 of 6")

    assert scheduler.open_offer(0) is ada
    assert scheduler.due() == []


def test_a_lapsed_offer_is_followed_by_a_new_one() -> None:
    """Another decision has other letters; the one that lapsed is never answered."""
    scheduler = pantry()
    scheduler.due()

    scheduler.lapse(0, "timeout")
    scheduler.tick()

    assert [(offer.seat, offer.decision) for offer in scheduler.due()] == [(0, 1)]
    assert scheduler.decisions == [2, 1]


def test_a_lapsed_offer_may_begin_an_option_from_its_own_menu() -> None:
    """The seat goes on with it as if it had been chosen, but for the record."""
    scheduler = pantry()
    scheduler.due()
    scheduler.take()

    scheduler.lapse(0, "timeout", "wait")
    doing = scheduler.doing(0)
    scheduler.tick()
    scheduler.tick()

    assert doing == ("wait", True)
    events = [event for event in scheduler.take() if not isinstance(event, Stepped)]
    assert events == [
        OfferLapsed(0, 0, 0, "timeout", "wait"),
        OptionStarted(0, 0, "wait", 2),
        OptionEnded(1, 0, "wait", "success", 2),
    ]
    assert [(offer.seat, offer.decision) for offer in scheduler.due()] == [(0, 1)]


def test_a_lapsed_offer_begins_nothing_that_was_not_on_its_menu() -> None:
    """That is the driver's mistake, and the offer stays open."""
    scheduler = pantry()
    offer = scheduler.due()[0]
    scheduler.take()

    with pytest.raises(SchedulerError, match="seat 0 at tick 0: dance is not on the menu"):
        scheduler.lapse(0, "timeout", "dance")

    assert (scheduler.open_offer(0), scheduler.take()) == (offer, [])


def test_a_reply_to_an_offer_that_has_ended_is_noted() -> None:
    """It changes nothing, neither for the offer that is open nor for what runs."""
    scheduler = pantry()
    scheduler.due()
    scheduler.lapse(0, "timeout")
    choose(scheduler, 1, "wait")
    scheduler.tick()
    [offer] = scheduler.due()
    scheduler.take()

    scheduler.late(0, 0, "its offer has ended", Receipt(-1.0))
    scheduler.late(1, 0, "it failed: ValueError")

    assert scheduler.take() == [
        ChoiceRejected(1, 0, 0, "late", "its offer has ended", Receipt(-1.0)),
        ChoiceRejected(1, 1, 0, "late", "it failed: ValueError"),
    ]
    assert scheduler.open_offer(0) is offer
    assert scheduler.doing(1) == ("wait", True)


@pytest.mark.parametrize("decision", [-1, 0, 1])
def test_a_reply_is_not_late_before_its_offer_has_ended(decision: int) -> None:
    """One that is open, or still to come, is the driver's mistake."""
    scheduler = pantry()
    scheduler.due()
    scheduler.take()

    with pytest.raises(SchedulerError, match=f"seat 0 at tick 0: decision {decision} has not ended"):
        scheduler.late(0, decision, "")

    assert scheduler.take() == []


def test_an_injected_fault_is_on_the_record_and_changes_nothing() -> None:
    """At the tick at which it happens; what a window begins is about no message."""
    scheduler = pantry()
    offers = scheduler.due()
    scheduler.tick()
    scheduler.take()

    scheduler.fault_injected(1, "hold", ticks=20)
    scheduler.fault_injected(0, "late", "choice", 0, 3)

    assert scheduler.take() == [FaultInjected(1, 1, "hold", "", -1, 20), FaultInjected(1, 0, "late", "choice", 0, 3)]
    assert [scheduler.open_offer(seat) for seat in (0, 1)] == offers


def test_nobody_answers_without_an_offer() -> None:
    """A driver that mixes seats up is told so, and by name."""
    scheduler = pantry()
    scheduler.due()
    choose(scheduler, 1, "wait")

    calls: list[Callable[[], None]] = [
        lambda: scheduler.choose(1, 0),
        lambda: scheduler.reject(1, "", ""),
        lambda: scheduler.lapse(7, "timeout"),
    ]
    messages = []
    for call in calls:
        with pytest.raises(SchedulerError) as error:
            call()
        messages.append(str(error.value))

    problem = "was answered for, but has no open offer"
    assert messages == [f"seat 1 at tick 0: {problem}"] * 2 + [f"seat 7 at tick 0: {problem}"]


@pytest.mark.parametrize("index", [-1, 6])
def test_an_index_off_the_menu_is_the_drivers_mistake_and_leaves_the_offer_open(index: int) -> None:
    """Drivers check an agent's answer before; an offer is never lost without an event."""
    scheduler = pantry()
    offer = scheduler.due()[0]
    scheduler.take()

    with pytest.raises(SchedulerError, match=f"seat 0 at tick 0: index {index} of a menu of 6"):
        scheduler.choose(0, index)

    assert scheduler.open_offer(0) is offer
    assert scheduler.take() == []


def test_a_seat_changes_hands_on_the_record() -> None:
    """Later choices are in the name of the new holder."""
    scheduler = pantry()
    scheduler.due()
    scheduler.take()

    scheduler.agent_failed(0, "ValueError")
    scheduler.change_seat(0, "cy", "failed")
    choose(scheduler, 0, "wait")

    failed, changed, chosen, _ = scheduler.take()
    assert failed == AgentFailed(0, 0, "ada", "ValueError")
    assert changed == SeatChanged(0, 0, "cy", "ada", "failed")
    assert isinstance(chosen, OptionChosen)
    assert chosen.holder == "cy"


def test_returns_add_up_what_was_stepped() -> None:
    """Ada serves what bo opened for her: her point, and the team's."""
    scheduler = pantry()
    plans = {0: ["fetch", "wait", "wait", "wait", "serve"], 1: ["open_hatch"]}
    events: list[Event] = []

    for _ in range(40):
        for offer in scheduler.due():
            choose(scheduler, offer.seat, plans[offer.seat].pop(0) if plans[offer.seat] else "wait")
        scheduler.tick()
        events += scheduler.take()

    rewards = [event.rewards for event in events if isinstance(event, Stepped)]
    assert scheduler.returns == [1.0, 0.0] == [sum(seat) for seat in zip(*rewards, strict=True)]


def test_a_plan_is_made_anew_around_who_stands_in_the_way() -> None:
    """Ada waits for bo to step aside, then goes on; the detour does not count as a failure."""
    scheduler = corridor(Polite())
    joint = []

    scheduler.due()
    choose(scheduler, 0, "walk")
    for step in range(7):
        move_bo(scheduler, {1: (3, 2), 3: (3, 1)}.get(step))
        scheduler.tick()
        joint += [event.joint[0] for event in scheduler.take() if isinstance(event, Stepped)]
        if not scheduler.doing(0)[1]:
            break

    assert joint == [EAST, STAY, STAY, EAST, EAST, EAST, ACT]


def test_an_option_that_stays_blocked_times_out() -> None:
    """It may lose its slack to others, and not a tick more; the seat can then choose otherwise."""
    scheduler = corridor(Polite())
    events: list[Event] = []

    scheduler.due()
    choose(scheduler, 0, "walk")
    for step in range(12):
        move_bo(scheduler, (3, 2) if step == 1 else None)
        scheduler.tick()
        events += scheduler.take()

    assert ended(events, 0) == [("timeout", 5 + Polite.slack)]
    assert [event.joint[0] for event in events if isinstance(event, Stepped)][:3] == [EAST, STAY, STAY]
    assert [offer.seat for offer in scheduler.due()] == [0]


def move_bo(scheduler: Scheduler[Facts], place: tuple[int, int] | None) -> None:
    """Put bo somewhere, as if he had walked."""
    game = scheduler.game
    if place is not None:
        assert isinstance(game, Pantry)
        facts = game.facts()
        game._facts = scheduler._execution.facts = Facts(
            (facts.places[0], place), facts.held, facts.jars, facts.hatch_open
        )


def test_an_option_that_is_blocked_from_the_start_fails_at_once() -> None:
    """No path is an explicit failure, which a guard can learn; a timeout is not."""
    scheduler = corridor(Polite())
    move_bo(scheduler, (2, 2))

    scheduler.due()
    choose(scheduler, 0, "walk")
    scheduler.tick()

    assert ended(scheduler.take(), 0) == [("explicit:NoPath", 1)]


def test_an_option_that_is_carried_out_in_vain_has_no_effect() -> None:
    """Serving without a jar is possible, takes its time and fails."""
    scheduler = pantry()
    scheduler.due()

    choose(scheduler, 0, "serve")
    while scheduler.doing(0)[1]:
        scheduler.tick()

    assert [outcome for outcome, _ in ended(scheduler.take(), 0)] == ["effect_fail"]


def test_the_end_closes_what_is_open() -> None:
    """Each offer ends in one way, those of the last tick too."""
    scheduler = pantry()
    scheduler.due()
    choose(scheduler, 1, "wait")
    scheduler.take()

    scheduler.end("interrupted")

    assert scheduler.take() == [
        OfferLapsed(0, 0, 0, "cancelled"),
        OptionEnded(0, 1, "wait", "cancelled", 0),
        EpisodeEnded(0, "interrupted", (0.0, 0.0)),
    ]


def test_a_game_that_fails_is_named_with_its_tick() -> None:
    """The error is the runtime's, its cause the game's; nothing is told of a step that was not taken."""
    scheduler = pantry(game=Cursed(5))
    for _ in range(5):
        scheduler.tick()
    scheduler.take()

    with pytest.raises(EpisodeError, match=r"^the game failed at tick 5: RuntimeError: the roof fell in$") as failed:
        scheduler.tick()

    assert isinstance(failed.value.__cause__, RuntimeError)
    assert scheduler.take() == []
    assert scheduler.now == 5


@pytest.mark.parametrize("part", ["instances", "expand", "replan", "effect"])
def test_a_library_that_fails_is_named_and_no_offer_is_lost(part: str) -> None:
    """An option is somebody's code too; the events so far still say how each offer ended."""
    scheduler = corridor(Broken("nothing"))
    option = scheduler.library.by_name["walk"]
    assert isinstance(option, Broken)
    option.part = part

    with pytest.raises(EpisodeError, match=rf"^the option library failed at tick \d: ZeroDivisionError: {part}$"):
        play_walking(scheduler)
    scheduler.end("failed")

    events = scheduler.take()
    rewards = [event.rewards for event in events if isinstance(event, Stepped)]
    assert isinstance(events[-1], EpisodeEnded)
    assert each_offer_ends_once(events)
    assert events[-1].returns == tuple(sum(seat) for seat in zip((0.0, 0.0), *rewards, strict=True))


def play_walking(scheduler: Scheduler[Any]) -> None:
    """Everybody walks to the hatch, again and again."""
    for _ in range(20):
        for offer in scheduler.due():
            choose(scheduler, offer.seat, "walk")
        scheduler.tick()


def each_offer_ends_once(events: Sequence[Event]) -> bool:
    """Whether offers and their ends are the same, none twice."""
    offered = [(event.seat, event.decision) for event in events if isinstance(event, MenuOffered)]
    closed = [(event.seat, event.decision) for event in events if isinstance(event, OptionChosen | OfferLapsed)]
    return sorted(offered) == sorted(closed) and len(set(offered)) == len(offered)


RANKS: dict[type[Event], int] = {
    MenuOffered: 0,
    OptionChosen: 1,
    ChoiceRejected: 1,
    OfferLapsed: 1,
    OptionStarted: 1,
    Stepped: 2,
    OptionEnded: 3,
}


@given(st.integers(0, 1 << 32), st.integers(1, 3), st.data())
def test_whatever_drivers_do_the_events_make_sense(seed: int, seats: int, data: st.DataObject) -> None:
    """Offers end once, options begin and end in turn, ticks are whole, and the order is the one that is promised."""
    scheduler = pantry(seed, seats)
    events: list[Event] = []

    for _ in range(25):
        scheduler.due()
        for seat in range(seats):
            offer = scheduler.open_offer(seat)
            if offer is not None:
                answer(scheduler, offer, data.draw(st.integers(-3, len(offer.menu) - 1)))
        scheduler.tick()
        events += scheduler.take()
    scheduler.end("horizon")
    events += scheduler.take()

    assert each_offer_ends_once(events)
    assert [event.tick for event in events if isinstance(event, Stepped)] == list(range(25))
    body = events[: next(place for place, event in enumerate(events) if event.tick == 25)]
    keys = [(event.tick, RANKS[type(event)], getattr(event, "seat", 0)) for event in body]
    assert keys == sorted(keys)
    for seat in range(seats):
        assert options_take_turns([event for event in events if getattr(event, "seat", seat) == seat])


def answer(scheduler: Scheduler[Any], offer: Offer, index: int) -> None:
    """Choose; below 0: say nothing, or nonsense, or let it lapse."""
    if index >= 0:
        scheduler.choose(offer.seat, index)
    elif index == -2:
        scheduler.reject(offer.seat, "malformed", "")
    elif index == -3:
        scheduler.lapse(offer.seat, "timeout")


def options_take_turns(events: Sequence[Event]) -> bool:
    """Whether a seat's options each begin, run as long as they say, and end before the next."""
    begun: OptionStarted | None = None
    for event in events:
        if isinstance(event, MenuOffered | OptionStarted) and begun is not None:
            return False
        if isinstance(event, OptionStarted):
            begun = event
        if isinstance(event, OptionEnded):
            last = event.tick if event.outcome != "cancelled" else event.tick - 1
            if begun is None or (begun.option, begun.tick + event.ticks - 1) != (event.option, last):
                return False
            begun = None
    return True


def test_the_longest_kitchen_options_are_bounded_too() -> None:
    """A cook in a corridor whose way is blocked gives up in a stated number of ticks."""
    game = registry.make("overcooked:cramped_corridor")
    library = registry.library(game)
    scheduler = Scheduler(game, library, seed=0, holders=["ada"] * game.seats, steps=400, starts="varied")
    plans: dict[int, OptionStarted] = {}
    late = []

    for _ in range(400):
        for offer in scheduler.due():
            scheduler.choose(offer.seat, int(offer.draw * len(offer.menu)))
        scheduler.tick()
        for event in scheduler.take():
            if isinstance(event, OptionStarted):
                plans[event.seat] = event
            if isinstance(event, OptionEnded):
                slack = library.by_name[event.option.partition("@")[0]].slack
                late += [event] if event.ticks > max(1, plans[event.seat].plan + slack) else []

    assert not late
