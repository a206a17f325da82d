"""The options of Commons Harvest: eat, go to a patch, wait.

Ways lead around apples that are not their goal, since to step on one is to eat it.
"""

from hocket.games.meltingpot import cleanup
from hocket.games.meltingpot.actions import NOOP
from hocket.games.meltingpot.cleanup import SOURCES, WAIT_TICKS
from hocket.games.meltingpot.facts import Facts
from hocket.games.meltingpot.ground import Ground
from hocket.games.meltingpot.options import Eat, Goals, GoTo, Zap
from hocket.games.wait import Wait
from hocket.runtime.events import Cell
from hocket.runtime.option import Library, Option, source_digest


def harvest_library(name: str, ground: Ground) -> Library[Facts]:
    """Build the options of a Harvest world, with zapping where the library is called `zap`."""
    made: list[Option[Facts]] = [
        Wait(NOOP, WAIT_TICKS),
        Eat(ground),
        GoTo("go_to_patch", "go to the patch", ground, patches(ground)),
        *([Zap(ground)] if name == "zap" else []),
    ]
    return Library(name=name, version=1, digest=source_digest(__file__, cleanup.__file__, *SOURCES), options=made)


def patches(ground: Ground) -> dict[Cell | None, Goals]:
    """Return the cells around each patch, looking where most of it is seen, by the place of its middle."""
    terrain = ground.terrain
    return {
        terrain.place(centre): {
            cell: max(range(4), key=lambda look: _seen(ground, cell, look, patch)) for cell in terrain.edge(patch)
        }
        for centre, patch in zip(terrain.centres, terrain.patches, strict=True)
    }


def _seen(ground: Ground, cell: int, look: int, patch: tuple[int, ...]) -> int:
    window = ground.windows.cells(cell, look)
    return sum(site in window for site in patch)
