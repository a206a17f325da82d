"""What the options of both games are made of: eating, going somewhere, zapping.

An avatar steps in any direction without turning, so a way costs as many steps as it has
cells, and turns come at its end. Who has been zapped out of the game can do nothing but
wait, whatever is on the menu.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeAlias

from hocket.games.meltingpot.actions import FIRE_ZAP, NOOP
from hocket.games.meltingpot.facts import OUT, Facts
from hocket.games.meltingpot.ground import Ground
from hocket.runtime.events import Cell
from hocket.runtime.option import Failure, Feature, Instance, Plan, instance

SLACK = 10
"""Ticks that a plan may lose to others in its way."""
NO_PATH = Failure("NoPath", passing=True)
TARGET_ABSENT, OUT_OF_GAME = Failure("TargetAbsent"), Failure("OutOfGame")

DISTANCE = Feature("tgt_distance", ("near", "middle", "far"))
"""Up to 3 steps, up to 7, or more."""
THERE = Feature("there", ("no", "yes", "out"), own=True)
OTHER_NEAR = Feature("other_near", ("no", "yes"))
_NEAR, _MIDDLE = 3, 7

Goals: TypeAlias = Mapping[int, int]
"""Cells to stand on, each with the heading to look in."""


class _Walk:
    private = True
    replans = True
    slack = SLACK
    senses = (OTHER_NEAR,)

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    def sense(self, instance: Instance, facts: Facts, seat: int) -> tuple[int, ...]:
        """Whether another avatar is within three steps."""
        place = facts.places[seat]
        if place == OUT:
            return (0,)
        far = self._ground.walks.distances(place)
        return (int(any(far[there] <= _NEAR for there in self._others(facts, seat))),)

    def _others(self, facts: Facts, seat: int) -> list[int]:
        return [place for other, place in enumerate(facts.places) if other != seat and place != OUT]


class AtThing(_Walk):
    """An option that is aimed at things which come and go."""

    fixed = False
    reads: tuple[Feature, ...] = (DISTANCE,)

    def __init__(self, name: str, words: str, ground: Ground, things: Callable[[Facts], tuple[int, ...]]) -> None:
        """Say what it is aimed at.

        Args:
            name: of the option.
            words: on the menu.
            ground: where.
            things: the cells where its targets are, in facts.
        """
        super().__init__(ground)
        self.name, self._words, self._things = name, words, things
        self._made: dict[int, Instance] = {}

    def instances(self, facts: Facts, seat: int) -> Sequence[Instance]:
        """One for each of the nearest things in view."""
        made = self._made
        return [made.get(cell) or self._make(cell) for cell in self._ground.nearest(self._things(facts), facts, seat)]

    def read(self, instance: Instance, facts: Facts, seat: int) -> tuple[int, ...]:
        """How far the target is."""
        return (self._distance(instance, facts, seat),)

    def _make(self, cell: int) -> Instance:
        made = self._made[cell] = instance(self.name, self._ground.terrain.place(cell), self._words)
        return made

    def _target(self, instance: Instance) -> int:
        assert instance.target is not None
        return self._ground.terrain.cell(instance.target)

    def _distance(self, instance: Instance, facts: Facts, seat: int) -> int:
        place = facts.places[seat]
        far = self._ground.walks.distances(place)[self._target(instance)] if place != OUT else 0
        return 0 if far <= _NEAR else 1 if far <= _MIDDLE else 2


class Eat(AtThing):
    """Walk onto an apple, which eats it."""

    def __init__(self, ground: Ground) -> None:
        super().__init__("eat_apple", "eat apple", ground, lambda facts: facts.apples)

    def expand(self, instance: Instance, facts: Facts, seat: int) -> Plan | Failure:
        """Walk there while it is there."""
        if facts.places[seat] == OUT:
            return OUT_OF_GAME
        target = self._target(instance)
        if target not in facts.apples:
            return TARGET_ABSENT
        way = self._ground.way((target,), facts, seat)
        return NO_PATH if way is None else self._ground.steps(way, facts, seat)

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        """Tell whether this seat stands where the apple was and has eaten since."""
        return after.places[seat] == self._target(instance) and after.eaten[seat] > before.eaten[seat]


class GoTo(_Walk):
    """Go to the nearest of some cells and look in its direction; one target, or several with goals of their own."""

    fixed = True
    reads: tuple[Feature, ...] = (THERE,)

    def __init__(self, name: str, words: str, ground: Ground, goals: Mapping[Cell | None, Goals]) -> None:
        """Say where it goes.

        Args:
            name: of the option.
            words: on the menu.
            ground: where.
            goals: by target.
        """
        super().__init__(ground)
        self.name, self._goals = name, goals
        self._cells = {target: tuple(its) for target, its in goals.items()}
        self._targets = tuple(instance(name, target, words) for target in goals)

    def instances(self, facts: Facts, seat: int) -> Sequence[Instance]:
        """All of its targets: they never move."""
        return self._targets

    def read(self, instance: Instance, facts: Facts, seat: int) -> tuple[int, ...]:
        """Whether the seat is there already, and looks that way."""
        return (2 if facts.places[seat] == OUT else int(self._there(instance, facts, seat)),)

    def expand(self, instance: Instance, facts: Facts, seat: int) -> Plan | Failure:
        """Walk there, and turn; stand still for a tick where one is there."""
        place = facts.places[seat]
        if place == OUT:
            return OUT_OF_GAME
        goals = self._goals[instance.target]
        way = self._ground.way(self._cells[instance.target], facts, seat)
        if way is None:
            return NO_PATH
        turns = self._ground.turns(goals[way[-1] if way else place], facts, seat)
        return (*self._ground.steps(way, facts, seat), *turns) or (NOOP,)

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        """Tell whether the seat is there and was not."""
        return self._there(instance, after, seat) and not self._there(instance, before, seat)

    def _there(self, instance: Instance, facts: Facts, seat: int) -> bool:
        return self._goals[instance.target].get(facts.places[seat], -1) == facts.headings[seat]


class Zap(_Walk):
    """Zap the nearest avatar in view: walk and turn until the beam covers it, then fire."""

    name = "zap"
    fixed = True
    reads: tuple[Feature, ...] = (Feature("victim", ("none", "some")),)

    def __init__(self, ground: Ground) -> None:
        super().__init__(ground)
        self._only = (instance("zap", None, "zap the nearest other"),)

    def instances(self, facts: Facts, seat: int) -> Sequence[Instance]:
        """Return the one instance."""
        return self._only

    def read(self, instance: Instance, facts: Facts, seat: int) -> tuple[int, ...]:
        """Whether anybody is in view."""
        return (int(bool(self._ground.nearest(self._others(facts, seat), facts, seat))),)

    def expand(self, instance: Instance, facts: Facts, seat: int) -> Plan | Failure:
        """Go where the beam covers the nearest other, wait until it can be fired, and fire."""
        if facts.places[seat] == OUT:
            return OUT_OF_GAME
        victims = self._ground.nearest(self._others(facts, seat), facts, seat)
        if not victims:
            return TARGET_ABSENT
        aim = aimed(self._ground, victims[0], (), facts, seat)
        if aim is None:
            return NO_PATH
        return (*aim[0], *(NOOP,) * (facts.zap_wait[seat] - len(aim[0])), FIRE_ZAP)

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        """Tell whether this seat has zapped anybody since."""
        return after.zapped[seat] > before.zapped[seat]


def aimed(ground: Ground, target: int, stops: Collection[int], facts: Facts, seat: int) -> tuple[Plan, int] | None:
    """Return how a seat walks and turns until its beam covers a cell, None where it cannot.

    Of all poses that cover the cell, the one that is reached in the fewest actions is taken; each thing that stops
    the beam before the cell counts for three, as long as it takes to fire again. Ties by coordinates.

    Args:
        ground: where.
        target: the cell.
        stops: cells with things that the beam takes first.
        facts: of this moment.
        seat: who aims.

    Returns:
        The walk with its turns, and how many things stop the beam before the cell.
    """
    here, heading = facts.places[seat], facts.headings[seat]
    far = ground.walks.distances(here)
    others = [place for other, place in enumerate(facts.places) if other != seat and place != OUT]
    ranked = []
    for cell, look, before in ground.beams.poses(target):
        if cell not in others:
            first = sum(stop in stops for stop in before)
            ranked.append((far[cell] + (0, 1, 2, 1)[(look - heading) % 4] + 3 * first, cell, look, first))
    for _, cell, look, first in sorted(ranked):
        way = ground.way((cell,), facts, seat)
        if way is not None:
            return (*ground.steps(way, facts, seat), *ground.turns(look, facts, seat)), first
    return None
