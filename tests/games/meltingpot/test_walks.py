"""Ways over a map, against a plain search."""

from collections import deque
from collections.abc import Collection
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.games.meltingpot.worlds import needs_substrates, world

from hocket.games.meltingpot.terrain import Terrain
from hocket.games.meltingpot.walks import FAR, NEAR, Walks

MARKS = {"#": ("wall",), " ": ()}


class Room:
    """A map with walls all around, start and goals in it, and others here and there."""

    def __init__(
        self, rows: tuple[str, ...], start: int, goals: tuple[int, ...], first: frozenset[int], later: frozenset[int]
    ) -> None:
        self.rows, self.start, self.goals, self.first, self.later = rows, start, goals, first, later
        self.terrain = Terrain(rows, MARKS)
        self.walks = Walks(self.terrain)
        self.blocked = first | later

    def __repr__(self) -> str:
        return "\n".join(["", *self.rows, f"{self.start} to {self.goals}, {[*self.first]}, {[*self.later]}"])


@st.composite
def rooms(draw: st.DrawFn) -> Room:
    """Pillars stand anywhere, so there may be no way."""
    width, height = draw(st.integers(3, 8)), draw(st.integers(3, 8))
    inside = [y * width + x for y, x in product(range(1, height - 1), range(1, width - 1))]
    floor = draw(st.sets(st.sampled_from(inside), min_size=min(len(inside), 2)))
    rows = tuple("".join(" " if y * width + x in floor else "#" for x in range(width)) for y in range(height))
    cells = st.sampled_from(sorted(floor))
    start = draw(cells)
    goals = tuple(draw(st.lists(cells, min_size=1, max_size=3, unique=True)))
    others = draw(st.sets(cells, max_size=5)) - {start}
    first = frozenset(each for each in others if draw(st.booleans()))
    return Room(rows, start, goals, first, frozenset(others) - first)


def searched(terrain: Terrain, start: int, blocked: Collection[int] = ()) -> dict[int, int]:
    """Steps to every cell that can be reached, cell by cell."""
    far, queue = {start: 0}, deque([start])
    while queue:
        cell = queue.popleft()
        for step in (1, -1, terrain.width, -terrain.width):
            there = cell + step
            if there in terrain.floor and there not in blocked and there not in far:
                far[there] = far[cell] + 1
                queue.append(there)
    return far


def shortest(room: Room, blocked: Collection[int] = ()) -> int | None:
    """Steps to the nearest goal, None where there is no way."""
    far = searched(room.terrain, room.start, blocked)
    return min((far[goal] for goal in room.goals if goal in far), default=None)


def leads(room: Room, way: tuple[int, ...]) -> bool:
    """Whether it goes from cell to cell over the floor, from the start to a goal, and no further."""
    cells = [room.start, *way]
    return (
        set(cells) <= set(room.terrain.floor)
        and all(there - cell in room.walks.steps for cell, there in pairwise(cells))
        and cells[-1] in room.goals
        and not set(cells[:-1]).intersection(room.goals)
    )


@given(rooms())
def test_distances_are_those_of_a_plain_search(room: Room) -> None:
    """From every cell to every cell, `FAR` where there is no way."""
    for start in room.terrain.floor:
        found = searched(room.terrain, start)
        far = room.walks.distances(start)
        assert list(far) == [found.get(cell, FAR) for cell in range(len(far))]


@given(rooms())
def test_a_way_is_a_shortest_one(room: Room) -> None:
    """To whichever goal is nearest; empty where one is there, none where there is none."""
    way, steps = room.walks.way(room.start, room.goals, frozenset()), shortest(room)

    assert (None if way is None else len(way)) == steps
    assert way is None or leads(room, way)


@given(rooms())
def test_a_way_leads_around_others(room: Room) -> None:
    """Around those who are to be gone around wherever they stand, and around the others once they are near.

    It is no longer than it must be to avoid all of them. Where they leave no way, the one without them is taken as far
    as it is free; whoever stands on the next cell has to go first.
    """
    way = room.walks.way(room.start, room.goals, room.first, room.later)
    free, around = shortest(room), shortest(room, room.blocked)

    if around is not None:
        assert way is not None
        assert leads(room, way)
        assert free is not None
        assert free <= len(way) <= around
        assert room.first.isdisjoint(way)
        assert room.later.isdisjoint(way[:NEAR])
    elif way is not None:
        assert leads(room, way)
        assert len(way) == free
        assert not way or way[0] not in room.blocked


@given(rooms(), st.data())
def test_a_way_leads_around_what_is_avoided_where_it_can(room: Room, data: st.DataObject) -> None:
    """Though not around a goal, and not where that would leave no way at all."""
    avoided = data.draw(st.sets(st.sampled_from(sorted(room.terrain.floor)), max_size=6))
    clean = shortest(room, room.blocked | avoided.difference(room.goals))

    way = room.walks.way(room.start, room.goals, room.first, room.later, sorted(avoided))

    without = room.walks.way(room.start, room.goals, room.first, room.later)
    assert (way is None) == (without is None)
    if clean is not None:
        assert way is not None
        assert leads(room, way)
        assert avoided.isdisjoint(way[:-1])
        assert len(way) <= clean


@needs_substrates
@pytest.mark.parametrize("name", ["cleanup", "harvest:open", "harvest:closed", "harvest:partnership"])
def test_ways_are_shortest_on_the_maps_that_are_played(name: str) -> None:
    """From every seventh cell of the floor to every one."""
    game = world(name)
    terrain, walks = game.terrain, game.ground.walks

    for start in terrain.floor[::7]:
        far = searched(terrain, start)
        assert {cell: walks.distances(start)[cell] for cell in terrain.floor} == far
        for goal in terrain.floor[::5]:
            way = walks.way(start, (goal,), frozenset())
            assert way is not None
            assert len(way) == far[goal]


def test_ties_are_broken_north_first_then_east_south_and_west() -> None:
    """So a way is the same in every process."""
    terrain = Terrain(("#####", "#   #", "#   #", "#   #", "#####"), MARKS)
    walks = Walks(terrain)

    ways = [walks.way(12, (goal,), frozenset()) for goal in (6, 8, 16, 18)]

    assert ways == [(7, 6), (7, 8), (11, 16), (13, 18)]


@pytest.mark.parametrize("gap", [1, 2, 3, 4])
def test_two_who_meet_pass_each_other(gap: int) -> None:
    """Each goes around to its right, where there is room on both sides, so neither steps into the other's way again."""
    walks = Walks(Terrain(("##########", *["#        #"] * 3, "##########"), MARKS))
    places, goals, ticks = [22, 22 + gap], [28, 21], 0
    while places != goals and ticks < 20:
        ways = [
            walks.way(places[0], (goals[0],), frozenset(), frozenset(places[1:])),
            walks.way(places[1], (goals[1],), frozenset(places[:1])),
        ]
        for seat, way in enumerate(ways):
            if way and way[0] not in places:
                places[seat] = way[0]
        ticks += 1

    assert places == goals
    assert ticks <= 8


def test_nobody_walks_into_who_stands_in_a_narrow_way() -> None:
    """It is waited for; from afar one goes as near as one can."""
    walks = Walks(Terrain(("########", "#      #", "########"), MARKS))

    near = walks.way(9, (14,), frozenset({10}))
    far = walks.way(9, (14,), frozenset({12}))
    behind = walks.way(9, (14,), frozenset(), frozenset({13}))

    assert near is None
    assert far == behind == (10, 11, 12, 13, 14)
