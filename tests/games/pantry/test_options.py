"""The options of a pantry, in their four parts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hocket.games.pantry.options import default_library
from hocket.games.pantry.rules import ACT, BEFORE, FLOOR, HATCH, ROOM_ON_TABLE, SHELF, STAY, TABLE, Facts, move
from hocket.runtime.events import Cell
from hocket.runtime.option import Failure, Option

AIMS = {"fetch": SHELF, "hand_over": TABLE, "take": TABLE, "open_hatch": HATCH, "serve": HATCH}


def option(name: str) -> Option[Facts]:
    """One of the library."""
    return default_library().by_name[name]


def carried_out(name: str, facts: Facts, seat: int = 0) -> tuple[Facts, int, bool]:
    """Expand and carry out, while the others stand still: the state after it, its length, its effect."""
    chosen = option(name)
    entry = chosen.instances(facts, seat)[0]
    plan, after = chosen.expand(entry, facts, seat), facts
    assert not isinstance(plan, Failure)
    for action in plan:
        joint = [STAY] * len(facts.places)
        joint[seat] = action
        after = move(after, joint)[0]
    return after, len(plan), chosen.effect(entry, facts, after, seat)


def test_each_option_aims_at_its_one_fixture() -> None:
    """Existence is all that counts: an empty table can be aimed at as well."""
    facts = Facts(FLOOR[:2], (False, False))

    targets = {each.name: [entry.target for entry in each.instances(facts, 1)] for each in default_library().options}

    assert targets == {"wait": [None]} | {name: [target] for name, target in AIMS.items()}


@pytest.mark.parametrize(
    ("place", "lengths"), [((1, 2), (1, 4, 5)), ((3, 1), (4, 1, 4)), ((5, 3), (6, 5, 2)), ((5, 2), (5, 4, 1))]
)
def test_an_option_is_as_long_as_the_way_to_its_fixture(place: Cell, lengths: tuple[int, int, int]) -> None:
    """So seats come due on ticks of their own."""
    facts = Facts((place,), (False,), jars=1)

    found = tuple(carried_out(name, facts)[1] for name in ("fetch", "take", "open_hatch"))

    assert found == lengths


@given(st.sampled_from(FLOOR), st.sampled_from(sorted(AIMS)), st.integers(0, 1))
def test_every_plan_ends_before_its_fixture_with_an_act(place: Cell, name: str, seat: int) -> None:
    """From wherever a cook stands, by the shortest way."""
    facts = Facts((place, place), (False, True), jars=1)

    plan = option(name).expand(option(name).instances(facts, seat)[0], facts, seat)
    after, length, _ = carried_out(name, facts, seat)

    assert not isinstance(plan, Failure)
    assert plan[-1] == ACT
    assert ACT not in plan[:-1]
    assert after.places[seat] == BEFORE[AIMS[name]]
    assert length == 1 + sum(abs(one - other) for one, other in zip(place, BEFORE[AIMS[name]], strict=True))


@pytest.mark.parametrize(
    ("name", "facts", "done"),
    [
        ("fetch", Facts(((2, 2),), (False,)), True),
        ("fetch", Facts(((2, 2),), (True,)), False),
        ("hand_over", Facts(((2, 2),), (True,)), True),
        ("hand_over", Facts(((2, 2),), (False,)), False),
        ("hand_over", Facts(((2, 2),), (True,), ROOM_ON_TABLE), False),
        ("take", Facts(((2, 2),), (False,), 1), True),
        ("take", Facts(((2, 2),), (True,), 1), False),
        ("open_hatch", Facts(((2, 2),), (False,)), True),
        ("open_hatch", Facts(((2, 2),), (True,)), False),
        ("open_hatch", Facts(((2, 2),), (False,), 0, True), False),
        ("serve", Facts(((2, 2),), (True,), 0, True), True),
        ("serve", Facts(((2, 2),), (True,)), False),
        ("serve", Facts(((2, 2),), (False,), 0, True), False),
    ],
)
def test_an_effect_tells_whether_the_promise_was_kept(name: str, facts: Facts, done: bool) -> None:
    """An option can be started where it makes no sense; it is then carried out in vain."""
    assert carried_out(name, facts)[2] is done


def test_only_taking_from_an_empty_table_fails_explicitly() -> None:
    """That is the one thing that a cook can know before she walks."""
    facts = Facts(((2, 2),), (False,))

    failures = {
        each.name: plan.reason
        for each in default_library().options
        if isinstance(plan := each.expand(each.instances(facts, 0)[0], facts, 0), Failure)
    }

    assert failures == {"take": "TableEmpty"}


def test_opening_the_hatch_changes_shared_state_alone() -> None:
    """Nothing tells who did it, so bo's work counts for ada's option too; all others are bound to one's own hands."""
    before = Facts(((5, 2), (5, 2)), (False, False))
    after = move(before, [STAY, ACT])[0]

    judged = [option("open_hatch").effect(option("open_hatch").instances(before, 0)[0], before, after, 0)]

    assert judged == [True]
    assert [each.name for each in default_library().options if not each.private] == ["open_hatch"]


@pytest.mark.parametrize("name", ["fetch", "hand_over", "take", "serve"])
def test_a_partners_deed_is_never_taken_for_ones_own(name: str) -> None:
    """What bo gains or gives is no success of ada's."""
    facts = Facts(((1, 2), (1, 2)), (False, name in ("hand_over", "serve")), 1, True)

    after, _, done = carried_out(name, facts, seat=1)

    assert done
    assert not option(name).effect(option(name).instances(facts, 0)[0], facts, after, 0)
