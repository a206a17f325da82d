"""The pantry in words; nothing in them tells which seat reads."""

from hocket.games.pantry.rules import HATCH, ROOM_ON_TABLE, SHELF, TABLE, Facts
from hocket.runtime.events import Cell
from hocket.runtime.words import Situation


class PantryWords:
    """The words of a pantry."""

    stages = ("fetching", "carrying", "opening", "serving")

    def __init__(self, seats: int) -> None:
        company = "You are the only cook" if seats == 1 else f"You are one of {seats} cooks"
        self.rules = (
            f"{company} in a pantry; its floor is (1, 1) to (5, 3).",
            f"Fetch a jar from the shelf at {SHELF}. The table at {TABLE} keeps up to {ROOM_ON_TABLE} jars for others.",
            f"Empty hands open the hatch at {HATCH}. Open, it takes one jar, for 1 point for the team, and shuts.",
        )
        self.brief_rules = f"pantry {seats} cooks fetch open serve jar"

    def full(self, facts: Facts, seat: int) -> Situation:
        """Tell in sentences where everybody stands, and what table and hatch are like."""
        return Situation(
            own=(f"You are at {facts.places[seat]}, holding {_held(facts.held[seat])}.",),
            partners=tuple(
                f"cook at {place}, holding {_held(held)}"
                for other, (place, held) in enumerate(zip(facts.places, facts.held, strict=True))
                if other != seat
            ),
            world=(f"Table: {facts.jars} of {ROOM_ON_TABLE} jars.", f"Hatch: {_hatch(facts)}."),
        )

    def brief(self, facts: Facts, seat: int) -> Situation:
        """Tell the same in few words."""
        told = [
            f"{_at(place)} {'jar' if held else 'nothing'}" for place, held in zip(facts.places, facts.held, strict=True)
        ]
        return Situation(
            own=(f"me{told[seat]}",),
            partners=tuple(f"mate{line}" for other, line in enumerate(told) if other != seat),
            world=(f"table {facts.jars} hatch {_hatch(facts)}",),
        )


def _held(held: bool) -> str:
    return "a jar" if held else "nothing"


def _hatch(facts: Facts) -> str:
    return "open" if facts.hatch_open else "shut"


def _at(place: Cell) -> str:
    return f"@{place[0]},{place[1]}"
