"""What becomes of the commons, tick by tick: patches alive, apples, dirt.

Source: the PA-MAGRPO paper, figure 2 (patch survival). A patch without an apple is dead: none grows there again.
"""

from collections.abc import Iterator

from hocket.games.meltingpot.world import MeltingPot
from hocket.replays.audits.finding import Absent, Finding, Row
from hocket.replays.audits.record import Record

QUARTERS = (0.25, 0.5, 0.75, 1.0)


class Sustainability(Finding, frozen=True):
    """Sums over all traces, by tick, shape [ticks + 1] each."""

    same = ("kind", "whole")
    kind: str
    """`patches` or `dirt`: what `level` counts."""
    whole: int
    """Patches of the map, or cells of the river that can be dirty."""
    episodes: tuple[float, ...]
    """How many were that long."""
    level: tuple[float, ...]
    """Patches that bear apples, or dirty cells."""
    apples: tuple[float, ...]
    """Apples that hang."""

    @property
    def curve(self) -> tuple[float, ...]:
        """Mean level by tick: patches alive, or the share of the river that is dirty."""
        scale = 1 if self.kind == "patches" else self.whole
        return tuple(level / count / scale for level, count in zip(self.level, self.episodes, strict=True))

    def rows(self) -> Iterator[Row]:
        """Yield the level at the quarters of an episode, and the apples that are left."""
        curve, last = self.curve, len(self.level) - 1
        for quarter in QUARTERS:
            tick = round(quarter * last)
            if self.kind == "patches":
                yield Row(f"patches alive at tick {tick}, of {self.whole}", "number", team=curve[tick])
            else:
                yield Row(f"river dirty at tick {tick}", "share", team=curve[tick])
        yield Row("apples at the end", "number", team=self.apples[-1] / self.episodes[-1])


def sustainability(record: Record) -> Sustainability | Absent:
    """Follow apples and dirt through an episode."""
    game, states = record.game, record.states
    if record.header.game.kind not in ("cleanup", "harvest"):
        return Absent("there are no commons in this game")
    if isinstance(states, Absent):
        return states
    assert isinstance(game, MeltingPot)
    terrain = game.terrain
    apples = tuple(float(len(facts.apples)) for facts in states)
    ones = (1.0,) * len(states)
    if game.family == "cleanup":
        dirt = tuple(float(len(facts.dirt)) for facts in states)
        return Sustainability("dirt", len(terrain.dirt_sites), ones, dirt, apples)
    alive = tuple(float(len({terrain.patch_of[cell] for cell in facts.apples})) for facts in states)
    return Sustainability("patches", len(terrain.patches), ones, alive, apples)
