"""What an avatar sees, against the pictures that dmlab2d draws for it."""

from itertools import product

import pytest
from tests.games.meltingpot.observed import LOOK, observed
from tests.games.meltingpot.worlds import EAST, NORTH, SOUTH, STEP, WEST, needs_substrates, order, standing, world

from hocket.games.meltingpot.facts import OUT
from hocket.games.meltingpot.terrain import Terrain
from hocket.games.meltingpot.window import AHEAD, BEHIND, NOWHERE, SIDE, SPAN, Windows

FIELD = Terrain((" " * 15,) * 14, {" ": ()})
"""Without walls, so that windows reach over its edges."""
BLACK = (0, 0, 0)


def expected(terrain: Terrain, x: int, y: int, heading: int) -> list[int]:
    """The cells of a window, from the farthest row, from left to right: counted off step by step."""
    (ahead_x, ahead_y), (right_x, right_y) = STEP[heading], STEP[(heading + 1) % 4]
    cells = []
    for ahead, right in product(range(9, -2, -1), range(-5, 6)):
        there_x, there_y = x + ahead * ahead_x + right * right_x, y + ahead * ahead_y + right * right_y
        inside = 0 <= there_x < terrain.width and 0 <= there_y < terrain.height
        cells.append(terrain.cell((there_x, there_y)) if inside else NOWHERE)
    return cells


def test_a_window_is_nine_ahead_one_behind_and_five_to_each_side() -> None:
    """From every cell and for every heading; over the edge of the map there is nothing."""
    windows = Windows(FIELD)

    for x, y, heading in product(range(15), range(14), range(4)):
        cell = FIELD.cell((x, y))
        cells = expected(FIELD, x, y, heading)
        assert list(windows.rows(cell, heading)) == cells
        assert windows.cells(cell, heading) == set(cells) - {NOWHERE}
    assert (SPAN, SIDE, AHEAD, BEHIND) == (11, 5, 9, 1)


@pytest.mark.parametrize(("heading", "seen"), [(NORTH, 12), (EAST, 60), (SOUTH, 60), (WEST, 12)])
def test_less_is_seen_from_the_edge_of_a_map(heading: int, seen: int) -> None:
    """From the upper left corner one side is cut off, and looking outwards all but two rows."""
    assert len(Windows(FIELD).cells(0, heading)) == seen


def test_a_place_among_the_rows_is_found_again() -> None:
    """For every cell of the map: its index where it is in view, nowhere where it is not."""
    windows = Windows(FIELD)

    for cell, heading in product(range(0, 15 * 14, 4), range(4)):
        rows = windows.rows(cell, heading)
        for there in range(15 * 14):
            assert windows.index(cell, heading, there) == (rows.index(there) if there in rows else NOWHERE)


@needs_substrates
@pytest.mark.parametrize("name", ["cleanup", "harvest:open", "harvest:closed", "harvest:partnership"])
def test_a_window_is_what_dmlab2d_shows(name: str) -> None:
    """Cell by cell in the colours of the whole world's picture, for hundreds of poses at all headings and edges.

    Avatars are shown to each other in other colours, and an apple does not turn with the grass below it.
    """
    game = world(name)
    run, windows, edges, poses = observed(order(game)), Windows(game.terrain), 0, set()

    for step in run.steps[::LOOK]:
        facts = step.moment.facts
        for seat, place in enumerate(facts.places):
            if place == OUT:
                continue
            poses.add((place, facts.headings[seat]))
            for cell, colours in zip(windows.rows(place, facts.headings[seat]), step.seen[seat], strict=True):
                if cell == NOWHERE:
                    assert colours == BLACK
                    edges += 1
                elif cell not in facts.places and cell not in facts.apples:
                    assert colours == step.picture[cell]
    assert len(poses) > 120
    assert {heading for _, heading in poses} == set(range(4))
    assert edges > 1000


@needs_substrates
def test_a_seat_has_in_view_what_lies_in_its_window() -> None:
    """In the order in which it is asked for; while it is out of the game it sees nothing."""
    game = world()
    windows, cell = game.ground.windows, game.terrain.cell
    asked = [cell(place) for place in ((10, 8), (10, 17), (10, 18), (4, 17), (5, 17), (15, 17), (16, 17), (10, 7))]

    facts = standing(game, [((10, 16), NORTH), None, ((10, 16), SOUTH)])

    assert windows.seen(asked, facts, 0) == [cell(place) for place in ((10, 8), (10, 17), (5, 17), (15, 17), (10, 7))]
    assert windows.seen(asked, facts, 1) == []
    assert windows.seen(asked, facts, 2) == [cell(place) for place in ((10, 17), (10, 18), (5, 17), (15, 17))]
