"""Random streams: addressed, apart from each other, and the same in every process."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hocket.runtime.errors import SettingError
from hocket.runtime.seed import Streams


def test_a_draw_is_the_same_whatever_was_drawn_before() -> None:
    """Draws are looked up by number, so a decision that ada never took shifts none of those after it."""
    one, other = (Streams(7).stream("choice", 0) for _ in range(2))

    for number in range(100):
        one.uniform(number)

    assert one.uniform(5) == other.uniform(5)
    assert one.order(5, 6) == other.order(5, 6)


def test_streams_of_other_names_seats_and_seeds_have_nothing_in_common() -> None:
    """Were two of them one stream, ada's letters would tell what bo is about to draw."""
    streams = [Streams(seed).stream(name, seat) for seed in (0, 1) for name in ("letters", "choice") for seat in (0, 1)]

    draws = [stream.uniform(number) for stream in streams for number in range(50)]

    assert len(set(draws)) == len(draws)


def test_streams_keep_their_numbers_from_version_to_version() -> None:
    """Every trace and every published run depends on these very numbers."""
    streams = Streams(7)
    letters = streams.stream("letters", 1)

    draws = [letters.uniform(0), letters.uniform(17)]
    order, number = letters.order(3, 6), streams.dice("start").randrange(1000)

    assert draws == [0.9611909066243568, 0.01705707089788333]
    assert (order, number) == ([2, 3, 5, 4, 1, 0], 939)


def test_every_order_is_as_likely_as_any_other() -> None:
    """A place on the menu that is drawn more often would teach a model a letter."""
    stream = Streams(0).stream("letters", 0)

    counts = dict.fromkeys(permutations(range(3)), 0)
    for number in range(6000):
        counts[tuple(stream.order(number, 3))] += 1

    assert all(850 < count < 1150 for count in counts.values())


def test_draws_are_spread_evenly() -> None:
    """An agent that samples with them picks what it means to pick, as often as it means to."""
    stream = Streams(3).stream("choice", 2)

    tenths = [0] * 10
    for number in range(10_000):
        tenths[int(stream.uniform(number) * 10)] += 1

    assert all(850 < count < 1150 for count in tenths)


def test_dice_begin_anew_each_time_they_are_asked_for() -> None:
    """What is drawn once an episode does not depend on who else has asked."""
    streams = Streams(11)

    first, second = (streams.dice("start").getrandbits(120) for _ in range(2))

    assert first == second != streams.dice("other").getrandbits(120)


@pytest.mark.parametrize("seed", [-1, True, 1.5, "7", None])
def test_a_seed_is_a_whole_number_of_0_or_more(seed: object) -> None:
    """Anything else would be hashed or rounded into some other seed without a word."""
    with pytest.raises(SettingError) as refused:
        Streams(seed)  # type: ignore[arg-type]

    assert str(refused.value) == f"seed is {seed!r}, but must be an integer of 0 or more, below 2^63"


@given(st.integers(0, (1 << 63) - 1), st.integers(0, 11), st.integers(0, 1 << 62), st.integers(0, 60))
def test_draws_are_in_range_and_orders_are_permutations(seed: int, seat: int, number: int, size: int) -> None:
    """Whatever seed, seat and number, the menu loses no entry and the draw picks an entry that is there."""
    stream = Streams(seed).stream("letters", seat)

    draw, order = stream.uniform(number), stream.order(number, size)

    assert 0 <= draw < 1
    assert sorted(order) == list(range(size))
