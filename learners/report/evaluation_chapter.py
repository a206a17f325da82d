"""The chapter of an evaluation: its tables, and what lies behind each cell."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from hocket.learners.cells import tables as laid
from hocket.learners.cells.pairs import HEAD, TESTED, pair_rows
from hocket.learners.cells.report import Report
from hocket.learners.report.parts import Chapter, Fold, Part, Table, Words
from hocket.learners.report.teams import Team
from hocket.replays.audits.text import NOTHING
from hocket.runtime.struct_file import read_json


def evaluation_chapter(path: Path, number: int, where: str, teams: Sequence[Team]) -> Chapter:
    """Write the chapter of an evaluation.

    Args:
        path: of its results.
        number: of it among those of the page, from 1.
        where: its folder is, as the page has it; `.` for the folder itself.
        teams: of the page, which tell who did what in each cell.

    Raises:
        FileError: it does not read.
    """
    found = read_json(path, Report, "evaluation")
    parts: list[Part] = [Words(tuple(_opening(found)))]
    parts += [_table(each) for each in laid.tables(found)]
    caption = "Who played in each cell, and which team of this page tells who did what"
    parts.append(Table(caption, *_cells(found, where, teams), plain=True))
    if found.pairs:
        compared = Table(TESTED, HEAD, tuple(pair_rows(found.pairs, found.cells)), plain=True)
        parts.append(Fold("Pairs of cells", (compared,)))
    title = f"Evaluation: {found.about or where}" if found.about or where != "." else "Evaluation"
    return Chapter(f"evaluation-{number}", title, tuple(parts))


def _opening(found: Report) -> Iterator[str]:
    seeds = found.protocol.seeds
    yield f"{len(seeds)} episodes of each team on seeds {seeds[0]:,} to {seeds[-1]:,}, {found.protocol.starts} starts."
    if found.deviations:
        yield f"This is not the paper's protocol: {', '.join(found.deviations)}."
    yield (
        "Mean ± standard deviation, and the 95% percentile bootstrap interval of the mean (none over training seeds,"
        " which are few); * is the highest. Who earned it is told by the teams that the list of cells names."
    )
    yield from laid.remarks(found)


def _table(found: laid.Table) -> Table:
    rows = [(name, *map(_box, row.boxes)) for name, row in zip(found.names, found.rows, strict=True)]
    return Table(found.title, ("cell", *found.columns), tuple(rows))


def _box(box: laid.Box | None) -> str:
    """Write a cell, the best with a star; or why it is not there."""
    if box is None:
        return NOTHING
    first, *rest = box.lines()
    if box.shown is None:
        first = f"{first if box.collapsed else 'missing'}: {'; '.join(box.cell.why)}"
    return "\n".join([f"{first}{' *' * box.best}", *rest])


def _cells(found: Report, where: str, teams: Sequence[Team]) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    rows = []
    for cell in found.cells:
        for team in cell.teams:
            folder = team.traces if where == "." else f"{where}/{team.traces}"
            told = [each.name for each in teams if folder in each.folders]
            rows.append(
                (
                    str(cell.place),
                    team.source,
                    NOTHING if team.round is None else str(team.round),
                    "\n".join(f"{name} {digest}" for name, digest in team.adapters.items()) or "none",
                    ", ".join(told) or "its traces are not here",
                )
            )
    return ("cell", "source", "round", "adapters", "who did what"), tuple(rows)
