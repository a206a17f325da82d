"""The options of Cleanup: eat, clean, go to the river or to the orchard, wait."""

from hocket.games import wait as wait_module
from hocket.games.meltingpot import actions, beam, facts, ground, options, terrain, walks, window
from hocket.games.meltingpot.actions import FIRE_CLEAN, NOOP
from hocket.games.meltingpot.facts import OUT, Facts
from hocket.games.meltingpot.ground import Ground
from hocket.games.meltingpot.options import (
    DISTANCE,
    NO_PATH,
    OUT_OF_GAME,
    TARGET_ABSENT,
    AtThing,
    Eat,
    Goals,
    GoTo,
    Zap,
    aimed,
)
from hocket.games.wait import Wait
from hocket.runtime.option import Failure, Feature, Instance, Library, Option, Plan, source_digest

WAIT_TICKS = 3
NORTH, SOUTH = 0, 2
COOLING = 2
"""Steps between two shots of the cleaning beam."""
READY = Feature("ready", ("now", "soon"))
SOURCES = (
    wait_module.__file__,
    actions.__file__,
    beam.__file__,
    facts.__file__,
    ground.__file__,
    options.__file__,
    terrain.__file__,
    walks.__file__,
    window.__file__,
)
"""What the digest of a library is taken over, besides its own file."""


class Clean(AtThing):
    """Go where the beam covers some dirt, face it, and fire until it is gone."""

    reads = (DISTANCE, READY)

    def __init__(self, ground: Ground) -> None:
        super().__init__("clean_dirt", "clean dirt", ground, lambda facts: facts.dirt)

    def read(self, instance: Instance, facts: Facts, seat: int) -> tuple[int, ...]:
        """How far the target is, and whether the beam can be fired now."""
        return self._distance(instance, facts, seat), int(facts.clean_wait[seat] > 0)

    def expand(self, instance: Instance, facts: Facts, seat: int) -> Plan | Failure:
        """Walk, turn, wait until the beam can be fired, and fire."""
        if facts.places[seat] == OUT:
            return OUT_OF_GAME
        target = self._target(instance)
        if target not in facts.dirt:
            return TARGET_ABSENT
        aim = aimed(self._ground, target, frozenset(facts.dirt), facts, seat)
        if aim is None:
            return NO_PATH
        plan, before = aim
        again = (*(NOOP,) * COOLING, FIRE_CLEAN) * before
        return (*plan, *(NOOP,) * (facts.clean_wait[seat] - len(plan)), FIRE_CLEAN, *again)

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        """Tell whether the dirt is gone and this seat has cleaned since."""
        return self._target(instance) not in after.dirt and after.cleaned[seat] > before.cleaned[seat]


def cleanup_library(name: str, ground: Ground) -> Library[Facts]:
    """Build the options of a Cleanup world, with zapping where the library is called `zap`."""
    made: list[Option[Facts]] = [
        Wait(NOOP, WAIT_TICKS),
        Eat(ground),
        Clean(ground),
        GoTo("go_to_river", "go to the river", ground, {None: river(ground)}),
        GoTo("go_to_orchard", "go to the grass/orchard", ground, {None: orchard(ground)}),
        *([Zap(ground)] if name == "zap" else []),
    ]
    return Library(name=name, version=1, digest=source_digest(__file__, *SOURCES), options=made)


def river(ground: Ground) -> Goals:
    """Return the shore, looking north over the water."""
    return dict.fromkeys(ground.terrain.edge(ground.terrain.dirt_sites), NORTH)


def orchard(ground: Ground) -> Goals:
    """Return the border of the orchard, looking south into it."""
    return dict.fromkeys(ground.terrain.edge(ground.terrain.apple_sites), SOUTH)
