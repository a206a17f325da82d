"""Every cell of a game with every other: are their episodes different?"""

from collections.abc import Iterator, Sequence
from itertools import combinations

import msgspec

from hocket.learners.cells.cell import Cell
from hocket.learners.cells.place import Place
from hocket.replays.statistics import Estimate, corrected, has_no_spread, mann_whitney


class Pair(msgspec.Struct, frozen=True):
    """Two cells of one game."""

    one: Place
    other: Place
    difference: float
    """Of their means."""
    p: float | None
    """Of the two-sided Mann-Whitney U test; None where a side has no spread."""
    corrected: float | None
    """The same, corrected for all pairs of the evaluation that were tested."""
    note: str = ""
    """What can be said where there is no p."""

    def __post_init__(self) -> None:
        """Refuse half a test.

        Raises:
            ValueError: only one p of two is there.
        """
        if (self.p is None) != (self.corrected is None):
            raise ValueError("a pair has a p and a corrected one, or neither")


def pairs(cells: Sequence[Cell]) -> list[Pair]:
    """Compare all cells of each game that were played, on what is counted there.

    Raises:
        MissingExtraError: SciPy is not installed.
    """
    found = [(one, other, mann_whitney(one.values, other.values)) for one, other in _of_one_game(cells)]
    known = iter(corrected([p for _, _, p in found if p is not None]))
    return [_pair(one, other, p, None if p is None else next(known)) for one, other, p in found]


TESTED = (
    "Pairs of one game: two-sided Mann-Whitney U over the episodes of both cells, corrected for all pairs "
    "(Benjamini-Yekutieli)"
)
HEAD = ("game", "cell", "other cell", "difference", "p", "corrected p")


def pair_rows(found: Sequence[Pair], cells: Sequence[Cell]) -> list[tuple[str, ...]]:
    """Write pairs down under `HEAD`; without a p, what can be said stands in its place.

    Args:
        found: shape [pairs].
        cells: of the evaluation; where they are of one backbone, it is not told.
    """
    several = len(dict.fromkeys(each.place.backbone for each in cells)) > 1
    return [_row(pair, several) for pair in found]


def _row(pair: Pair, several: bool) -> tuple[str, ...]:
    one, other = (
        f"{f'{place.backbone} ' if several else ''}{place.interface}/{place.capacity}"
        for place in (pair.one, pair.other)
    )
    tested = (pair.note, "") if pair.p is None else (f"{pair.p:.2g}", f"{pair.corrected:.2g}")
    return pair.one.game, one, other, f"{pair.difference:+.2f}", *tested


def _of_one_game(cells: Sequence[Cell]) -> Iterator[tuple[Cell, Cell]]:
    played = [cell for cell in cells if cell.estimate is not None]
    return ((one, other) for one, other in combinations(played, 2) if one.place.game == other.place.game)


def _pair(one: Cell, other: Cell, p: float | None, after: float | None) -> Pair:
    mine, theirs = one.estimate, other.estimate
    assert mine is not None
    assert theirs is not None
    said = "" if p is not None else _without_spread(one, mine, other, theirs)
    return Pair(one.place, other.place, mine.mean - theirs.mean, p, after, said)


def _without_spread(one: Cell, mine: Estimate, other: Cell, theirs: Estimate) -> str:
    """Say whether the interval of one side leaves out the only value that the other has."""
    flat = [has_no_spread(one.values), has_no_spread(other.values)]
    if all(flat):
        same = "the same" if mine.mean == theirs.mean else "another"
        return f"neither has any spread: {mine.mean:.4g} in every episode, and {same} in those of the other"
    value, wide = (mine.mean, theirs) if flat[0] else (theirs.mean, mine)
    if wide.low is None or wide.high is None:
        return "too few episodes"
    holds = "holds" if wide.low <= value <= wide.high else "excludes"
    return f"one side is {value:.4g} in every episode; the interval of the other {holds} it"
