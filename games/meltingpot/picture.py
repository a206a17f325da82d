"""A world in characters, two to a cell: where each avatar stands and looks, apples, dirt."""

from hocket.games.meltingpot.facts import OUT, Facts
from hocket.games.meltingpot.terrain import Terrain

_FACING = "^>v<"
_LEGEND = "0> seat 0 facing east  a apple  d dirt  ~~ water  ## wall  : where apples grow"
_NAMES = "0123456789ab"


def picture(terrain: Terrain, facts: Facts) -> str:
    """Draw a state of a world."""
    cells = [" ."] * (terrain.width * terrain.height)
    for cell in sorted(terrain.walls):
        cells[cell] = "##"
    for cell in sorted(terrain.water):
        cells[cell] = "~~"
    for marks, there in ((" :", terrain.apple_sites), (" a", facts.apples), (" d", facts.dirt)):
        for cell in there:
            cells[cell] = marks
    for seat, cell in enumerate(facts.places):
        if cell != OUT:
            cells[cell] = f"{_NAMES[seat]}{_FACING[facts.headings[seat]]}"
    rows = ["".join(cells[at : at + terrain.width]).rstrip() for at in range(0, len(cells), terrain.width)]
    out = "".join(_NAMES[seat] for seat, cell in enumerate(facts.places) if cell == OUT)
    eaten = " ".join(map(str, facts.eaten))
    below = f"apples eaten: {eaten}" + (f"  out of the game: {out}" if out else "")
    return "\n".join([*rows, below, "", _LEGEND])
