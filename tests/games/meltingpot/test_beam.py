"""Where beams go, against what dmlab2d hits with them."""

from collections.abc import Collection, Iterable
from itertools import pairwise
from random import Random as Dice

import pytest
from tests.games.meltingpot.observed import observed
from tests.games.meltingpot.worlds import EAST, NORTH, SOUTH, WEST, needs_substrates, order, world

from hocket.games.meltingpot.actions import BACKWARD, FIRE_CLEAN, FIRE_ZAP, FORWARD, NOOP
from hocket.games.meltingpot.beam import Beams, Ray
from hocket.games.meltingpot.facts import OUT, Facts
from hocket.games.meltingpot.terrain import Terrain
from hocket.games.meltingpot.walks import Walks
from hocket.games.meltingpot.world import MeltingPot
from hocket.runtime.events import GameEvent

HALL = Terrain(
    ("#########", "#       #", "#   #   #", "#       #", "#       #", "#########"), {"#": ("wall",), " ": ()}
)
ZAPS = ("cleanup", "harvest:open", "harvest:closed", "harvest:partnership")


def rays(game: MeltingPot, facts: Facts, seat: int) -> tuple[Ray, ...]:
    """The beam of a seat."""
    return game.ground.beams.rays(facts.places[seat], facts.headings[seat])


def first(ray: Ray, things: Iterable[int]) -> set[int]:
    """The first thing on a ray, if there is any."""
    return set(list(filter(set(things).__contains__, ray))[:1])


def at(game: MeltingPot, events: Iterable[GameEvent], kind: str) -> set[int]:
    """The cells where something happened."""
    return {game.terrain.cell(event.at) for event in events if event.kind == kind and event.at}


def towards(game: MeltingPot, cells: Collection[int], dice: Dice) -> int:
    """An action of one who gets about and looks about, and often goes to where something is."""
    facts = game.facts()
    way = game.ground.way(tuple(cells), facts, 0) if cells else None
    if way and dice.random() < 0.6:
        return game.ground.steps(way, facts, 0)[0]
    action: int = dice.choice([FORWARD, FORWARD, BACKWARD, *range(1, 7)])
    return action


@needs_substrates
def test_a_cleaning_beam_takes_the_first_dirt_of_each_ray() -> None:
    """That and nothing else: one avatar walks about and cleans whenever it can, until dirt comes by itself."""
    game, dice, shots = world(seats=2), Dice(3), [0] * 4

    for seed in range(15):
        game.reset(seed, "varied")
        for _ in range(49):
            before = game.facts()
            fires = before.clean_wait[0] == 0 and dice.random() < 0.8
            _, events = game.step((FIRE_CLEAN if fires else towards(game, before.dirt, dice), NOOP))
            hit = set().union(*(first(ray, before.dirt) for ray in rays(game, before, 0))) if fires else set()
            assert at(game, events, "cleaned") == hit == set(before.dirt) - set(game.facts().dirt)
            shots[len(hit)] += 1

    assert min(shots) > 15


@needs_substrates
@pytest.mark.parametrize("name", ZAPS)
def test_a_zapping_beam_takes_the_first_avatar_of_each_ray(name: str) -> None:
    """Those and nobody else: one avatar goes about among others that stand still."""
    game, dice, shots = world(name), Dice(4), [0] * 4

    for seed in range(12):
        game.reset(seed, "standard")
        for _ in range(80):
            before = game.facts()
            fires = before.zap_wait[0] == 0 and dice.random() < 0.8
            others = [place for place in before.places[1:] if place != OUT]
            _, events = game.step((FIRE_ZAP if fires else towards(game, others, dice), *(NOOP,) * 6))
            hit = set().union(*(first(ray, others) for ray in rays(game, before, 0))) if fires else set()
            assert at(game, events, "zapped") == hit
            assert {before.places[seat] for seat in range(1, 7) if game.facts().places[seat] == OUT} >= hit
            shots[len(hit)] += 1

    assert sum(shots[1:]) > 10


@needs_substrates
def test_whatever_was_cleaned_lay_on_a_ray() -> None:
    """In a thousand steps of seven who all fire; what lay before it on that ray was taken in the same step."""
    game = world()
    run, cleaned = observed(order(game)), 0

    for before, step in pairwise(run.steps):
        was, gone = before.moment.facts, set[int]()
        for each in step.moment.happenings:
            if each.kind == "cleaned":
                (ray,) = [ray for ray in rays(game, was, each.seat) if each.at in ray]
                gone.add(each.at)
                cleaned += 1
                assert not set(ray[: ray.index(each.at)]).intersection(was.dirt) - gone
    assert cleaned > 200


@needs_substrates
@pytest.mark.parametrize("name", ZAPS)
def test_whoever_was_zapped_stood_on_a_ray(name: str) -> None:
    """In a thousand steps of seven who all move and fire; moves come before beams, so it is where a victim went to."""
    game = world(name)
    zaps = 0

    for before, step in pairwise(observed(order(game)).steps):
        for each in step.moment.happenings:
            if each.kind == "zapped":
                assert any(each.at in ray for ray in rays(game, before.moment.facts, each.seat))
                zaps += 1
    assert zaps > 10


def test_a_beam_is_three_rays_side_by_side() -> None:
    """The middle one begins ahead, the others beside; a wall ends a ray, or takes it away."""
    beams = Beams(HALL, Walks(HALL))

    found = {
        name: [[HALL.place(cell) for cell in ray] for ray in beams.rays(HALL.cell(place), heading)]
        for name, place, heading in (
            ("east", (2, 3), EAST),
            ("north", (5, 4), NORTH),
            ("west", (5, 2), WEST),
            ("south", (1, 2), SOUTH),
        )
    }

    assert found == {
        "east": [[(2, 2), (3, 2)], [(3, 3), (4, 3), (5, 3)], [(2, 4), (3, 4), (4, 4)]],
        "north": [[(4, 4), (4, 3)], [(5, 3), (5, 2), (5, 1)], [(6, 4), (6, 3), (6, 2)]],
        "west": [[(5, 3), (4, 3), (3, 3)], [], [(5, 1), (4, 1), (3, 1)]],
        "south": [[(2, 2), (2, 3), (2, 4)], [(1, 3), (1, 4)], []],
    }


def test_a_beam_may_be_longer() -> None:
    """In two of the substrates it is."""
    beams = Beams(HALL, Walks(HALL), 4)

    assert [len(ray) for ray in beams.rays(HALL.cell((2, 4)), EAST)] == [4, 4, 0]


@pytest.mark.parametrize("length", [1, 3, 4])
def test_poses_are_all_those_from_which_a_ray_covers_a_cell(length: int) -> None:
    """With the cells that a thing would stop it on; each pose once, since no two of its rays meet."""
    beams = Beams(HALL, Walks(HALL), length)

    for target in HALL.floor:
        assert sorted(beams.poses(target)) == sorted(
            (cell, heading, ray[: ray.index(target)])
            for cell in HALL.floor
            for heading in range(4)
            for ray in beams.rays(cell, heading)
            if target in ray
        )


@needs_substrates
def test_poses_are_complete_on_the_map_of_the_river() -> None:
    """For all dirt sites, edges of the map included."""
    game = world()
    beams = game.ground.beams
    covered: dict[int, set[tuple[int, int]]] = {cell: set() for cell in game.terrain.dirt_sites}
    for cell in game.terrain.floor:
        for heading in range(4):
            for ray in beams.rays(cell, heading):
                for target in ray:
                    covered.get(target, set()).add((cell, heading))

    for target in game.terrain.dirt_sites:
        poses = [(cell, heading) for cell, heading, _ in beams.poses(target)]
        assert len(poses) == len(set(poses))
        assert set(poses) == covered[target]
