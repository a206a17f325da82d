"""What an avatar reads, to the letter: adapters are trained on it."""

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.games.meltingpot.worlds import EAST, NORTH, SOUTH, WEST, needs_substrates, standing, world

from hocket.games.meltingpot.facts import Facts
from hocket.games.meltingpot.world import MeltingPot
from hocket.runtime.words import Situation

pytestmark = needs_substrates


def cleanup() -> tuple[MeltingPot, Facts]:
    """Something of everything: one at the river, one in the orchard, one out of the game, one that sees nobody."""
    game = world("cleanup", seats=5)
    poses = [((12, 9), EAST), ((14, 9), NORTH), ((9, 17), SOUTH), None, ((12, 3), SOUTH)]
    apples, dirt = [(16, 14), (9, 18), (7, 18), (9, 19), (20, 17)], [(17, 5), (14, 5), (14, 4), (13, 3)]
    return game, standing(game, poses, apples=apples, dirt=dirt, clean_wait=(2, 0, 0, 0, 1), eaten=(0, 0, 3, 0, 0))


def harvest() -> tuple[MeltingPot, Facts]:
    """One before a patch, one on it, one that sees nothing at all, one out of the game."""
    game = world("harvest:no_thinning", seats=4)
    poses = [((8, 10), NORTH), ((8, 4), WEST), ((11, 16), SOUTH), None]
    return game, standing(game, poses, apples=[(8, 3), (9, 3), (15, 4), (3, 8), (3, 9), (20, 8)], zap_wait=(0, 2, 0, 0))


def told(situation: Situation) -> str:
    """Its lines in three parts."""
    parts = {"own": situation.own, "partners": situation.partners, "world": situation.world}
    return "\n".join(line for name, lines in parts.items() for line in (f"[{name}]", *lines))


@pytest.mark.parametrize("name", ["cleanup", "harvest"])
def test_a_state_in_words(name: str, snapshot: SnapshotAssertion) -> None:
    """In full and in brief, for each seat, below the rules."""
    game, facts = cleanup() if name == "cleanup" else harvest()
    words = game.words

    read = ["\n".join(words.rules), words.brief_rules]
    for seat in range(game.seats):
        read += [f"-- seat {seat}", told(words.full(facts, seat)), told(words.brief(facts, seat))]

    assert "\n".join(read) == snapshot


@pytest.mark.parametrize("name", ["cleanup", "harvest"])
def test_who_is_out_of_the_game_reads_nothing_of_it(name: str) -> None:
    """Only that it is out."""
    game, facts = cleanup() if name == "cleanup" else harvest()

    assert game.words.full(facts, 3) == Situation(
        ("You are agent 3. You have been zapped out of the game for a while.",), (), ()
    )
    assert game.words.brief(facts, 3) == Situation(("me zapped",), (), ())


@pytest.mark.parametrize("name", ["cleanup", "harvest:open", "harvest:closed", "harvest:partnership"])
def test_every_place_has_words(name: str) -> None:
    """No line is empty or holds a break, wherever one stands and looks, and however much there is to see."""
    game = world(name, seats=2)
    terrain = game.terrain
    everything = (
        [terrain.place(cell) for cell in terrain.apple_sites],
        [terrain.place(cell) for cell in terrain.dirt_sites],
    )

    for number, cell in enumerate(terrain.floor):
        apples, dirt = everything if number % 2 else ((), ())
        facts = standing(game, [(terrain.place(cell), number % 4), ((1, 7), EAST)], apples=apples, dirt=dirt)
        for situation in (game.words.full(facts, 0), game.words.brief(facts, 0)):
            lines = [*situation.own, *situation.partners, *situation.world]
            assert len(situation.partners) <= 1
            assert all(line and line.isprintable() and line == line.strip() for line in lines)


def test_at_most_three_of_a_kind_are_told_with_their_places() -> None:
    """The nearest: a prompt has to end somewhere, and a menu tells the others."""
    game = world("cleanup", seats=2)
    facts = standing(game, [((14, 18), NORTH), None], apples=[(14, 17), (14, 16), (14, 15), (13, 15), (12, 15)])

    (line,) = [line for line in game.words.full(facts, 0).world if line.startswith("Apples")]

    assert line.startswith("Apples visible: 5, nearest (14, 17) 1 step")
    assert [f"({x}, {y})" in line for x, y in ((14, 17), (14, 16), (14, 15), (13, 15), (12, 15))] == [
        True,
        True,
        True,
        False,
        False,
    ]
