"""What a terminal shows: each thing in its colour, no line too long."""

import io
from typing import Any

from rich.console import Console
from rich.style import Style

from hocket.games import registry
from hocket.games.meltingpot.facts import OUT, Facts
from hocket.games.meltingpot.picture import picture
from hocket.games.meltingpot.terrain import Terrain
from hocket.games.pantry.options import default_library
from hocket.games.pantry.world import Pantry
from hocket.live import frame
from hocket.runtime.game import Game
from hocket.runtime.scheduler import Scheduler

SEATS, WIDTH = 12, 30
PREFABS = {
    " ": (),
    "W": ("wall",),
    "~": ("river",),
    "=": ("river", "potential_dirt"),
    "a": ("grass", "potential_apple"),
}
MAP = Terrain(["W" * WIDTH, f"W~~~~===={' ' * 20}W", f"W{'a' * 28}W", f"W{' ' * 28}W", "W" * WIDTH], PREFABS)


class Pond(Pantry):
    """Looks like Cleanup at its widest, with as many seats as there can be; it is played like the pantry."""

    def __init__(self) -> None:
        super().__init__(SEATS)

    def picture(self, facts: Any) -> str:
        """Seat 0 in the water, 10 and 11 beside dirt and an apple, 1 to 8 in a row, and 9 out of the game."""
        row = tuple(range(3 * WIDTH + 1, 3 * WIDTH + 9))
        places = (WIDTH + 4, *row, OUT, WIDTH + 7, 2 * WIDTH + 3)
        nothing = (0,) * SEATS
        apples, dirt = (2 * WIDTH + 2,), (WIDTH + 6, WIDTH + 8)
        headings = (1, 0, 1, 2, 3, 0, 1, 2, 3, 0, 2, 2)
        return picture(MAP, Facts(places, headings, nothing, nothing, apples, dirt, nothing, nothing, nothing))


def _shown(game: Game[Any], library: Any) -> list[list[tuple[str, Style]]]:
    """Return what a terminal of 80 columns shows, line by line, as characters and their styles."""
    holders = ["scripted:cleaner"] * game.seats
    scheduler = Scheduler(game, library, seed=7, holders=holders, steps=9)
    console = Console(file=io.StringIO(), width=80, force_terminal=True, color_system="256")
    lines = console.render_lines(frame(scheduler), pad=False)
    return [[(mark, part.style or Style()) for part in line for mark in part.text] for line in lines]


def _text(line: list[tuple[str, Style]]) -> str:
    return "".join(mark for mark, _ in line)


def _colour(style: Style) -> str:
    return style.color.name if style.color is not None else "none"


def test_each_thing_of_a_world_has_its_colour() -> None:
    """Cell by cell: an avatar's is its seat's, whatever stands beside it."""
    lines = _shown(Pond(), default_library())
    world = [line for line in lines if _text(line).startswith("##")]

    cells = {
        (_text(line)[at : at + 2], _colour(line[at][1]), bool(line[at][1].bold), bool(line[at][1].dim))
        for line in world
        for at in range(0, len(line), 2)
        if line[at][1] == line[at + 1][1]
    }

    assert sum(len(line) for line in world) == 5 * 2 * WIDTH
    assert cells == {
        ("##", "none", False, True),
        ("~~", "blue", False, False),
        (" d", "yellow", False, False),
        (" a", "red", True, False),
        (" .", "none", False, True),
        (" :", "green", False, True),
        ("0>", "cyan", True, False),
        ("1^", "magenta", True, False),
        ("2>", "yellow", True, False),
        ("3v", "green", True, False),
        ("4<", "white", True, False),
        ("5^", "dark_orange", True, False),
        ("6>", "medium_purple1", True, False),
        ("7v", "spring_green2", True, False),
        ("8<", "hot_pink", True, False),
        ("av", "gold3", True, False),
        ("bv", "plum2", True, False),
    }


def test_a_world_and_twelve_lanes_fit_eighty_columns() -> None:
    """No line is broken or cut; each lane has the colour of its avatar."""
    lines = _shown(Pond(), default_library())

    texts = [_text(line).rstrip() for line in lines]
    lanes = [line for line in lines if _text(line).startswith("seat ")]
    drawn = Pond().picture(None).splitlines()
    assert texts[2 : 2 + len(drawn)] == drawn
    assert [_text(lane).split() for lane in lanes] == [
        ["seat", str(seat), "scripted:cleaner", "-"] for seat in range(SEATS)
    ]
    assert [_colour(lane[0][1]) for lane in lanes][::11] == ["cyan", "plum2"]
    assert len({_colour(lane[0][1]) for lane in lanes}) == SEATS
    assert len(lines) == 2 + len(drawn) + 1 + SEATS


def test_a_kitchen_has_its_own_colours() -> None:
    """A cook with what it holds, a counter, and in the legend a pot that cooks."""
    game = registry.make("overcooked:cramped_room")

    lines = _shown(game, registry.library(game))

    found = {(_text(line), mark, _colour(style), bool(style.dim)) for line in lines for mark, style in line}
    assert ("[ ]  D  [ ]  S  [ ]", "[", "none", True) in found
    assert {colour for _, mark, colour, _ in found if mark == "^"} >= {"cyan", "magenta"}
    assert {colour for _, mark, colour, _ in found if mark == "~"} == {"red"}
    assert not any(colour in ("blue", "yellow") for _, _, colour, _ in found)
