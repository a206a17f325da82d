"""What came of a cell: its teams, their episodes together, and their means over training seeds."""

from collections.abc import Sequence

import msgspec

from hocket.learners.cells.contestant import Contestant
from hocket.learners.cells.measure import measure_of
from hocket.learners.cells.place import Place
from hocket.replays.statistics import Estimate, estimate


class Team(msgspec.Struct, frozen=True, kw_only=True):
    """One team of a cell, and its episodes."""

    source: str
    """Where it comes from, as the file has it."""
    adapters: dict[str, str]
    """Digests by name; none for the base itself."""
    round: int | None
    """Of the checkpoint: the one with the highest team return while training."""
    training_return: float | None
    library: str
    traces: str
    """Their folder, in that of the evaluation."""
    values: tuple[float, ...]
    """What is counted, by episode, in order of the seeds."""
    returns: tuple[float, ...]
    """Team returns, in game points."""
    failed: int
    """Times that an agent failed, and its seat went to nobody."""


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """One cell of the grid."""

    place: Place
    teams: tuple[Team, ...] = ()
    measure: str = ""
    steps: int | None = None
    """Length of its episodes, in ticks."""
    estimate: Estimate | None = None
    """Of what is counted, over the episodes of all teams; None where nobody played."""
    returns: Estimate | None = None
    """The same of team returns, in game points."""
    over_seeds: Estimate | None = None
    """Of the mean of each training seed, 0 for one that collapsed; None where there are not several."""
    collapsed: int = 0
    """Training seeds without a positive return."""
    why: tuple[str, ...] = ()
    """Why nobody plays, or some of its teams do not."""

    @property
    def values(self) -> list[float]:
        """What is counted, in all episodes."""
        return [value for team in self.teams for value in team.values]


def cell(place: Place, contestants: Sequence[Contestant], teams: Sequence[Team], unnamed: str) -> Cell:
    """Put a cell together.

    Args:
        place: of it.
        contestants: who should play in it; none where the file has no such cell.
        teams: who has played.
        unnamed: what is said where nobody was named.
    """
    matches = [each.match for each in contestants if each.match is not None]
    terms = matches[0].terms if matches else None
    why = [each.why for each in contestants if each.match is None] if contestants else [unnamed]
    collapsed = sum(each.collapsed for each in contestants)
    means = [estimate(team.values).mean for team in teams] + [0.0] * collapsed
    return Cell(
        place=place,
        teams=tuple(teams),
        measure=measure_of(place.game.partition(":")[0]).name,
        steps=None if terms is None else terms.steps,
        estimate=estimate([value for team in teams for value in team.values]) if teams else None,
        returns=estimate([value for team in teams for value in team.returns]) if teams else None,
        over_seeds=estimate(means) if teams and len(means) > 1 else None,
        collapsed=collapsed,
        why=tuple(why),
    )
