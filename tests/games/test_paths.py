"""Plans on a grid, against a search of another kind."""

import os
import subprocess
import sys
from collections import deque
from hashlib import blake2b
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hocket.games import paths as paths_module
from hocket.games.paths import Paths

ACT = 5
STEPS = ((0, -1), (0, 1), (1, 0), (-1, 0))
NORTH, SOUTH, EAST, WEST = range(4)
Cell = tuple[int, int]
Room = tuple[int, tuple[Cell, ...], Cell, tuple[Cell, ...]]
"""Width, floor, target, and the floor on which others stand."""


@st.composite
def rooms(draw: st.DrawFn) -> Room:
    """A grid with walls around and pillars in it, something to act on, and others here and there."""
    width, height = draw(st.integers(3, 7)), draw(st.integers(3, 7))
    inside = list(product(range(1, width - 1), range(1, height - 1)))
    floor = sorted(draw(st.sets(st.sampled_from(inside), min_size=1)))
    outside = sorted(set(product(range(width), range(height))).difference(floor))
    target = draw(st.sampled_from(outside))
    return width, tuple(floor), target, tuple(sorted(draw(st.sets(st.sampled_from(floor), max_size=3))))


def number(cell: Cell, width: int) -> int:
    """The number of a cell."""
    return cell[1] * width + cell[0]


def after(cell: Cell, move: int, enterable: frozenset[Cell]) -> Cell:
    """Where a move leads: a move into what cannot be entered only turns."""
    there = (cell[0] + STEPS[move][0], cell[1] + STEPS[move][1])
    return there if there in enterable else cell


def distance(cell: Cell, heading: int, target: Cell, enterable: frozenset[Cell]) -> int | None:
    """Moves until the target is faced, searched forward from one pose, pose by pose."""
    seen, queue = {(cell, heading)}, deque([(cell, heading, 0)])
    while queue:
        here, facing, moves = queue.popleft()
        if (here[0] + STEPS[facing][0], here[1] + STEPS[facing][1]) == target:
            return moves
        for move in range(4):
            pose = after(here, move, enterable), move
            if pose not in seen:
                seen.add(pose)
                queue.append((*pose, moves + 1))
    return None


def made(room: Room) -> tuple[Paths, int, tuple[int, ...]]:
    """The paths of a room, its target and its blocked cells, as numbers."""
    width, floor, target, others = room
    paths = Paths(width=width, floor=[number(cell, width) for cell in floor], act=ACT)
    return paths, number(target, width), tuple(sorted(number(cell, width) for cell in others))


@given(rooms())
def test_plans_lead_before_the_target_and_none_is_shorter(room: Room) -> None:
    """From every pose: walked step by step, and as long as the way that a forward search finds."""
    width, floor, target, others = room
    paths, aim, blocked = made(room)
    enterable = frozenset(floor).difference(others)

    for cell in sorted(enterable):
        for heading in range(4):
            plan, moves = paths.plan(aim, 4 * number(cell, width) + heading, blocked), None
            moves = distance(cell, heading, target, enterable)
            if plan is None:
                assert moves is None
                continue
            here, facing = cell, heading
            for move in plan[:-1]:
                here, facing = after(here, move, enterable), move
            assert (here[0] + STEPS[facing][0], here[1] + STEPS[facing][1]) == target
            assert plan[-1] == ACT
            assert len(plan) - 1 == moves


@given(rooms())
def test_who_else_has_asked_changes_no_plan(room: Room) -> None:
    """A table is a function of the grid, the target and the blocked cells."""
    paths, aim, blocked = made(room)
    fresh, _, _ = made(room)

    paths.table(aim, ())
    paths.table(0, blocked)

    assert paths.table(aim, blocked) == fresh.table(aim, blocked)


@given(rooms())
def test_a_target_is_reachable_where_it_has_floor_beside_it(room: Room) -> None:
    """Also where others stand on it just now; a cook that stands there has a plan."""
    width, floor, target, _ = room
    paths, aim, _ = made(room)
    beside = [cell for cell in floor if abs(cell[0] - target[0]) + abs(cell[1] - target[1]) == 1]

    assert paths.reachable(aim) is bool(beside)
    assert all(paths.plan(aim, 4 * number(cell, width), ()) for cell in beside)


@given(rooms())
def test_a_room_is_what_can_be_walked_to(room: Room) -> None:
    """Grown from one cell until nothing is added."""
    width, floor, _, _ = room
    paths, _, _ = made(room)
    grown = {floor[0]}
    while more := {after(cell, move, frozenset(floor)) for cell in grown for move in range(4)} - grown:
        grown |= more

    assert paths.room(number(floor[0], width)) == tuple(sorted(number(cell, width) for cell in grown))


def corridor() -> Paths:
    """Five cells in a row, (1, 1) to (5, 1), in a grid of width 7."""
    return Paths(width=7, floor=range(8, 13), act=ACT)


def test_a_cook_walks_turns_and_acts() -> None:
    """A heading that is right already costs no turn."""
    paths, shelf, window = corridor(), 3, 13

    assert paths.plan(shelf, 4 * 10 + NORTH, ()) == (ACT,)
    assert paths.plan(shelf, 4 * 10 + EAST, ()) == (NORTH, ACT)
    assert paths.plan(shelf, 4 * 8 + NORTH, ()) == (EAST, EAST, NORTH, ACT)
    assert paths.plan(window, 4 * 11 + WEST, ()) == (EAST, ACT)


def test_where_another_stands_in_a_corridor_there_is_no_plan() -> None:
    """Nor is there one past two; on the near side nothing has changed."""
    paths, window = corridor(), 13

    assert paths.plan(window, 4 * 8 + EAST, (10,)) is None
    assert paths.plan(window, 4 * 8 + EAST, (10, 11)) is None
    assert paths.plan(window, 4 * 11 + EAST, (10,)) == paths.plan(window, 4 * 11 + EAST, ())


def test_ties_go_to_the_first_place_to_stand_then_from_the_last_move_back() -> None:
    """On open floor many plans are shortest; which one is taken is part of a trace."""
    open_floor = Paths(width=5, floor=[5 * y + x for y in (1, 2, 3) for x in (1, 2, 3)], act=ACT)

    north_of_east = open_floor.plan(2, 4 * 16 + SOUTH, ())
    around_a_pillar = Paths(width=5, floor=[6, 7, 8, 11, 13, 16, 17, 18], act=ACT).plan(12, 4 * 6 + SOUTH, ())

    assert north_of_east == (EAST, NORTH, NORTH, ACT)
    assert around_a_pillar == (EAST, SOUTH, ACT)


DIGEST = """
from hashlib import blake2b
from hocket.games.paths import Paths
paths = Paths(width=9, floor=[9 * y + x for y in range(1, 8) for x in range(1, 8) if (x * y) % 5 != 3], act=5)
print(blake2b(repr([paths.table(target, (20, 31)) for target in range(81)]).encode()).hexdigest())
"""


def test_every_process_breaks_ties_alike() -> None:
    """A trace is run again by a process whose hashes are seeded otherwise."""
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("0", "12345")
    }

    assert len(digests) == 1
    assert len(digests.pop().strip()) == len(blake2b().hexdigest())


def test_tables_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a long burn-in others stand everywhere; the oldest sets of cells go, and come back alike."""
    monkeypatch.setattr(paths_module, "_MOST_BYTES", 4 * 120 * corridor()._poses)
    paths, cells = corridor(), list(range(8, 13))
    before = {(one, other): paths.table(3, (one, other)) for one, other in product(cells, cells) if one < other}

    again = {blocked: paths.table(3, blocked) for blocked in before}

    assert len(before) > 4
    assert again == before
    assert sum(map(len, paths._tables.values())) == 4
