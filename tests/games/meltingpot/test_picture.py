"""A world in characters."""

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.games.meltingpot.worlds import EAST, NORTH, SOUTH, WEST, joints, needs_substrates, standing, world

from hocket.games.meltingpot.facts import OUT

pytestmark = needs_substrates


@pytest.mark.parametrize("name", ["cleanup", "harvest:open", "harvest:closed"])
def test_a_picture_shows_everything(name: str, snapshot: SnapshotAssertion) -> None:
    """Walls, water, where apples grow, apples, dirt, twelve avatars with where they look; below it who is out."""
    game = world(name, seats=12)
    places = [(2, 14), (4, 14), (6, 14), (8, 14), (12, 14), (14, 14), (16, 14), (18, 14), (20, 14), (1, 8), (2, 8)]
    poses = [(place, (NORTH, EAST, SOUTH, WEST)[number % 4]) for number, place in enumerate(places)]
    terrain = game.terrain
    facts = standing(
        game,
        [*poses[:5], None, *poses[5:]],
        apples=map(terrain.place, terrain.apple_sites[::3]),
        dirt=map(terrain.place, terrain.dirt_sites[::4]),
        eaten=range(12),
    )

    assert game.picture(facts) == snapshot


@pytest.mark.parametrize("name", ["cleanup", "harvest:open", "harvest:partnership"])
def test_every_cell_is_two_characters_wide(name: str) -> None:
    """So that columns stand below each other, and each avatar is found where it is."""
    game = world(name)
    game.reset(4, "varied")
    terrain = game.terrain

    for joint in joints(game, 40):
        game.step(joint)
        facts = game.facts()
        rows = [row.ljust(2 * terrain.width) for row in game.picture(facts).splitlines()[: terrain.height]]
        cells = [row[2 * x : 2 * x + 2] for row in rows for x in range(terrain.width)]
        assert {len(row) for row in rows} == {2 * terrain.width}
        taken = set(facts.places)
        for seat, place in enumerate(facts.places):
            if place != OUT:
                assert cells[place] == f"{seat}{'^>v<'[facts.headings[seat]]}"
        for mark, there in (("##", terrain.walls), (" a", facts.apples), (" d", facts.dirt)):
            assert {cell for cell, shown in enumerate(cells) if shown == mark} == set(there) - taken
