"""The solo test: what an agent earns while all the others stand idle.

A team return says nothing of who earned it: where an agent alone earns as much as with its
partner, the partner was not needed.
"""

from collections.abc import Iterator, Sequence

import msgspec

from hocket.learners.match import Match, Score, Terms
from hocket.replays.statistics import Estimate, estimate

IDLE = "idle"


class Solo(msgspec.Struct, frozen=True):
    """One agent in one seat."""

    agent: str
    seat: int
    returns: tuple[float, ...]
    """Of the team, by episode, in order of the seeds."""
    estimate: Estimate
    able: int
    """Episodes in which it earned anything at all."""
    failed: int = 0
    """Times that it failed, and its seat went to nobody."""


def alone(terms: Terms, seats: int, agents: Sequence[str], seeds: Sequence[int]) -> Iterator[Match]:
    """Yield the matches, agent by agent and seat by seat."""
    for agent in agents:
        for seat in range(seats):
            yield Match(terms, tuple(agent if each == seat else IDLE for each in range(seats)), tuple(seeds))


def solos(agents: Sequence[str], seats: int, scores: Sequence[Score]) -> list[Solo]:
    """Put the scores of `alone` together."""
    found = []
    for number, score in enumerate(scores):
        agent, seat = agents[number // seats], number % seats
        returns = tuple(score.team)
        able = sum(value > 0 for value in returns)
        found.append(Solo(agent, seat, returns, estimate(returns), able, score.failed))
    return found
