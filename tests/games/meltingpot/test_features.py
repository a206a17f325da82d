"""A window as numbers."""

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.games.meltingpot.worlds import EAST, NORTH, SOUTH, WEST, joints, needs_substrates, standing, world

from hocket.games.meltingpot.features import PLANES

pytestmark = needs_substrates
MARKS = '#~"ad^>v<'
"""What the first planes are of, as a view marks it."""


def lit(plane: NDArray[np.float32]) -> set[tuple[int, int]]:
    """The cells of a plane that are set, as row and column."""
    return {(int(row), int(column)) for row, column in zip(*np.nonzero(plane), strict=True)}


def test_a_window_is_a_plane_a_thing() -> None:
    """Rows from the farthest ahead, columns from left to right, others as they look from here."""
    game = world("cleanup", seats=5)
    poses = [((5, 9), NORTH), ((5, 7), NORTH), ((6, 7), EAST), ((4, 8), SOUTH), ((3, 9), WEST)]

    array = game.array(standing(game, poses, dirt=[(5, 5)], zap_wait=(5,), clean_wait=(1,)), 0)

    assert (array.shape, array.dtype) == ((PLANES, 11, 11), np.dtype(np.float32))
    assert lit(array[0]) == {(0, column) for column in range(11)} | {(row, 0) for row in range(11)}
    assert lit(array[1]) == {(row, column) for row in range(1, 6) for column in range(1, 11)} - {(5, 5)}
    assert [lit(array[plane]) for plane in range(2, 9)] == [
        set(),
        set(),
        {(5, 5)},
        {(7, 5)},
        {(7, 6)},
        {(8, 4)},
        {(9, 3)},
    ]
    assert [float(array[plane].min()) for plane in (9, 10, 11)] == pytest.approx([0.5, 0.1, 0.0])
    assert [float(np.ptp(array[plane])) for plane in (9, 10, 11)] == [0, 0, 0]


def test_planes_are_the_window_of_the_view() -> None:
    """Mark by mark, in states that were played."""
    for name in ("cleanup", "harvest:open"):
        game = world(name)
        game.reset(3, "varied")
        for joint in joints(game, 60):
            game.step(joint)
            for seat in range(7):
                view, array = game.observe(game.facts(), seat), game.array(game.facts(), seat)
                rows = np.array([list(row) for row in view.window]) if view.window else np.full((11, 11), " ")
                assert all(np.array_equal(array[plane] == 1, rows == mark) for plane, mark in enumerate(MARKS))
                assert (array[11] == (view.place is None)).all()


def test_who_is_out_of_the_game_sees_only_that() -> None:
    """And how long it has to wait before it can fire again, once it is back."""
    game = world("harvest:open", seats=2)

    array = game.array(standing(game, [None, ((5, 12), NORTH)], apples=[(5, 8)], zap_wait=(2,)), 0)

    assert not array[:9].any()
    assert [float(array[plane].max()) for plane in (9, 10, 11)] == pytest.approx([0.2, 0.0, 1.0])
