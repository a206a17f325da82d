"""Cross-play: every agent with every other, and what they lose beside strangers.

Of two agents, the first holds one seat and the second all the others. With two seats that
is the first seat, and the pair the other way round is another cell; with more, the seat
goes round from episode to episode. An agent with itself is self-play.

Source: Hu, Lerer, Peysakhovich & Foerster, "Other-Play for Zero-Shot Coordination", ICML 2020, section 5.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from hocket.learners.match import Match, Score, Terms
from hocket.replays.statistics import Estimate, estimate


class Cell(msgspec.Struct, frozen=True):
    """One agent in one seat, another in the rest."""

    one: str
    others: str
    returns: tuple[float, ...]
    """Of the team, by episode, in order of the seeds."""
    estimate: Estimate
    failed: int = 0
    """Times that an agent failed, and its seat went to nobody."""


class Matrix(msgspec.Struct, frozen=True):
    """All cells, and their sum."""

    agents: tuple[str, ...]
    cells: tuple[Cell, ...]
    """In rows: the agent in one seat; columns: in the others."""
    self_play: Estimate
    """Of all episodes in which one agent holds every seat."""
    cross_play: Estimate | None
    """Of all the others; None where there is one agent."""


def pairings(terms: Terms, seats: int, agents: Sequence[str], seeds: Sequence[int]) -> Iterator[tuple[int, Match]]:
    """Yield the matches of each cell, with its number in the matrix, row by row.

    Args:
        terms: what all episodes have in common.
        seats: of the game.
        agents: as on the command line.
        seeds: of each cell, the same ones.
    """
    for row, one in enumerate(agents):
        for column, other in enumerate(agents):
            turns = 1 if seats == 2 or one == other else seats
            for turn in range(turns):
                mine = tuple(seed for place, seed in enumerate(seeds) if place % turns == turn)
                if mine:
                    team = tuple(one if seat == turn else other for seat in range(seats))
                    yield row * len(agents) + column, Match(terms, team, mine)


def matrix(agents: Sequence[str], scores: Sequence[tuple[int, Match, Score]]) -> Matrix:
    """Put scores together.

    Args:
        agents: as given to `pairings`.
        scores: of every match, with the number of its cell.
    """
    found: dict[int, dict[int, float]] = {}
    failed: dict[int, int] = {}
    for number, match, score in scores:
        failed[number] = failed.get(number, 0) + score.failed
        found.setdefault(number, {}).update(zip(match.seeds, score.team, strict=True))
    cells = tuple(_cell(agents, number, found[number], failed[number]) for number in sorted(found))
    own = [value for cell in cells if cell.one == cell.others for value in cell.returns]
    mixed = [value for cell in cells if cell.one != cell.others for value in cell.returns]
    return Matrix(tuple(agents), cells, estimate(own), estimate(mixed) if mixed else None)


def _cell(agents: Sequence[str], number: int, found: Mapping[int, float], failed: int) -> Cell:
    row, column = divmod(number, len(agents))
    returns = tuple(found[seed] for seed in sorted(found))
    return Cell(agents[row], agents[column], returns, estimate(returns), failed)
