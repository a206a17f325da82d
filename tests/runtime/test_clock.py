"""The clock: ties, bounds of a run, the past, cancelled calls."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hocket.runtime.clock import Clock
from hocket.runtime.errors import ClockError


def test_a_tie_goes_to_whoever_asked_first() -> None:
    """Two cooks due on one tick act in the order in which they were scheduled."""
    clock = Clock()
    log: list[str] = []
    for cook in ("ada", "bo"):
        clock.at(5, partial(log.append, cook))

    clock.run(until=6)

    assert log == ["ada", "bo"]


def test_a_call_due_at_the_end_of_a_run_stays_due() -> None:
    """The bound of a run is open, so that two runs in a row make each call once."""
    clock = Clock()
    log: list[int] = []
    clock.at(3, lambda: log.append(clock.now))

    clock.run(until=3)
    before = list(log)
    clock.run(until=4)

    assert (before, log, clock.now) == ([], [3], 4)


def test_a_call_may_ask_for_more_on_its_own_tick() -> None:
    """What a cook sets off at once belongs to the same tick, after what was asked for before."""
    clock = Clock()
    log: list[str] = []
    clock.at(2, lambda: clock.at(2, partial(log.append, "ada again")))
    clock.at(2, partial(log.append, "bo"))

    clock.run(until=3)

    assert log == ["bo", "ada again"]


def test_a_cancelled_call_is_not_made() -> None:
    """An answer that came needs no timeout any more, and cancelling twice is no error."""
    clock = Clock()
    log: list[str] = []
    timeout = clock.at(1, partial(log.append, "too late"))
    clock.at(0, timeout.cancel)

    clock.run(until=2)
    timeout.cancel()

    assert (log, timeout.pending) == ([], False)


def test_a_call_that_was_made_is_no_longer_pending() -> None:
    """The handle says whether there is still something to cancel."""
    clock = Clock()
    due = clock.at(0, lambda: None)
    pending = due.pending

    clock.run(until=1)

    assert (pending, due.pending) == (True, False)


def test_the_past_cannot_be_asked_for() -> None:
    """A call for a tick that has passed would never be made: that is an error of whoever asks."""
    clock = Clock()
    clock.run(until=7)

    with pytest.raises(ClockError) as asked:
        clock.at(6, lambda: None)
    with pytest.raises(ClockError) as run:
        clock.run(until=6)

    assert str(asked.value) == str(run.value) == "a call was asked for tick 6, but it is tick 7"
    assert clock.at(7, lambda: None).pending


def test_a_call_that_raises_leaves_the_clock_at_its_tick() -> None:
    """The error passes through, and what else is due is still made afterwards."""
    clock = Clock()
    log: list[str] = []
    clock.at(1, lambda: 1 // 0)
    clock.at(1, partial(log.append, "bo"))

    with pytest.raises(ZeroDivisionError):
        clock.run(until=5)
    stood = clock.now
    clock.run(until=5)

    assert (stood, log, clock.now) == (1, ["bo"], 5)


def test_a_call_cannot_run_the_clock_that_makes_it() -> None:
    """Time would have to go on inside a moment, and then go back."""
    clock = Clock()
    clock.at(1, lambda: clock.run(until=9))

    with pytest.raises(RuntimeError, match="from inside a call"):
        clock.run(until=5)

    assert clock.now == 1


@given(st.lists(st.integers(0, 5)), st.lists(st.integers(0, 6)))
def test_however_the_runs_are_cut_the_calls_are_the_same(ticks: list[int], cuts: list[int]) -> None:
    """Calls come by tick, then by order of asking, and the bounds of runs play no part."""
    clock = Clock()
    log: list[tuple[int, int]] = []
    for number, tick in enumerate(ticks):
        clock.at(tick, partial(lambda number: log.append((clock.now, number)), number))

    for until in sorted(cuts):
        clock.run(until=until)
    clock.run(until=6)

    assert log == sorted((tick, number) for number, tick in enumerate(ticks))


def test_catching_up_makes_what_is_due_by_now_and_stays() -> None:
    """Also what those calls ask for at once; later ones stay due, and nothing is made twice."""
    clock = Clock()
    log: list[tuple[str, int]] = []
    clock.run(until=3)
    clock.at(3, lambda: clock.at(3, lambda: log.append(("ada again", clock.now))))
    clock.at(3, lambda: log.append(("bo", clock.now)))
    clock.at(4, lambda: log.append(("later", clock.now)))

    clock.catch_up()
    clock.catch_up()

    assert (log, clock.now) == ([("bo", 3), ("ada again", 3)], 3)
    clock.run(until=5)
    assert log[2:] == [("later", 4)]


def test_a_call_cannot_catch_up_with_the_clock_that_makes_it() -> None:
    """What it asks for now is made anyway."""
    clock = Clock()
    clock.at(0, clock.catch_up)

    with pytest.raises(RuntimeError, match="from inside a call"):
        clock.catch_up()


def test_catching_up_goes_on_behind_a_call_that_raises() -> None:
    """The error passes through, the clock stands where it was, and the rest is made the next time."""
    clock = Clock()
    log: list[str] = []
    clock.run(until=2)
    clock.at(2, lambda: 1 // 0)
    clock.at(2, partial(log.append, "bo"))

    with pytest.raises(ZeroDivisionError):
        clock.catch_up()
    clock.catch_up()

    assert (log, clock.now) == (["bo"], 2)
