"""A Melting Pot substrate as a game, read as exact symbols."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hocket.games.meltingpot.actions import ACTIONS, NOOP
from hocket.games.meltingpot.beam import Beams
from hocket.games.meltingpot.facts import OUT, Facts, Happening, Moment
from hocket.games.meltingpot.features import planes
from hocket.games.meltingpot.ground import Ground
from hocket.games.meltingpot.hosted import Host, host
from hocket.games.meltingpot.order import SUBSTRATES, Order, Start
from hocket.games.meltingpot.picture import picture
from hocket.games.meltingpot.terrain import Terrain
from hocket.games.meltingpot.view import AvatarView, Viewer
from hocket.games.meltingpot.words import CleanupWords, HarvestWords
from hocket.runtime.errors import WorldError
from hocket.runtime.events import Cell, GameEvent
from hocket.runtime.game import GameSpec, read_starts
from hocket.runtime.seed import Streams

Family: TypeAlias = Literal["cleanup", "harvest"]
BEAMS = {"commons_harvest__closed": 4, "commons_harvest__partnership": 4}
"""Cells that a beam reaches, where it is not three."""
STEPS = {"cleanup": 150, "harvest": 400}


class World(Protocol):
    """One copy of a substrate, for one episode: in a process of its own, or in this one."""

    def begin(self, start: Start) -> Moment:
        """Place everything and throw the dice; once."""
        ...

    def step(self, joint: bytes) -> Moment:
        """Carry out one action a seat, each checked before."""
        ...

    def rgb(self) -> NDArray[np.uint8]:
        """Return the substrate's own picture, shape [height, width, 3]."""
        ...

    def close(self) -> None:
        """Let its process end, where that is another."""
        ...


class MeltingPot:
    """One substrate, with 2 to 12 seats."""

    noop = NOOP

    def __init__(self, spec: GameSpec, order: Order, terrain: Terrain) -> None:
        """Set a world up; its process is started when an episode begins.

        Args:
            spec: what it takes to build it again.
            order: what its process is told to build.
            terrain: its map.
        """
        self.spec, self.seats = spec, order.seats
        self.family: Family = "cleanup" if spec.kind == "cleanup" else "harvest"
        self.steps = STEPS[self.family]
        self.actions = ACTIONS if self.family == "cleanup" else ACTIONS[:-1]
        self.terrain = terrain
        self.ground = Ground(
            terrain,
            whole_world=spec.settings["targets"] == "world",
            careful=self.family == "harvest",
            most=spec.settings["nearest"],
        )
        if order.substrate in BEAMS:
            self.ground.beams = Beams(terrain, self.ground.walks, BEAMS[order.substrate])
        self._viewer = Viewer(self.ground, patches=self.family == "harvest")
        kind = CleanupWords if self.family == "cleanup" else HarvestWords
        self.words = kind(self.ground, self._viewer, order.seats)
        self._order = order
        self._world: World | None = None
        self._given: World | None = None
        self._facts = self._before()
        self._live: tuple[int, ...] = ()
        """Live apples of each patch, or dirty cells of the river."""

    def reset(self, seed: int, starts: str) -> None:
        """Begin in a fresh copy of the world.

        `standard` and `scattered` are the substrate's own start: avatars on drawn spawn points, in drawn headings.
        `varied` also draws how much of the river is dirty and how many sites bear an apple, and then which.

        Raises:
            SettingError: `starts` is none of these.
            WorldError: the world cannot be built.
        """
        kind, drawn_from = read_starts(starts, seed)
        dice = Streams(drawn_from).dice("start")
        start = Start(dice.getrandbits(31), Streams(seed).dice("play").getrandbits(31))
        if kind == "varied":
            start = Start(start.start, start.play, dice.random(), dice.random())
        self.close()
        self._world, self._given = self._given or self.host().world(), None
        self._facts = self._world.begin(start).facts
        self._live = self._levels(self._facts)

    def use(self, world: World) -> None:
        """Play the next episode in a world that is there already, fresh."""
        self._given = world

    def host(self) -> Host:
        """Return the process that builds this game's worlds; it is started when a world is asked for."""
        return host(self._order)

    def step(self, joint: Sequence[int]) -> tuple[tuple[float, ...], tuple[GameEvent, ...]]:
        """Carry out one action a seat; return apples eaten by seat, and what happened.

        Raises:
            ValueError: no joint action of this game; nothing has changed.
            WorldError: its process has ended, or no episode has begun.
        """
        if len(joint) != self.seats or not all(0 <= action < len(self.actions) for action in joint):
            raise ValueError(f"{joint!r} is no joint action of {self.seats} seats")
        moment = self._begun().step(bytes(joint))
        self._facts = moment.facts
        return moment.rewards, tuple(self._events(moment))

    def facts(self) -> Facts:
        """Return the whole state; before the first episode, that of an empty world."""
        return self._facts

    def landmarks(self) -> dict[str, tuple[Cell, ...]]:
        """Return where apples and dirt can be, and the middles of patches."""
        place, terrain = self.terrain.place, self.terrain
        found = {"apples": tuple(map(place, terrain.apple_sites))}
        if self.family == "cleanup":
            return found | {"dirt": tuple(map(place, terrain.dirt_sites))}
        return found | {"patches": tuple(map(place, terrain.centres))}

    @property
    def size(self) -> Cell:
        """Width and height of the map, in cells."""
        return self.terrain.width, self.terrain.height

    def apart(self) -> bool:
        """Return that they do not: every floor hangs together."""
        return False

    def places(self, facts: Facts) -> tuple[Cell | None, ...]:
        """Return where each avatar stands; None while it is zapped out of the game."""
        return tuple(None if cell == OUT else self.terrain.place(cell) for cell in facts.places)

    def observe(self, facts: Facts, seat: int) -> AvatarView:
        """Return what `seat` sees: its window of 11 by 11 cells."""
        return self._viewer.view(facts, seat)

    def array(self, facts: Facts, seat: int) -> NDArray[np.float32]:
        """Return the planes of features.py, shape [12, 11, 11], float32 in 0..1."""
        return planes(self._viewer.view(facts, seat))

    def picture(self, facts: Facts) -> str:
        """Draw the world, two characters a cell, with a legend."""
        return picture(self.terrain, facts)

    def rgb(self) -> NDArray[np.uint8]:
        """Return the substrate's own picture of this moment, shape [height, width, 3], 8 pixels a cell.

        Raises:
            WorldError: its process has ended, or no episode has begun.
        """
        return self._begun().rgb()

    def close(self) -> None:
        """End the process of the present episode."""
        if self._world is not None:
            self._world.close()
            self._world = None

    def _begun(self) -> World:
        if self._world is None:
            raise WorldError(problem="no episode has begun")
        return self._world

    def _before(self) -> Facts:
        nothing = (0,) * self.seats
        return Facts((OUT,) * self.seats, nothing, nothing, nothing, (), (), nothing, nothing, nothing)

    def _events(self, moment: Moment) -> list[GameEvent]:
        events = [self._event(each) for each in moment.happenings]
        before, self._live = self._live, self._levels(moment.facts)
        if self._live != before:
            if self.family == "cleanup":
                share = self._live[0] / len(self.terrain.dirt_sites)
                events.append(GameEvent("dirt", what="river", amount=share))
            else:
                events += [
                    GameEvent("apples", what=f"patch {number}", at=self.terrain.place(centre), amount=float(live))
                    for number, (centre, live) in enumerate(zip(self.terrain.centres, self._live, strict=True))
                    if live != before[number]
                ]
        return events

    def _event(self, each: Happening) -> GameEvent:
        at = self.terrain.place(each.at)
        if each.kind == "zapped":
            return GameEvent("zapped", each.seat, f"seat {each.other}", at)
        if each.kind == "cleaned":
            return GameEvent("cleaned", each.seat, "dirt", at)
        what = "apple" if self.family == "cleanup" else f"patch {self.terrain.patch_of[each.at]}"
        return GameEvent("ate", each.seat, what, at, 1.0)

    def _levels(self, facts: Facts) -> tuple[int, ...]:
        if self.family == "cleanup":
            return (len(facts.dirt),)
        live = [0] * len(self.terrain.patches)
        for cell in facts.apples:
            live[self.terrain.patch_of[cell]] += 1
        return tuple(live)


def order_of(name: str, folder: Path, settings: Mapping[str, Any]) -> Order:
    """Return what a host is told, by the full name of a game and its settings."""
    substrate = SUBSTRATES[name]
    chance = settings.get("regrowth")
    return Order(
        folder=str(folder),
        substrate=substrate,
        level=substrate.partition("__")[0],
        seats=settings["seats"],
        regrowth=() if chance is None else (0.0, chance, chance, chance),
    )
