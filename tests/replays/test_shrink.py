"""The smallest schedule that still fails, over any notion of failing."""

from collections.abc import Callable, Sequence
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hocket.replays.shrink import shrink
from hocket.runtime.incident import Incident

Fails = Callable[[tuple[Incident, ...]], bool]

SCHEDULES = st.lists(st.integers(0, 40), max_size=24).map(
    lambda ticks: tuple(Incident("hold", 0, place, ticks=each) for place, each in enumerate(ticks))
)


@st.composite
def cases(draw: st.DrawFn) -> tuple[tuple[Incident, ...], Fails]:
    """A schedule and a notion of failing under which it fails: monotonic or not, with or without ticks."""
    schedule = draw(SCHEDULES)
    seed = draw(st.integers(0, 2**32))
    kind = draw(st.sampled_from(["some", "ticks", "anything"]))
    some = draw(st.lists(st.sampled_from(schedule), unique=True, max_size=4)) if schedule else []

    def fails(candidate: tuple[Incident, ...]) -> bool:
        if candidate == schedule:
            return True
        if kind == "some":
            return {each.at for each in some} <= {each.at for each in candidate}
        if kind == "ticks":
            return sum(each.ticks for each in candidate) >= sum(each.ticks for each in some)
        return crc32(f"{seed} {' '.join(map(str, candidate))}".encode()) % 3 == 0

    return schedule, fails


def less_each(schedule: Sequence[Incident]) -> list[tuple[Incident, ...]]:
    """The schedule without each of its faults."""
    return [(*schedule[:place], *schedule[place + 1 :]) for place in range(len(schedule))]


@given(cases())
@settings(max_examples=200)
def test_what_is_left_fails_and_nothing_of_it_can_be_left_out(case: tuple[tuple[Incident, ...], Fails]) -> None:
    """Whatever failing means, as long as the tries suffice."""
    schedule, fails = case

    found = shrink(schedule, fails, tries=100_000)

    assert fails(found)
    assert not any(map(fails, less_each(found)))


@given(cases(), st.integers(0, 60))
@settings(max_examples=200)
def test_what_is_left_is_of_the_schedule_in_its_order_and_fails_however_few_tries_there_are(
    case: tuple[tuple[Incident, ...], Fails], tries: int
) -> None:
    """Faults are left out or made shorter, never longer, moved or invented."""
    schedule, fails = case

    found = shrink(schedule, fails, tries=tries)

    assert fails(found)
    places = [each.at for each in found]
    assert places == sorted(dict.fromkeys(places))
    for each in found:
        assert each.ticks <= schedule[each.at].ticks
        assert (each.ticks == 0) == (schedule[each.at].ticks == 0)


@given(cases(), st.integers(0, 60))
@settings(max_examples=100)
def test_no_more_is_played_than_was_allowed(case: tuple[tuple[Incident, ...], Fails], tries: int) -> None:
    """Each try is an episode."""
    schedule, fails = case
    asked: list[tuple[Incident, ...]] = []

    def counted(candidate: tuple[Incident, ...]) -> bool:
        asked.append(candidate)
        return fails(candidate)

    shrink(schedule, counted, tries=tries)

    assert len(asked) <= tries


def test_two_faults_of_two_hundred_are_found_in_few_tries() -> None:
    """Whole halves go at once where they have nothing to do with it."""
    schedule = [Incident("drop", 0, decision, "offer") for decision in range(200)]
    tried: list[int] = []

    def fails(candidate: tuple[Incident, ...]) -> bool:
        tried.append(len(candidate))
        return {schedule[17], schedule[163]} <= set(candidate)

    found = shrink(schedule, fails)

    assert found == (schedule[17], schedule[163])
    assert len(tried) < 80


def test_what_is_left_is_made_shorter() -> None:
    """By halves, for as long as it fails; one tick is the least that a fault can last."""
    schedule = [Incident("hold", 0, 3, ticks=100), Incident("think", 1, 4, ticks=9)]

    found = shrink(schedule, lambda some: len(some) == 2 and some[0].ticks >= 20)

    assert [each.ticks for each in found] == [25, 1]


def test_what_stands_for_good_is_not_made_shorter() -> None:
    """0 ticks are no ticks fewer."""
    forever = Incident("partition", 0, 3)

    assert shrink([forever], lambda some: some == (forever,)) == (forever,)


def test_what_can_be_left_out_once_the_rest_is_shorter_is_left_out() -> None:
    """A hold of 4 ticks needs the drop to do harm; one of 2 does not."""
    hold, drop = Incident("hold", 0, 3, ticks=4), Incident("drop", 0, 5, "offer")

    def fails(some: tuple[Incident, ...]) -> bool:
        held = sum(each.ticks for each in some if each.kind == "hold")
        return held == 2 or (held == 4 and drop in some)

    found = shrink([hold, drop], fails)

    assert [str(each) for each in found] == ["hold:0:3:2"]


@pytest.mark.parametrize(
    "schedule", [(), (Incident("never", 0, 0),), tuple(Incident("never", 0, at) for at in range(9))]
)
def test_what_fails_of_itself_needs_no_fault(schedule: tuple[Incident, ...]) -> None:
    """The smallest schedule is none, and it is tried first."""
    asked: list[tuple[Incident, ...]] = []

    def fails(some: tuple[Incident, ...]) -> bool:
        asked.append(some)
        return True

    found = shrink(schedule, fails)

    assert (found, len(asked)) == ((), min(1, len(schedule)))
