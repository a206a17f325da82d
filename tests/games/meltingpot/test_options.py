"""The options of both games, carried out in the real substrates."""

from collections.abc import Sequence
from itertools import product
from random import Random as Dice
from typing import Any

import pytest
from tests.games.meltingpot.worlds import EAST, NORTH, SOUTH, WEST, needs_substrates, standing, world

from hocket.games import registry
from hocket.games.meltingpot.actions import (
    BACKWARD,
    FIRE_CLEAN,
    FIRE_ZAP,
    FORWARD,
    NOOP,
    STEP_LEFT,
    STEP_RIGHT,
    TURN_RIGHT,
)
from hocket.games.meltingpot.facts import OUT, Facts
from hocket.games.meltingpot.world import MeltingPot
from hocket.runtime.execution import Execution
from hocket.runtime.menu import letters
from hocket.runtime.option import Failure, Instance, Library, Option, Plan

pytestmark = needs_substrates
GAMES = ("cleanup", "harvest:open")
LETTERS = 26


def option(game: MeltingPot, name: str, library: str = "default") -> Option[Facts]:
    """One option of a library."""
    found: Option[Facts] = registry.library(game, library).by_name[name]
    return found


def menu(library: Library[Facts], facts: Facts, seat: int) -> list[tuple[Option[Facts], Instance]]:
    """All that a seat may start, with its option."""
    return [(option, entry) for option in library.options for entry in option.instances(facts, seat)]


def keys(option: Option[Facts], facts: Facts, seat: int) -> list[str]:
    """Its instances, by what traces call them."""
    return [entry.key for entry in option.instances(facts, seat)]


def aimed_at(option: Option[Facts], facts: Facts, seat: int, target: tuple[int, int] | None) -> Instance:
    """Its instance with this target."""
    (entry,) = [entry for entry in option.instances(facts, seat) if entry.target == target]
    return entry


def plan(option: Option[Facts], facts: Facts, seat: int = 0, target: tuple[int, int] | None = None) -> Plan | Failure:
    """How it would be carried out."""
    return option.expand(aimed_at(option, facts, seat, target), facts, seat)


def carried_out(execution: Execution[Facts], seats: Sequence[int] = (0,), ticks: int = 120) -> dict[int, str]:
    """Let what was started go on until these seats are free; return what came of each."""
    outcomes: dict[int, str] = {}
    while not outcomes.keys() >= set(seats) and execution.now < ticks:
        execution.step()
        outcomes |= {seat: outcome for seat, _, outcome in execution.judge()}
    return outcomes


def started(game: MeltingPot, seat: int, option: Option[Facts], entry: Instance) -> Execution[Facts]:
    """Begin an option, with everybody else standing still."""
    execution: Execution[Facts] = Execution(game)
    execution.start(seat, option, entry)
    return execution


@pytest.mark.parametrize("name", GAMES)
def test_every_option_succeeds_where_nobody_interferes(name: str) -> None:
    """Whatever is on a menu can be done, from many starts, by any seat."""
    game, dice, done = world(name), Dice(2), dict[str, int]()
    library = registry.library(game)

    for number in range(70):
        game.reset(number, "varied")
        facts, seat = game.facts(), dice.randrange(7)
        entries = [(each, entry) for each, entry in menu(library, facts, seat) if each.name != "wait"]
        kinds = sorted({each.name for each, _ in entries}, key=lambda kind: done.get(kind, 0))
        each, entry = dice.choice([(each, entry) for each, entry in entries if each.name == kinds[0]])
        outcomes = carried_out(started(game, seat, each, entry), [seat])
        assert outcomes == {seat: "success"}, (number, seat, entry.key)
        done[each.name] = done.get(each.name, 0) + 1

    assert set(done) == set(library.by_name) - {"wait"}
    assert min(done.values()) > 10


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("targets", ["view", "world"])
def test_no_menu_has_more_than_twenty_six_letters(name: str, targets: str) -> None:
    """With twelve seats, an apple and dirt on every site, and a beam for each other, from anywhere."""
    game = world(name, seats=12, targets=targets)
    terrain, library = game.terrain, registry.library(game, "zap")
    sizes = set()

    for cell, heading in product(terrain.floor[::9], range(4)):
        facts = standing(
            game,
            [(terrain.place(cell), heading), *((terrain.place(other), NORTH) for other in terrain.floor[:11])],
            apples=map(terrain.place, terrain.apple_sites),
            dirt=map(terrain.place, terrain.dirt_sites),
        )
        sizes.add(len(menu(library, facts, 0)))

    most = 20 if name == "cleanup" else 16
    assert max(sizes) <= most <= LETTERS
    assert targets == "view" or sizes == {most}
    assert letters(LETTERS)[-1] == "Z"


def test_the_nearest_eight_are_on_the_menu() -> None:
    """On foot, ties by coordinates: column first, then row; what is out of view is not."""
    game = world()
    place = (14, 18)
    around = [(14, 17), (13, 18), (15, 18), (14, 16), (12, 18), (16, 18), (13, 17), (15, 17), (15, 16), (14, 19)]
    facts = standing(game, [(place, NORTH)] * 1 + [None] * 6, apples=[*around, (14, 8), (20, 18)])

    found = keys(option(game, "eat_apple"), facts, 0)

    assert found == [
        f"eat_apple@{x},{y}"
        for x, y in ((13, 18), (14, 17), (14, 19), (15, 18), (12, 18), (13, 17), (14, 16), (15, 17))
    ]


def test_fewer_targets_may_be_asked_for() -> None:
    """For models with short menus; and more than what is in view, for those who are to know everything."""
    few, all_ = world(nearest=2), world(targets="world", nearest=3)
    apples = [(14, 17), (14, 16), (2, 2), (14, 19)]
    poses = [((14, 18), NORTH), *[None] * 6]

    seen = keys(option(few, "eat_apple"), standing(few, poses, apples=apples), 0)
    known = keys(option(all_, "eat_apple"), standing(all_, [((2, 10), NORTH), *[None] * 6], apples=apples), 0)

    assert seen == ["eat_apple@14,17", "eat_apple@14,19"]
    assert known == ["eat_apple@2,2", "eat_apple@14,16", "eat_apple@14,17"]


def test_who_is_out_of_the_game_has_a_menu_without_targets() -> None:
    """Places never move and so stay on it; but whatever is begun ends at once."""
    for name in GAMES:
        game = world(name)
        library = registry.library(game, "zap")
        facts = standing(game, [None, *[((10, 12), NORTH)] * 6], apples=[(10, 11)], dirt=[(10, 5)])

        entries = menu(library, facts, 0)

        assert {each.name for each, _ in entries} == set(library.by_name) - {"eat_apple", "clean_dirt"}
        for each, entry in entries:
            outcome = each.expand(entry, facts, 0)
            assert outcome == ((NOOP,) * 3 if each.name == "wait" else Failure("OutOfGame"))
            assert not each.effect(entry, facts, facts, 0) or each.name == "wait"


@pytest.mark.parametrize(
    ("heading", "step"), [(NORTH, STEP_RIGHT), (EAST, FORWARD), (SOUTH, STEP_LEFT), (WEST, BACKWARD)]
)
def test_walking_needs_no_turning(heading: int, step: int) -> None:
    """An avatar steps in every direction, so a way is as long as it has cells, whatever the heading."""
    game = world("harvest:open", targets="world")
    facts = standing(game, [((9, 11), heading), *[None] * 6], apples=[(11, 11)])

    assert plan(option(game, "eat_apple"), facts, 0, (11, 11)) == (step, step)


def test_harvesters_go_around_apples_and_cleaners_do_not() -> None:
    """To step on an apple is to eat it, which costs a patch; in Cleanup it costs nothing."""
    poses = [((6, 8), EAST), *[None] * 6]
    apples = [(8, 8), (9, 8), (10, 8)]
    harvest, cleanup = world("harvest:open"), world("cleanup")

    careful = plan(option(harvest, "eat_apple"), standing(harvest, poses, apples=apples), 0, (10, 8))
    straight = plan(option(cleanup, "eat_apple"), standing(cleanup, poses, apples=apples), 0, (10, 8))

    assert straight == (FORWARD,) * 4
    assert not isinstance(careful, Failure)
    assert len(careful) == 6
    assert set(careful) > {FORWARD}


def test_to_clean_an_avatar_walks_turns_and_fires() -> None:
    """Where the beam covers the dirt soonest; until then it waits for the beam."""
    game = world()
    clean = option(game, "clean_dirt")
    poses = [((8, 7), NORTH), *[None] * 6]

    near = plan(clean, standing(game, poses, dirt=[(8, 5)]), 0, (8, 5))
    cooling = plan(clean, standing(game, poses, dirt=[(8, 5)], clean_wait=(2,)), 0, (8, 5))
    turned = plan(clean, standing(game, [((8, 6), WEST), *[None] * 6], dirt=[(8, 3)]), 0, (8, 3))
    far = plan(clean, standing(game, [((8, 9), NORTH), *[None] * 6], dirt=[(8, 5)]), 0, (8, 5))

    assert near == (FIRE_CLEAN,)
    assert cooling == (NOOP, NOOP, FIRE_CLEAN)
    assert turned == (TURN_RIGHT, FIRE_CLEAN)
    assert far == (FORWARD, FIRE_CLEAN)


def test_dirt_behind_dirt_takes_two_shots() -> None:
    """Or another place to shoot from, where that is sooner."""
    game = world()
    clean = option(game, "clean_dirt")
    row = [(x, 5) for x in range(1, 29)]

    behind = plan(clean, standing(game, [((8, 6), NORTH), *[None] * 6], dirt=[(8, 4), *row]), 0, (8, 4))

    assert not isinstance(behind, Failure)
    assert behind[-1] == FIRE_CLEAN
    assert len(behind) <= 4


def test_an_apple_that_somebody_else_eats_ends_the_way_to_it() -> None:
    """The slower of two has nothing to go for any more, and says so."""
    game = world("harvest:open", targets="world")
    eat, late = option(game, "eat_apple"), 0

    for seed in range(8):
        game.reset(seed, "standard")
        facts = game.facts()
        execution: Execution[Facts] = Execution(game)
        entry = eat.instances(facts, 0)[seed]
        ways = [execution.start(seat, eat, entry).left for seat in range(7)]
        outcomes = carried_out(execution, range(7))
        (winner,) = [seat for seat, outcome in outcomes.items() if outcome == "success"]
        assert ways[winner] == min(ways)
        assert execution.facts.places[winner] == game.terrain.cell(entry.target or (0, 0))
        assert [outcomes[seat] for seat in range(7) if seat != winner] == ["explicit:TargetAbsent"] * 6
        late += sum(way > min(ways) for way in ways)

    assert late > 20


def test_who_is_zapped_gives_up_what_it_was_at() -> None:
    """It is out of the game, whatever it had begun; whoever zapped has done what the option promises."""
    game = world("harvest:open")
    zap, go = option(game, "zap", "zap"), option(game, "go_to_patch")
    zapped = []
    for seed in range(10):
        game.reset(seed, "standard")
        facts = game.facts()
        victims = game.ground.nearest(facts.places[1:], facts, 0)
        if not victims:
            continue
        victim = facts.places.index(victims[0])
        execution: Execution[Facts] = Execution(game)
        execution.start(0, zap, zap.instances(facts, 0)[0])
        for seat in range(1, 7):
            execution.start(seat, go, go.instances(facts, seat)[(seed + seat) % 6])
        outcomes = carried_out(execution, [0])
        if outcomes[0] == "success":
            (gone,) = [seat for seat in range(1, 7) if execution.facts.places[seat] == OUT] or [victim]
            outcomes |= carried_out(execution, [gone])
            assert outcomes[gone] == "explicit:OutOfGame"
            zapped.append(seed)

    assert zapped


@pytest.mark.parametrize("name", ["cleanup", "harvest:open"])
def test_zapping_takes_somebody_out_of_the_game(name: str) -> None:
    """Walked up to, turned to, waited for, hit: where others stand still it always works, if any is in view."""
    game = world(name)
    zap, outcomes = option(game, "zap", "zap"), list[str]()

    for seed in range(15):
        game.reset(seed, "standard")
        facts = game.facts()
        execution = started(game, 0, zap, zap.instances(facts, 0)[0])
        victims = game.ground.nearest(facts.places[1:], facts, 0)
        outcomes.append(carried_out(execution)[0])
        assert zap.read(zap.instances(facts, 0)[0], facts, 0) == (int(bool(victims)),)
        assert outcomes[-1] == ("success" if victims else "explicit:TargetAbsent")
        assert (OUT in execution.facts.places) == bool(victims)
        assert (execution.joint[0] == FIRE_ZAP) == bool(victims)

    assert outcomes.count("success") > 5


def test_who_is_shut_in_has_no_way_for_now() -> None:
    """A failure that passes, since others move."""
    game = world("harvest:open")
    eat = option(game, "eat_apple")
    poses = [((10, 12), NORTH), *((place, NORTH) for place in ((10, 11), (9, 12), (11, 12), (10, 13))), None, None]

    shut_in = plan(eat, standing(game, poses, apples=[(10, 9)]), 0, (10, 9))
    free = plan(eat, standing(game, [*poses[:4], None, None, None], apples=[(10, 9)]), 0, (10, 9))

    assert shut_in == Failure("NoPath", passing=True)
    assert isinstance(free, tuple)


@pytest.mark.parametrize(("name", "heading"), [("go_to_river", NORTH), ("go_to_orchard", SOUTH)])
def test_one_goes_to_an_edge_and_looks_over_it(name: str, heading: int) -> None:
    """From anywhere; who is there already stands still for a tick, and has not done it."""
    game = world()
    go, terrain = option(game, name), game.terrain
    (entry,) = go.instances(game.facts(), 0)
    edge = terrain.edge(terrain.dirt_sites if name == "go_to_river" else terrain.apple_sites)

    for cell in terrain.floor[::7]:
        facts = standing(game, [(terrain.place(cell), heading), *[None] * 6])
        near = min(game.ground.walks.distances(cell)[there] for there in edge)
        steps = plan(go, facts)
        assert isinstance(steps, tuple)
        assert len(steps) == max(near, 1)
        assert go.read(entry, facts, 0) == (int(cell in edge),)
        assert not go.effect(entry, facts, facts, 0)


def test_one_goes_beside_a_patch_and_looks_at_most_of_it() -> None:
    """Six targets, by their middles, which are on the menu of every seat."""
    game = world("harvest:open")
    go, terrain = option(game, "go_to_patch"), game.terrain

    for number, centre in enumerate(terrain.centres):
        game.reset(number, "standard")
        entry = aimed_at(go, game.facts(), 0, terrain.place(centre))
        execution = started(game, 0, go, entry)
        assert carried_out(execution) == {0: "success"}
        facts = execution.facts
        assert facts.places[0] in terrain.edge(terrain.patches[number])
        assert facts.eaten[0] == 0
        views = [game.ground.windows.cells(facts.places[0], heading) for heading in range(4)]
        seen = [len(view.intersection(terrain.patches[number])) for view in views]
        assert seen[facts.headings[0]] == max(seen)


def test_distances_are_told_in_three_classes() -> None:
    """Up to three steps, up to seven, or more: what guards may read."""
    game = world()
    eat = option(game, "eat_apple")
    apples = [(14, 17), (14, 16), (14, 15), (14, 14), (11, 14), (10, 14), (9, 14), (19, 10)]
    facts = standing(game, [((14, 18), NORTH), *[None] * 6], apples=apples)

    codes = {entry.key.partition("@")[2]: eat.read(entry, facts, 0)[0] for entry in eat.instances(facts, 0)}

    assert codes == dict(zip((f"{x},{y}" for x, y in apples), (0, 0, 0, 1, 1, 2, 2, 2), strict=True))


def test_somebody_near_is_sensed_and_no_guard_may_read_it() -> None:
    """Within three steps on foot."""
    game = world()
    library: Library[Any] = registry.library(game)
    eat = library.by_name["eat_apple"]
    senses = []
    for gap in (1, 3, 4):
        facts = standing(game, [((10, 12), NORTH), ((10 + gap, 12), NORTH), *[None] * 5], apples=[(10, 10)])
        senses.append(eat.sense(eat.instances(facts, 0)[0], facts, 0))

    assert senses == [(1,), (1,), (0,)]
    assert not {feature.name for each in library.options for feature in each.reads} & {"other_near"}
