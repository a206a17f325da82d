"""What an avatar may see: its window, and nothing that is not in it."""

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.games.meltingpot.worlds import EAST, NORTH, SOUTH, WEST, needs_substrates, standing, world

from hocket.games import registry
from hocket.games.meltingpot.facts import OUT, Facts
from hocket.games.meltingpot.view import AvatarSeen, AvatarView, PatchSeen, Seen
from hocket.games.meltingpot.window import NOWHERE
from hocket.games.meltingpot.world import MeltingPot

pytestmark = needs_substrates
GAMES = ("cleanup", "harvest:open", "harvest:partnership")
SEATS = 5


@st.composite
def anywhere(draw: st.DrawFn, game: MeltingPot) -> Facts:
    """Avatars anywhere, some of them out of the game, apples and dirt here and there."""
    terrain = game.terrain
    places = draw(st.lists(st.sampled_from(terrain.floor), min_size=SEATS, max_size=SEATS, unique=True))
    numbers, seats = st.integers(0, 10), range(SEATS)
    return Facts(
        places=tuple(OUT if draw(st.integers(0, 6)) == 0 else place for place in places),
        headings=tuple(draw(st.integers(0, 3)) for _ in seats),
        zap_wait=tuple(draw(numbers) for _ in seats),
        clean_wait=tuple(draw(numbers) for _ in seats),
        apples=some(draw, terrain.apple_sites),
        dirt=some(draw, terrain.dirt_sites),
        eaten=tuple(draw(numbers) for _ in seats),
        cleaned=tuple(draw(numbers) for _ in seats),
        zapped=tuple(draw(numbers) for _ in seats),
    )


def some(draw: st.DrawFn, sites: tuple[int, ...]) -> tuple[int, ...]:
    """Any of some cells, in their order."""
    bits = draw(st.integers(0, 2 ** len(sites) - 1))
    return tuple(cell for number, cell in enumerate(sites) if bits >> number & 1)


def behind_the_back(game: MeltingPot, facts: Facts, other: Facts, seat: int) -> Facts:
    """What `seat` sees of one state, and all the rest from another."""
    out = facts.places[seat] == OUT
    window = frozenset() if out else game.ground.windows.cells(facts.places[seat], facts.headings[seat])

    def things(here: tuple[int, ...], there: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(window.intersection(here) | set(there) - window))

    def mixed(name: str, which: list[bool]) -> tuple[int, ...]:
        pairs = zip(getattr(facts, name), getattr(other, name), which, strict=True)
        return tuple(mine if kept else theirs for mine, theirs, kept in pairs)

    own = [each == seat for each in range(SEATS)]
    seen = [mine or place in window for mine, place in zip(own, facts.places, strict=True)]
    return Facts(
        places=tuple(
            place if kept else OUT if there in window or there in facts.places else there
            for place, there, kept in zip(facts.places, other.places, seen, strict=True)
        ),
        headings=mixed("headings", seen),
        zap_wait=mixed("zap_wait", own),
        clean_wait=mixed("clean_wait", own),
        apples=things(facts.apples, other.apples),
        dirt=things(facts.dirt, other.dirt),
        eaten=other.eaten,
        cleaned=other.cleaned,
        zapped=other.zapped,
    )


@pytest.mark.parametrize("name", GAMES)
@given(st.data())
@settings(max_examples=60)
def test_nothing_is_seen_but_what_is_in_view(name: str, data: st.DataObject) -> None:
    """Whatever changes elsewhere, and in others' waits and counts, changes neither view, words, array nor menu."""
    game = world(name, seats=SEATS)
    library = registry.library(game, "zap")
    facts, other = data.draw(anywhere(game)), data.draw(anywhere(game))

    for seat in range(SEATS):
        changed = behind_the_back(game, facts, other, seat)
        assert game.observe(changed, seat) == game.observe(facts, seat)
        assert game.words.full(changed, seat) == game.words.full(facts, seat)
        assert game.words.brief(changed, seat) == game.words.brief(facts, seat)
        assert np.array_equal(game.array(changed, seat), game.array(facts, seat))
        for option in library.options:
            assert option.instances(changed, seat) == option.instances(facts, seat)


@pytest.mark.parametrize("name", GAMES)
@given(st.data())
@settings(max_examples=60)
def test_everything_in_view_is_seen(name: str, data: st.DataObject) -> None:
    """Every apple, dirt and avatar of the window, the nearest first, in the lists and in the rows."""
    game = world(name, seats=SEATS)
    facts = data.draw(anywhere(game))
    place, windows, far = game.terrain.place, game.ground.windows, game.ground.walks.distances

    for seat, cell in enumerate(facts.places):
        view = game.observe(facts, seat)
        assert view.seat == seat
        if cell == OUT:
            assert (view.place, view.window, view.apples, view.dirt, view.others, view.patches) == (None, *[()] * 5)
            continue
        window = windows.cells(cell, facts.headings[seat])
        for seen, cells in ((view.apples, facts.apples), (view.dirt, facts.dirt)):
            assert {thing.at for thing in seen} == {place(each) for each in window.intersection(cells)}
            assert [(thing.steps, thing.at) for thing in seen] == sorted((thing.steps, thing.at) for thing in seen)
            assert all(thing.steps == far(cell)[game.terrain.cell(thing.at)] for thing in seen)
        others = {each for each, there in enumerate(facts.places) if each != seat and there in window}
        assert {each.seat for each in view.others} == others
        marks = "".join(view.window)
        assert [len(row) for row in view.window] == [11] * 11
        assert marks[9 * 11 + 5] == "@"
        stood_on = {facts.places[each] for each in (*others, seat)}
        for mark, cells in (("a", facts.apples), ("d", facts.dirt)):
            assert marks.count(mark) == len(window.intersection(cells) - stood_on)
        assert sum(map(marks.count, "^>v<")) == len(others)
        for mark, there in zip(marks, windows.rows(cell, facts.headings[seat]), strict=True):
            assert mark in "ad@^>v<" or mark == bare(game, there)


def bare(game: MeltingPot, cell: int) -> str:
    """The mark of a cell with nothing on it."""
    terrain = game.terrain
    kinds = ((" ", (NOWHERE,)), ("#", terrain.walls), ("~", terrain.water), ('"', terrain.grass))
    return next((mark for mark, cells in kinds if cell in cells), ".")


def test_a_view_is_a_window_in_words() -> None:
    """Places as x and y, things with their steps, the window turned to the heading."""
    game = world("cleanup", seats=4)
    poses = [((12, 9), EAST), ((14, 9), EAST), ((20, 5), SOUTH), ((11, 9), WEST)]

    view = game.observe(standing(game, poses, apples=[(16, 14)], dirt=[(17, 5), (14, 5)], zap_wait=(4,)), 0)

    assert view == AvatarView(
        seat=0,
        place=(12, 9),
        facing="east",
        ground="sand",
        zap_wait=4,
        clean_wait=0,
        apples=(Seen((16, 14), 9),),
        dirt=(Seen((14, 5), 6), Seen((17, 5), 9)),
        others=(
            AvatarSeen(3, (11, 9), "west", 1),
            AvatarSeen(1, (14, 9), "east", 2),
            AvatarSeen(2, (20, 5), "south", 12),
        ),
        patches=(),
        around=view.around,
    )
    assert view.window == (
        "~~~~~~~~~~~",
        "~>~~~~~~~~~",
        "~~~........",
        "~~~........",
        "~d~........",
        "~~~.......a",
        "~~.........",
        "~d...^.....",
        "~~.........",
        "~~...@.....",
        "~~...v.....",
    )


def test_in_commons_harvest_apples_are_told_by_patch() -> None:
    """As far as they are in view: of a patch that is cut off by the edge of the window, the rest is not known."""
    game = world("harvest:open", seats=2)
    apples = [(8, 3), (9, 3), (15, 4), (3, 8), (3, 9), (20, 8)]

    view = game.observe(standing(game, [((8, 10), NORTH), ((1, 16), WEST)], apples=apples), 0)

    assert view.apples == (Seen((3, 9), 6, 4), Seen((3, 8), 7, 4), Seen((8, 3), 7, 1), Seen((9, 3), 8, 1))
    assert view.patches == (
        PatchSeen(number=0, at=(2, 2), places=6, seen=1, apples=0),
        PatchSeen(number=1, at=(8, 3), places=13, seen=13, apples=2),
        PatchSeen(number=2, at=(15, 3), places=13, seen=1, apples=0),
        PatchSeen(number=4, at=(3, 8), places=13, seen=9, apples=2),
    )


def test_a_view_goes_through_json() -> None:
    """Agents elsewhere get it so."""
    game = world("harvest:open", seats=2)
    view = game.observe(standing(game, [((8, 10), NORTH), None], apples=[(8, 3)]), 0)

    assert msgspec.json.decode(msgspec.json.encode(view), type=AvatarView) == view
