"""Options by station: a few places to go to, whatever is had or done there.

Coarser than the default ones where they aim: one option fetches from every dispenser,
with empty hands alone; things are set down where another room can reach them or
near a pot, and nowhere else. Finer where they end: a cook can stand by a pot without
touching it, so as to be there in time, and wait for a single tick.

Source: the option contracts of section 5.1 of the PA-MAGRPO paper.
"""

from typing import Final

from hocket.games import paths as paths_module
from hocket.games import wait as wait_module
from hocket.games.overcooked import at_tile, deeds, rooms
from hocket.games.overcooked.at_tile import AtTile, Facts
from hocket.games.overcooked.deeds import Hands, PutDown, PutIntoPot, StartCooking, TakeUp, delivered, plated
from hocket.games.overcooked.items import DISH, NOTHING, ONION, TOMATO
from hocket.games.overcooked.kitchen import STAY, Kitchen
from hocket.games.overcooked.options import aimed
from hocket.games.overcooked.rooms import Rooms
from hocket.games.overcooked.starts import kitchen_paths
from hocket.games.paths import Paths
from hocket.games.wait import Wait
from hocket.runtime.option import Failure, Feature, Instance, Library, Option, Plan, source_digest

WAIT_TICKS = 1
COUNTERS = 4
"""Counters of a room's own on which things are set down."""
GIVES: Final = {"O": ONION, "T": TOMATO, "D": DISH}
FACES = Feature("faces_tgt", ("no", "yes"), own=True)


class _Fetch(AtTile):
    """Empty hands come to hold what the dispenser gives."""

    def __init__(self, name: str, kitchen: Kitchen, paths: Paths) -> None:
        gives = {tile: code for letter, code in GIVES.items() for tile in kitchen.tiles(letter)}
        words = {ONION: "fetch an onion", TOMATO: "fetch a tomato", DISH: "fetch a dish"}
        super().__init__(name, lambda tile: words[gives[tile]], kitchen, paths, sorted(gives))
        self._gives = {key: gives[tile] for key, tile in self._tile.items()}

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        """Tell whether hands that were empty hold it."""
        return before[3 + 3 * seat] == NOTHING and after[3 + 3 * seat] == self._gives[instance.key]


class _StandBy(AtTile):
    """Walks up to a tile and touches nothing; what changes is where the cook stands and looks."""

    def __init__(self, name: str, words: str, kitchen: Kitchen, paths: Paths) -> None:
        super().__init__(name, words, kitchen, paths, kitchen.pots)
        self.reads = (FACES,)
        self._ahead = kitchen.tables.grid.ahead

    def read(self, instance: Instance, facts: Facts, seat: int) -> tuple[int, ...]:
        """Whether the tile is faced."""
        return (int(self._faces(instance, facts, seat)),)

    def expand(self, instance: Instance, facts: Facts, seat: int) -> Plan | Failure:
        """Walk to face the tile; stay for a tick where it is faced."""
        plan = super().expand(instance, facts, seat)
        return plan if isinstance(plan, Failure) else plan[:-1] or (STAY,)

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        """Tell whether the tile is faced, and was not before."""
        return self._faces(instance, after, seat) and not self._faces(instance, before, seat)

    def _faces(self, instance: Instance, facts: Facts, seat: int) -> bool:
        place = 1 + 3 * seat
        return self._ahead[facts[place] * 4 + facts[place + 1]] == self._tile[instance.key]


def stations_library(kitchen: Kitchen) -> Library[Facts]:
    """Build the options of one kitchen, with tables of their own."""
    paths = kitchen_paths(kitchen)
    plan = Rooms(kitchen, paths)
    counters = sorted({*plan.shared(kitchen.counters), *plan.near_pots(kitchen.counters, COUNTERS)})
    options: list[Option[Facts]] = [
        Wait(STAY, WAIT_TICKS),
        _Fetch("fetch", kitchen, paths),
        PutIntoPot("fill", "add what you carry to the pot", kitchen, paths, kitchen.pots),
        StartCooking("cook", "switch the pot on", kitchen, paths, kitchen.pots),
        _StandBy("stand_by", "stand by at the pot", kitchen, paths),
        Hands("dish_up", "dish the soup up from the pot", kitchen, paths, kitchen.pots, plated),
        Hands("serve", "serve your soup at the window", kitchen, paths, kitchen.tiles("S"), delivered),
        PutDown("set_down", "set what you carry down on the counter", kitchen, paths, counters),
        TakeUp("take_up", "take up the {} that lies on the counter", kitchen, paths, kitchen.counters),
    ]
    sources = (at_tile, deeds, rooms, paths_module, wait_module)
    return Library(
        name="stations",
        version=1,
        digest=source_digest(__file__, *(str(source.__file__) for source in sources)),
        options=aimed(options),
    )
