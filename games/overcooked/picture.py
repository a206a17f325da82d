"""A kitchen in characters, four to a cell.

[o]  counter with an onion (t tomato, d dish, s soup)      O T D S  what is taken or given there
(2)  pot with two ingredients, ~13 cooking for 13 ticks more, (!) done
0^o  cook 0, facing north, holding an onion
"""

from hocket.games.overcooked.items import SOUP, item_name
from hocket.games.overcooked.kitchen import Kitchen
from hocket.games.overcooked.view import Viewer

_FACING = "^v><"
LEGEND = (
    "O onions  T tomatoes  D dishes  S window  [o] on a counter\n"
    "(2) pot with 2  ~9 cooks 9 more  (!) done  0>o cook 0 facing east with an onion"
)


def picture(kitchen: Kitchen, viewer: Viewer, facts: tuple[int, ...]) -> str:
    """Draw a state of a kitchen."""
    cells = {
        (x, y): " . " if mark == " " or mark.isdigit() else "[ ]" if mark == "X" else f" {mark} "
        for y, row in enumerate(kitchen.layout.grid)
        for x, mark in enumerate(row)
    }
    width = kitchen.width
    for slot, cell in enumerate(kitchen.counters, kitchen.counter0):
        if facts[slot]:
            cells[cell % width, cell // width] = f"[{item_letter(facts[slot])}]"
    for place in range(len(kitchen.pots)):
        pot = viewer.pot(facts, place)
        marks = {"ready": "(!)", "cooking": f"~{pot.left:<2}"}
        cells[pot.at] = marks.get(pot.state, f"({len(pot.contents)})")
    for seat in range(kitchen.players):
        cell, heading, held = facts[kitchen.seat0 + 3 * seat :][:3]
        cells[cell % width, cell // width] = f"{seat}{_FACING[heading]}{item_letter(held)}"
    rows = [" ".join(cells[x, y] for x in range(width)).rstrip() for y in range(kitchen.height)]
    return "\n".join([*rows, "", LEGEND])


def item_letter(code: int) -> str:
    """One letter for an item, a space for nothing."""
    if code == 0:
        return " "
    return "s" if code > SOUP else item_name(code)[0]
