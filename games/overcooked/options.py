"""The default options of a kitchen, unguarded: each a walk to one tile and one interact.

One option a thing to do; each aims at every tile of its class. Parts and promises are
those of at_tile.py and deeds.py. Other libraries are stations.py and errands.py.

Source: the option contracts of section 5.1 of the PA-MAGRPO paper.
"""

from hocket.games import paths as paths_module
from hocket.games import wait as wait_module
from hocket.games.overcooked import at_tile, deeds
from hocket.games.overcooked.at_tile import Facts
from hocket.games.overcooked.deeds import Hands, PutDown, PutIntoPot, StartCooking, TakeUp, delivered, plated
from hocket.games.overcooked.items import DISH, ONION, TOMATO
from hocket.games.overcooked.kitchen import STAY, Kitchen
from hocket.games.overcooked.starts import kitchen_paths
from hocket.games.wait import Wait
from hocket.runtime.option import Library, Option, source_digest

WAIT_TICKS = 3


def default_library(kitchen: Kitchen) -> Library[Facts]:
    """Build the options of one kitchen, with tables of their own."""
    paths = kitchen_paths(kitchen)
    tiles = kitchen.tiles

    def pick(item: str, code: int, letter: str) -> Option[Facts]:
        return Hands(
            f"pick_{item}",
            f"pick up {'an' if item == 'onion' else 'a'} {item}",
            kitchen,
            paths,
            tiles(letter),
            lambda held, now: held != code and now == code,
        )

    options: list[Option[Facts]] = [
        Wait(STAY, WAIT_TICKS),
        pick("onion", ONION, "O"),
        pick("tomato", TOMATO, "T"),
        pick("dish", DISH, "D"),
        PutIntoPot("place_in_pot", "put the held ingredient into the pot", kitchen, paths, kitchen.pots),
        StartCooking("start_cooking", "start cooking the pot", kitchen, paths, kitchen.pots),
        Hands("plate_soup", "plate the soup of the pot", kitchen, paths, kitchen.pots, plated),
        Hands("deliver", "deliver the held soup to the window", kitchen, paths, tiles("S"), delivered),
        PutDown("drop_held", "put the held item down on the counter", kitchen, paths, kitchen.counters),
        TakeUp("pick_up_from_counter", "pick up the {} from the counter", kitchen, paths, kitchen.counters),
    ]
    return Library(
        name="default",
        version=1,
        digest=source_digest(__file__, at_tile.__file__, deeds.__file__, paths_module.__file__, wait_module.__file__),
        options=aimed(options),
    )


def aimed(options: list[Option[Facts]]) -> list[Option[Facts]]:
    """Leave out what there is nothing to aim at in this kitchen."""
    return [option for option in options if not option.fixed or option.instances((), 0)]
