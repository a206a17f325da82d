"""A window as numbers: a plane of 11 by 11 cells a thing.

Axes: C planes (below, in order), rows from the farthest ahead, columns from left to right.

    0-2    wall, water, grass
    3-4    apple, dirt
    5-8    another avatar, by its heading as seen from here: ahead, right, towards, left
    9      everywhere: steps until it can zap, divided by 10
    10     everywhere: steps until it can clean, divided by 10
    11     everywhere: out of the game
"""

import numpy as np
from numpy.typing import NDArray

from hocket.games.meltingpot.view import AvatarView
from hocket.games.meltingpot.window import SPAN

PLANES = 12
_MARKS = '#~"ad^>v<'


def planes(view: AvatarView) -> NDArray[np.float32]:
    """Return what is seen as planes, shape [C = 12, 11, 11], float32 in 0..1."""
    array = np.zeros((PLANES, SPAN, SPAN), dtype=np.float32)
    if view.window:
        marks = np.array([list(row) for row in view.window])
        for plane, mark in enumerate(_MARKS):
            array[plane] = marks == mark
    array[9] = min(1.0, view.zap_wait / 10)
    array[10] = min(1.0, view.clean_wait / 10)
    array[11] = view.place is None
    return array
