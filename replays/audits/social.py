"""The social outcome metrics: efficiency, equality, sustainability, peace; means over episodes.

Source: Perolat et al., "A multi-agent reinforcement learning model of common-pool resource appropriation",
NeurIPS 2017, section 2.3. Efficiency is the team's return by tick, equality 1 less the Gini coefficient of
the seats' returns, sustainability the mean tick at which a seat was rewarded, over seats that were, and peace
the number of seats that are in the game, over time. Negative rewards do not occur in our games.
"""

from collections.abc import Iterator
from typing import TypeAlias

from hocket.replays.audits.finding import Absent, Finding, Row, gini, ratio
from hocket.replays.audits.record import Record
from hocket.runtime.game import Placed

Mean: TypeAlias = tuple[float, int]
"""A sum over episodes, and how many had one."""


class Social(Finding, frozen=True):
    """The four metrics, over all traces."""

    efficiency: Mean
    equality: Mean
    sustainability: Mean
    peace: Mean
    returns: tuple[float, ...]
    """Sum of the returns of each seat, shape [seats], in game points."""
    episodes: int

    def rows(self) -> Iterator[Row]:
        """Yield the four, and each seat's own return."""
        yield Row("efficiency: points by tick", "number", team=ratio(*self.efficiency))
        yield Row("equality: 1 - Gini of returns", "number", team=ratio(*self.equality))
        yield Row("sustainability: mean tick of a reward", "ticks", team=ratio(*self.sustainability))
        yield Row("peace: seats in the game", "number", team=ratio(*self.peace))
        yield Row("return", "points", tuple(each / self.episodes for each in self.returns))


def social(record: Record) -> Social:
    """Work the four metrics out for an episode."""
    inequality = gini(record.returns) if min(record.returns) >= 0 else None
    moments = [[step.tick for step in record.steps if step.rewards[seat] > 0] for seat in range(record.seats)]
    means = [sum(ticks) / len(ticks) for ticks in moments if ticks]
    return Social(
        _mean(ratio(sum(record.returns), record.ticks)),
        _mean(None if inequality is None else 1 - inequality),
        _mean(ratio(sum(means), len(means))),
        _mean(_peace(record)),
        record.returns,
        1,
    )


def _peace(record: Record) -> float | None:
    """Return how many seats were in the game on average; None where that cannot be told."""
    game, states = record.game, record.states
    if isinstance(states, Absent) or not isinstance(game, Placed):
        return None
    inside = sum(place is not None for facts in states[1:] for place in game.places(facts))
    return ratio(inside, record.ticks)


def _mean(value: float | None) -> Mean:
    return (0.0, 0) if value is None else (value, 1)
