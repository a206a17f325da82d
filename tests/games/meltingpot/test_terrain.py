"""The maps that are read out of Melting Pot's own files, against dmlab2d."""

from math import dist

import pytest
from tests.games.meltingpot.observed import Observed, observed
from tests.games.meltingpot.worlds import needs_substrates, order, world

from hocket.games.meltingpot.terrain import Terrain

PLAYED = ("cleanup", "harvest:open", "harvest:closed", "harvest:partnership")
ROOM = Terrain(
    ("######", "#a a~#", "#aa d#", "#    #", "#   a#", "######"),
    {"#": ("wall",), " ": (), "a": ("grass", "apple"), "~": ("river",), "d": ("river", "potential_dirt")},
)


@pytest.fixture(scope="module", params=PLAYED)
def name(request: pytest.FixtureRequest) -> str:
    """Each substrate in turn."""
    return str(request.param)


@pytest.fixture(scope="module")
def terrain(name: str) -> Terrain:
    """Its map."""
    return world(name).terrain


@pytest.fixture(scope="module")
def run(name: str) -> Observed:
    """A thousand steps of it."""
    return observed(order(world(name)))


@needs_substrates
def test_cleanup_is_as_published() -> None:
    """Thirty by twenty-one cells, a river of 147 sites above, an orchard of 122 below."""
    terrain = world("cleanup").terrain

    assert (terrain.width, terrain.height) == (30, 21)
    assert (len(terrain.dirt_sites), len(terrain.apple_sites)) == (147, 122)
    assert max(terrain.dirt_sites) < min(terrain.apple_sites)
    assert set(terrain.dirt_sites) < terrain.water
    assert set(terrain.apple_sites) < terrain.grass


@needs_substrates
@pytest.mark.parametrize("name", ["harvest:open", "harvest:closed", "harvest:partnership"])
def test_harvest_is_as_published(name: str) -> None:
    """Sixty-four apples on six patches, two small ones in the corners and four round ones."""
    terrain = world(name).terrain

    assert (terrain.width, terrain.height) == (24, 18)
    assert (len(terrain.apple_sites), terrain.dirt_sites, terrain.water) == (64, (), frozenset())
    assert sorted(map(len, terrain.patches)) == [6, 6, 13, 13, 13, 13]


@needs_substrates
@pytest.mark.parametrize("name", ["harvest:open", "harvest:closed", "harvest:partnership"])
def test_patches_are_apart(name: str) -> None:
    """No apple has a neighbour on another patch, and each has one on its own; together they are all sites."""
    terrain = world(name).terrain

    assert sorted(cell for patch in terrain.patches for cell in patch) == sorted(terrain.apple_sites)
    assert [patch[0] for patch in terrain.patches] == sorted(patch[0] for patch in terrain.patches)
    for number, patch in enumerate(terrain.patches):
        assert {terrain.patch_of[cell] for cell in patch} == {number}
        assert terrain.centres[number] in patch
        others = set(terrain.apple_sites) - set(patch)
        for cell in patch:
            near = [other for other in terrain.apple_sites if dist(terrain.place(cell), terrain.place(other)) <= 2]
            assert not others.intersection(near)
            assert len(near) > 1


@needs_substrates
def test_sites_are_where_dmlab2d_has_them(terrain: Terrain, run: Observed) -> None:
    """Every object that can be an apple or dirt stands on a site of ours, and on every site there is one."""
    for kind, sites in ((1, terrain.apple_sites), (2, terrain.dirt_sites)):
        assert sorted(y * run.width + x for x, y, of, _ in run.steps[0].objects if of == kind) == list(sites)


@needs_substrates
def test_walls_and_water_are_where_dmlab2d_has_them(terrain: Terrain, run: Observed) -> None:
    """Cell by cell; what is no wall is floor, and that is where avatars have been."""
    visited = {place for step in run.steps for place in step.moment.facts.places if place >= 0}

    assert (terrain.width, sorted(terrain.walls), sorted(terrain.water)) == (run.width, [*run.walls], [*run.water])
    assert sorted(terrain.walls.union(terrain.floor)) == list(range(terrain.width * terrain.height))
    assert visited <= set(terrain.floor)
    assert len(visited) > 100


@needs_substrates
def test_everybody_can_get_everywhere(name: str) -> None:
    """So that no distance stands for a way that there is not."""
    game = world(name)
    far = game.ground.walks.distances(game.terrain.floor[0])

    assert max(far[cell] for cell in game.terrain.floor) < 100


def test_a_map_is_told_by_its_marks() -> None:
    """What stands on a cell is looked up by its character; water is floor, and grass is wherever apples are."""
    assert (ROOM.width, ROOM.height) == (6, 6)
    assert ROOM.floor == tuple(y * 6 + x for y in range(1, 5) for x in range(1, 5))
    assert ROOM.apple_sites == (7, 9, 13, 14, 28)
    assert (ROOM.dirt_sites, sorted(ROOM.water), sorted(ROOM.grass)) == ((16,), [10, 16], [7, 9, 13, 14, 28])


def test_a_place_is_a_cell_and_back() -> None:
    """x first, from the upper left corner."""
    assert ROOM.place(16) == (4, 2)
    assert [ROOM.cell(ROOM.place(cell)) for cell in range(36)] == list(range(36))


def test_apples_within_two_steps_are_one_patch() -> None:
    """As regrowth counts them, in the L2 norm; numbered by their first cells, with a middle of their own."""
    assert ROOM.patches == ((7, 9, 13, 14), (28,))
    assert ROOM.patch_of == {7: 0, 9: 0, 13: 0, 14: 0, 28: 1}
    assert ROOM.centres == (14, 28)


def test_an_edge_is_the_floor_around() -> None:
    """Without the sites themselves, and without walls."""
    assert ROOM.edge((7, 13, 14)) == (8, 15, 19, 20)
    assert ROOM.edge(()) == ()
