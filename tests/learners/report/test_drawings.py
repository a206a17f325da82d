"""Figures: text stays text, colours are the page's, and the words beside them hold the numbers."""

import re

import pytest

from hocket.games import registry
from hocket.learners.report.bars import MOST, bars
from hocket.learners.report.canvas import label
from hocket.learners.report.curves import lines, returns_by_round, survival
from hocket.learners.report.dots import dots
from hocket.learners.report.maps import maps
from hocket.learners.report.parts import Picture
from hocket.replays.audits.shares import Shares
from hocket.replays.audits.sustainability import Sustainability
from hocket.replays.audits.territory import Territory

SHARES = list(Shares(({"cook": 3.0, "wait": 1.0}, {"cook": 1.0, "wait": 9.0})).rows())
PATCHES = Sustainability("patches", 6, (2.0, 2.0, 1.0), (12.0, 9.0, 2.0), (8.0, 4.0, 1.0))


def pictures() -> list[Picture]:
    """One of each kind."""
    return [
        dots([1.0, 2.0, 4.0], "dots"),
        bars(SHARES, "bars"),
        maps(Territory((7, 5), ((0.0,) * 8 + (30.0, 1.0) + (0.0,) * 25,) * 2), registry.make("pantry").spec, "maps"),
        survival(PATCHES, "survival"),
        returns_by_round([1.0, 3.0], [(0.0, 2.0), (2.0, 4.0)], 1, "rounds"),
        lines("Entropy", "nats", {"seat0": [1.0, 0.5], "seat1": [1.0, 0.7]}, "lines"),
    ]


@pytest.fixture(scope="module")
def drawn() -> list[Picture]:
    """Drawn once."""
    return pictures()


def test_the_same_numbers_are_the_same_bytes(drawn: list[Picture]) -> None:
    """No date, no random name."""
    assert pictures() == drawn


def test_drawings_bring_nothing_along(drawn: list[Picture]) -> None:
    """Neither colours of their own, nor fonts, nor anything from elsewhere."""
    for drawing in (each for picture in drawn for each in picture.drawings):
        assert not re.search(r"#[0-9a-f]{6}", drawing)
        assert "font-family" not in drawing
        assert "http" not in drawing
        assert "<image" not in drawing


def test_names_within_drawings_are_told_apart(drawn: list[Picture]) -> None:
    """They stand in one page, where a name may be given once."""
    names = [name for picture in drawn for each in picture.drawings for name in re.findall(r' id="([^"]+)"', each)]
    used = {name for picture in drawn for each in picture.drawings for name in re.findall(r'(?:="|\()#([^")]+)', each)}

    assert len(names) == len(set(names))
    assert used
    assert used <= set(names)


def test_text_is_text(drawn: list[Picture]) -> None:
    """So that it can be read out, found and selected."""
    assert ">wait</text>" in drawn[1].drawings[0]
    assert ">75%</text>" in drawn[1].drawings[0]
    assert ">points of the team</text>" in drawn[0].drawings[0]


def test_no_number_of_an_axis_is_cut_short() -> None:
    """Only coordinates have two places; a label of three keeps them."""
    [drawing] = lines("KL", "nats", {"seat0": [0.0, 0.01, 0.02]}, "a").drawings

    assert ">0.005</text>" in drawing
    assert not re.search(r'"[\d.]*\.\d{3}', drawing)


def test_returns_are_told_with_their_interval() -> None:
    """And those that are all equal without one."""
    assert "1 to 4" in dots([1.0, 2.0, 4.0], "a").gist
    assert "95% bootstrap interval: 2.333 [1, 4]" in dots([1.0, 2.0, 4.0], "a").gist
    assert "all returns are equal, so there is no interval" in dots([2.0, 2.0], "a").gist
    assert "One episode: 2" in dots([2.0], "a").gist


def test_shares_are_told_by_seat() -> None:
    """With a panel for each that has chosen; rare options are left to the table."""
    many = list(Shares(({f"option{number:02}": 1.0 for number in range(MOST + 3)}, {})).rows())

    found = bars(SHARES, "a")

    assert found.gist == "Seat 0 most of all: cook 75%, wait 25%; Seat 1 most of all: wait 90%, cook 10%."
    assert len(found.drawings) == 2
    assert len(bars(many, "b").drawings) == 1
    assert "3 rarer options" in bars(many, "b").gist


def test_survival_is_a_mean_over_episodes_that_were_that_long() -> None:
    """Six patches of six at first, two in the one that went on."""
    assert "6 at tick 0" in survival(PATCHES, "a").gist
    assert "2 at tick 2" in survival(PATCHES, "a").gist


def test_a_round_without_a_number_is_a_gap() -> None:
    """A round in which nobody learned has no entropy."""
    found = lines("Entropy", "nats", {"seat0": [1.0, None, 0.5], "seat1": [None, None, None]}, "a")

    assert found.gist == "First round to last: seat0 from 1 to 0.5."
    assert "nan" not in found.drawings[0]


def test_a_name_with_signs_of_mathematics_is_a_name() -> None:
    """Dollar signs mean nothing here, and a sign that no font has is left to the page."""
    found = bars(list(Shares(({"$x^2$": 1.0, "a < b & c": 1.0, "鍋": 1.0},)).rows()), "a")

    assert ">$x^2$</text>" in found.drawings[0]
    assert ">a &lt; b &amp; c</text>" in found.drawings[0]
    assert ">鍋</text>" in found.drawings[0]


def test_an_episode_of_no_tick_is_drawn() -> None:
    """Its commons have one state, and a map may have no patch."""
    found = survival(Sustainability("patches", 0, (1.0,), (0.0,), (0.0,)), "a")

    assert found.gist == "Mean over 1 episodes: 0 at tick 0."
    assert len(found.drawings) == 1


@pytest.mark.parametrize("letter", ["x", "W", "鍋", "a\n"])
def test_a_name_that_is_too_long_for_a_figure_is_shortened(letter: str) -> None:
    """Beginning and end are there, and the table below has all of it."""
    name = f"cook {letter * 20_000} twice"

    found = [
        bars(list(Shares(({name: 3.0, "wait": 1.0},)).rows()), "a"),
        lines("Entropy", "nats", {name: [1.0, 0.5]}, "b"),
    ]

    assert re.fullmatch(r"cook .{13}…. twice", label(name))
    for picture in found:
        assert f">{label(name)}</text>" in picture.drawings[0]
        assert len(picture.gist) < 100
        assert len(picture.drawings[0]) < 20_000


def test_numbers_that_no_axis_can_hold_are_told_in_words() -> None:
    """An axis goes a little further than the largest, and then there is no number any more."""
    found = [
        dots([1e308, -1e308, 3.0], "a"),
        returns_by_round([1e308, 1.0], [(0.0, 1.7e308), (0.0, 2.0)], 0, "b"),
        lines("Events", "events", {"ate": [None, 1e308]}, "c"),
    ]

    for picture in found:
        assert picture.drawings == ()
        assert picture.gist.endswith("Some are too large to be drawn.")
        assert "1e+308" in picture.gist
    assert len(dots([1e100, -1e100], "d").drawings) == 1
