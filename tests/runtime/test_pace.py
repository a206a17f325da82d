"""The paces, on a loop whose time jumps, however fast the machine is."""

import asyncio
import math
import selectors
from collections.abc import Callable, Coroutine
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hocket.runtime.errors import SettingError
from hocket.runtime.incident import Incident
from hocket.runtime.listed import Listed
from hocket.runtime.pace import Live, Lockstep, Pace, Simulated


class JumpingLoop(asyncio.SelectorEventLoop):
    """A loop whose time jumps to the next timer whenever every task waits."""

    def __init__(self) -> None:
        super().__init__(_JumpingSelector(self))
        self.passed = 0.0

    def time(self) -> float:
        return 1000.0 + self.passed


class _JumpingSelector(selectors.SelectSelector):
    def __init__(self, loop: JumpingLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> Any:
        self._loop.passed += timeout or 0.0
        return super().select(0)


def run(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run on a loop whose time begins at 1000 seconds."""
    anyio.run(main, backend_options={"loop_factory": JumpingLoop})


def test_lockstep_begins_when_it_is_asked_to() -> None:
    """No wall time passes between the ticks of a world that waits for its seats."""
    moments: list[float] = []

    async def main() -> None:
        pace: Pace = Lockstep()
        for tick in range(100):
            assert (pace.waits, pace.deadline(tick)) == (True, math.inf)
            await pace.begin(tick)
            moments.append(anyio.current_time())

    run(main)

    assert moments == [1000.0] * 100


def test_lockstep_bounds_an_answer_by_its_limit() -> None:
    """The limit counts from the offer, whatever the tick before took."""
    deadlines: list[float] = []

    async def main() -> None:
        pace = Lockstep(limit=2.5)
        for tick in range(3):
            deadlines.append(pace.deadline(tick))
            await anyio.sleep(10)
            await pace.begin(tick)

    run(main)

    assert deadlines == [1002.5, 1012.5, 1022.5]


@pytest.mark.parametrize("pace", [Lockstep(), Lockstep(limit=1), Live(hz=1e9), Simulated(Listed())])
def test_every_tick_is_a_point_of_cancellation(pace: Pace) -> None:
    """A world in which no seat is ever due can still be interrupted."""
    begun: list[int] = []

    async def main() -> None:
        with anyio.CancelScope() as scope:
            scope.cancel()
            await pace.begin(0)
            begun.append(0)

    run(main)

    assert begun == []


def test_virtual_time_takes_no_wall_time() -> None:
    """The world goes on without its seats, at once, and an answer may be computed for as long as it takes."""
    faults, moments = Listed([Incident("hold", 0, 3)]), list[float]()
    pace = Simulated(faults)

    async def main() -> None:
        for tick in range(100):
            assert pace.deadline(tick) == math.inf
            await pace.begin(tick)
            moments.append(anyio.current_time())

    run(main)

    assert moments == [1000.0] * 100
    assert (pace.waits, pace.faults) == (False, faults)


def test_virtual_time_bounds_what_is_computed_by_its_limit() -> None:
    """In seconds of wall time, from when an offer arrives."""
    deadlines: list[float] = []

    async def main() -> None:
        pace = Simulated(Listed(), limit=2.5)
        for tick in range(3):
            deadlines.append(pace.deadline(tick))
            await anyio.sleep(10)
            await pace.begin(tick)

    run(main)

    assert deadlines == [1002.5, 1012.5, 1022.5]


def test_live_ticks_do_not_drift() -> None:
    """The thousandth tick begins a thousand periods after the first, whatever the work in between."""
    moments: list[float] = []

    async def main() -> None:
        pace = Live(hz=7)
        for tick in range(1001):
            await pace.begin(tick)
            moments.append(anyio.current_time())
            await anyio.sleep(0.1)

    run(main)

    assert moments == pytest.approx([1000 + tick / 7 for tick in range(1, 1002)], abs=1e-6)


def test_live_collects_answers_until_the_tick_is_due() -> None:
    """The deadline of a tick is its moment, and the offers then stay open."""
    seen: list[tuple[float, float]] = []

    async def main() -> None:
        pace = Live(hz=4)
        for tick in range(3):
            deadline = pace.deadline(tick)
            await pace.begin(tick)
            seen.append((deadline, anyio.current_time()))
        assert not pace.waits

    run(main)

    assert seen == [(1000.25, 1000.25), (1000.5, 1000.5), (1000.75, 1000.75)]


def test_live_counts_from_the_first_tick_that_it_is_asked_about() -> None:
    """An episode that goes on from tick 50 begins one period from now, not 50 periods late."""
    moments: list[float] = []

    async def main() -> None:
        pace = Live(hz=2)
        for tick in (50, 51):
            await pace.begin(tick)
            moments.append(anyio.current_time())

    run(main)

    assert moments == [1000.5, 1001.0]


def test_a_tick_that_is_a_little_late_is_made_good_by_the_next() -> None:
    """Half a period of lateness costs no period."""
    moments: list[float] = []
    pace = Live(hz=1)

    async def main() -> None:
        for tick in range(4):
            await pace.begin(tick)
            moments.append(anyio.current_time())
            await anyio.sleep(1.5 if tick == 0 else 0)

    run(main)

    assert (moments, pace.skipped) == ([1001.0, 1002.5, 1003.0, 1004.0], 0)


def test_a_world_that_was_away_does_not_catch_up_in_a_burst() -> None:
    """After three missed periods one tick begins late, and the next on its own moment."""
    moments: list[float] = []
    pace = Live(hz=1)

    async def main() -> None:
        for tick in range(4):
            await pace.begin(tick)
            moments.append(anyio.current_time())
            await anyio.sleep(4.25 if tick == 0 else 0)

    run(main)

    assert (moments, pace.skipped) == ([1001.0, 1005.25, 1006.0, 1007.0], 3)


@given(st.lists(st.integers(0, 40), max_size=30))
def test_at_most_one_tick_begins_between_two_moments(work: list[int]) -> None:
    """However long each step of the world takes, in eighths of a period."""
    moments: list[float] = []

    async def main() -> None:
        pace = Live(hz=1)
        for tick, eighths in enumerate(work):
            await pace.begin(tick)
            moments.append(anyio.current_time())
            await anyio.sleep(eighths / 8)

    run(main)

    periods = [math.floor(moment) for moment in moments]
    assert periods == sorted(dict.fromkeys(periods))


@pytest.mark.parametrize("hz", [0, -1, math.inf, math.nan])
def test_a_rate_must_be_a_rate(hz: float) -> None:
    """A world with no ticks, or with all of them at once, is a mistake in a setting."""
    with pytest.raises(SettingError, match="but must be a finite number of ticks a second above 0"):
        Live(hz)


@pytest.mark.parametrize("limit", [0, -0.5, math.nan])
def test_a_limit_must_leave_time(limit: float) -> None:
    """No seat could ever answer within no time."""
    with pytest.raises(SettingError, match=r"limit is .* but must be a number of seconds above 0, or None"):
        Lockstep(limit)
    with pytest.raises(SettingError, match=r"limit is .* but must be a number of seconds above 0, or None"):
        Simulated(Listed(), limit)
