"""Options under way, without offers or events: what is popped, what is stepped, what is judged."""

from collections.abc import Callable, Sequence

import pytest

from hocket.games.pantry.rules import Facts
from hocket.games.pantry.world import Pantry
from hocket.runtime.errors import EpisodeError
from hocket.runtime.events import GameEvent
from hocket.runtime.execution import Execution
from hocket.runtime.option import Failure, Feature, Instance, Plan, instance

NORTH, SOUTH, EAST, WEST, STAY, ACT = range(6)


class Scripted:
    """An option that is told what to expand to, time after time, the last one for good."""

    name, private, fixed = "scripted", True, True
    reads: tuple[Feature, ...] = ()
    senses: tuple[Feature, ...] = ()

    def __init__(self, *plans: Plan | Failure, replans: bool = False, slack: int = 0, done: bool = True) -> None:
        self.plans, self.replans, self.slack, self.done = list(plans), replans, slack, done
        self.asked: list[tuple[Facts, int]] = []
        self.judged: list[tuple[Facts, Facts, int]] = []
        self.entry = instance(self.name, None, "do as told")

    def read(self, instance: Instance, facts: Facts, seat: int) -> tuple[int, ...]:
        return ()

    sense = read

    def instances(self, facts: Facts, seat: int) -> Sequence[Instance]:
        return (self.entry,)

    def expand(self, instance: Instance, facts: Facts, seat: int) -> Plan | Failure:
        self.asked.append((facts, seat))
        return self.plans.pop(0) if len(self.plans) > 1 else self.plans[0]

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        self.judged.append((before, after, seat))
        return self.done


class Broken(Scripted):
    """Raises when its effect is asked for."""

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        raise ZeroDivisionError("salt")


class Cursed(Pantry):
    """A pantry that cannot be stepped."""

    def step(self, joint: Sequence[int]) -> tuple[tuple[float, ...], tuple[GameEvent, ...]]:
        raise RuntimeError("the roof fell in")


def begun(*options: Scripted | None, game: Pantry | None = None) -> Execution[Facts]:
    """A pantry in which each seat has begun its option."""
    execution: Execution[Facts] = Execution(game or Pantry(len(options)))
    for seat, option in enumerate(options):
        if option is not None:
            execution.start(seat, option, option.entry)
    return execution


def played(execution: Execution[Facts], ticks: int) -> tuple[list[int], list[tuple[int, int, str]]]:
    """Joint actions of the first seat, and what ended: tick, seat, outcome."""
    actions, ended = [], []
    for tick in range(ticks):
        execution.step()
        actions.append(execution.joint[0])
        ended += [(tick, seat, outcome) for seat, _, outcome in execution.judge()]
    return actions, ended


def test_a_plan_is_popped_action_by_action() -> None:
    """And then judged, between the state in which it began and the one that it left."""
    option = Scripted((EAST, SOUTH, ACT))
    execution = begun(option)
    before = execution.facts

    actions, ended = played(execution, 5)

    assert actions == [EAST, SOUTH, ACT, STAY, STAY]
    assert ended == [(2, 0, "success")]
    assert [(one.places, other.places, seat) for one, other, seat in option.judged] == [
        (before.places, ((2, 2),), 0),
    ]


def test_an_effect_that_does_not_hold_is_told() -> None:
    """Carried out in vain."""
    assert played(begun(Scripted((ACT,), done=False)), 1)[1] == [(0, 0, "effect_fail")]


def test_a_failed_expansion_costs_one_tick_and_is_not_judged() -> None:
    """Passing or lasting: nothing was under way yet that could wait."""
    for failure in (Failure("TargetAbsent"), Failure("NoPath", passing=True)):
        option = Scripted(failure, (ACT,), replans=True)

        actions, ended = played(begun(option), 2)

        assert actions == [STAY, STAY]
        assert ended == [(0, 0, f"explicit:{failure.reason}")]
        assert option.judged == []


def test_only_an_option_that_replans_is_expanded_again() -> None:
    """Not in the tick in which it began, and with the facts of each tick."""
    firm, fickle = Scripted((EAST, EAST, ACT)), Scripted((EAST, EAST, ACT), (SOUTH, ACT), (ACT,), replans=True)
    execution = begun(fickle, firm)
    start = execution.facts

    actions, ended = played(execution, 3)

    assert actions == [EAST, SOUTH, ACT]
    assert ended == [(2, 0, "success"), (2, 1, "success")]
    assert len(firm.asked) == 1
    assert [facts.places[0] for facts, _ in fickle.asked] == [start.places[0], (2, 1), (2, 2)]


def test_what_passes_is_waited_for() -> None:
    """The seat stands still, and goes on where a plan is to be had again."""
    blocked = Failure("NoPath", passing=True)
    option = Scripted((EAST, ACT), blocked, blocked, (ACT,), replans=True, slack=2)

    assert played(begun(option), 4) == ([EAST, STAY, STAY, ACT], [(3, 0, "success")])


def test_what_does_not_pass_ends_the_option_at_once() -> None:
    """It is not carried out blindly, nor judged."""
    option = Scripted((EAST, EAST, ACT), Failure("TargetAbsent"), replans=True, slack=9)

    assert played(begun(option), 3) == ([EAST, STAY, STAY], [(1, 0, "explicit:TargetAbsent")])
    assert option.judged == []


@pytest.mark.parametrize("slack", [0, 1, 3])
def test_an_option_may_take_its_slack_longer_than_its_first_plan(slack: int) -> None:
    """Counted from the first plan, whatever the later ones are like."""
    option = Scripted((EAST, ACT), Failure("NoPath", passing=True), replans=True, slack=slack)

    actions, ended = played(begun(option), 6)

    assert ended == [(1 + slack, 0, "timeout")]
    assert actions == [EAST, *[STAY] * 5]


def test_a_plan_that_turns_out_empty_is_over() -> None:
    """What was wanted is so already: the seat stands still for that tick and is judged."""
    option = Scripted((EAST, ACT), (), replans=True)

    assert played(begun(option), 2) == ([EAST, STAY], [(1, 0, "success")])


def test_seats_are_judged_in_their_order_and_are_free_again() -> None:
    """Another option can begin in the same seat at the next tick; the other goes on."""
    long, short = Scripted((STAY, STAY, STAY)), Scripted((STAY,))
    execution = begun(short, long, short)

    _, first = played(execution, 1)
    free = [seat for seat, run in enumerate(execution.runs) if run is None]
    execution.start(2, short, short.entry)
    _, second = played(execution, 2)

    assert first == [(0, 0, "success"), (0, 2, "success")]
    assert free == [0, 2]
    assert second == [(0, 2, "success"), (1, 1, "success")]


def test_a_step_keeps_what_came_of_it() -> None:
    """Joint action, rewards and events of the last step, until the next."""
    pantry = Pantry(1)
    pantry._facts = Facts(((5, 2),), (True,), 0, True)
    option = Scripted((ACT, STAY))
    execution = begun(option, game=pantry)

    execution.step()
    kept = execution.joint, execution.rewards, execution.events
    execution.judge()
    execution.step()

    assert kept == ((ACT,), (1.0,), (GameEvent("delivered", 0, "jar", (6, 2), 1.0),))
    assert (execution.joint, execution.rewards, execution.events) == ((STAY,), (0.0,), ())
    assert execution.now == 1


@pytest.mark.parametrize(
    ("execution", "message"),
    [
        (lambda: begun(Broken((ACT,))), "the option library failed at tick 0: ZeroDivisionError: salt"),
        (lambda: begun(Scripted((ACT,)), game=Cursed(1)), "the game failed at tick 0: RuntimeError: the roof fell in"),
    ],
)
def test_who_failed_is_named_with_its_tick(execution: Callable[[], Execution[Facts]], message: str) -> None:
    """A game and a library are somebody's code; the cause is kept."""
    with pytest.raises(EpisodeError) as failed:
        played(execution(), 1)

    assert str(failed.value) == message
    assert failed.value.__cause__ is not None
