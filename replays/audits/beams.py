"""Cleaning beams that were fired, and those with no dirt in reach.

Source: the PA-MAGRPO paper, sections 4 and 6.3: a model that has fallen for one action fires it at nothing.
"""

from collections.abc import Iterator

from hocket.games.meltingpot.actions import FIRE_CLEAN
from hocket.games.meltingpot.facts import OUT
from hocket.games.meltingpot.world import MeltingPot
from hocket.replays.audits.finding import Absent, Finding, Row, ratio
from hocket.replays.audits.record import Record


class Fired(Finding, frozen=True):
    """Counts over all traces, shape [seats] each."""

    episodes: int
    fired: tuple[float, ...]
    """Beams that left."""
    idle: tuple[float, ...]
    """Those of them whose cells held no dirt when they were fired."""
    early: tuple[float, ...]
    """Shots that came to nothing, since the beam had not cooled down or the seat was out of the game."""

    def share(self, seat: int) -> float | None:
        """Return the part of a seat's beams that had no dirt in reach."""
        return ratio(self.idle[seat], self.fired[seat])

    def rows(self) -> Iterator[Row]:
        """Yield beams, and the share of those at nothing."""
        wasted = ratio(sum(self.idle), sum(self.fired))
        yield Row("fired with no dirt in reach", "share", tuple(map(self.share, range(len(self.fired)))), wasted)
        yield Row("beams fired", "count", tuple(each / self.episodes for each in self.fired))
        yield Row("fired too early", "count", tuple(each / self.episodes for each in self.early))


def beams(record: Record) -> Fired | Absent:
    """Look at every cleaning beam of an episode."""
    game, states = record.game, record.states
    if record.header.game.kind != "cleanup":
        return Absent("there is no cleaning beam in this game")
    if isinstance(states, Absent):
        return states
    assert isinstance(game, MeltingPot)
    rays = game.ground.beams.rays
    fired, idle, early = ([0.0] * record.seats for _ in range(3))
    for step, facts in zip(record.steps, states, strict=False):
        for seat, action in enumerate(step.joint):
            if action != FIRE_CLEAN:
                continue
            if facts.clean_wait[seat] or facts.places[seat] == OUT:
                early[seat] += 1
                continue
            reached = {cell for ray in rays(facts.places[seat], facts.headings[seat]) for cell in ray}
            fired[seat] += 1
            idle[seat] += reached.isdisjoint(facts.dirt)
    return Fired(1, tuple(fired), tuple(idle), tuple(early))
