"""The chapter of an evaluation: its tables, and what lies behind each cell."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from hocket.learners.cells import tables as laid
from hocket.learners.cells.evaluate import Report
from hocket.learners.report.parts import Chapter, Fold, Part, Table, Words
from hocket.learners.report.teams import Team
from hocket.replays.audits.told import NOTHING
from hocket.runtime.struct_file import read_json


def evaluated(path: Path, number: int, where: str, teams: Sequence[Team]) -> Chapter:
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
        parts.append(Fold("Pairs of cells", (_pairs(found),)))
    title = f"Evaluation: {found.about or where}" if found.about or where != "." else "Evaluation"
    return Chapter(f"evaluation-{number}", title, tuple(parts))


def _opening(found: Report) -> Iterator[str]:
    seeds = found.protocol.seeds
    yield f"{len(seeds)} episodes of each team on seeds {seeds[0]:,} to {seeds[-1]:,}, {found.protocol.starts} starts."
    if found.deviations:
        yield f"This is not the paper's protocol: {', '.join(found.deviations)}."
    yield (
        "Mean ± standard deviation, and the 95% percentile bootstrap interval of the mean; * is the highest. Who earned"
        " it is told by the teams that the list of cells names."
    )
    yield from found.said
    yield from found.unplaced


def _table(found: laid.Table) -> Table:
    several = len(dict.fromkeys(row.backbone for row in found.rows)) > 1
    rows = [
        (f"{row.backbone}: {row.name}" if several else row.name, *(_box(box) for box in row.boxes))
        for row in found.rows
    ]
    return Table(found.title, ("cell", *found.columns), tuple(rows))


def _box(box: laid.Box | None) -> str:
    """Write a cell: ours, its interval, what was published; or why it is not there."""
    if box is None:
        return NOTHING
    lines = []
    if box.shown is None:
        lines.append(f"{'†' if box.collapsed else 'missing'}: {'; '.join(box.cell.why)}")
    else:
        spread = NOTHING if box.shown.std is None else f"{box.shown.std:.2f}"
        lines.append(f"{box.shown.mean:.2f} ± {spread}{' *' * box.best}")
        between = "no spread" if box.shown.low is None else f"[{box.shown.low:.2f}, {box.shown.high:.2f}]"
        lines.append(f"{between}, {box.shown.count} {box.over}")
    if box.paper is not None:
        lines.append(f"paper: {box.paper.text}")
    return "\n".join(lines)


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


def _pairs(found: Report) -> Table:
    rows = [
        (
            f"{each.one}",
            f"{each.other}",
            f"{each.difference:+.2f}",
            NOTHING if each.p is None else f"{each.p:.2g}",
            each.said if each.corrected is None else f"{each.corrected:.2g}",
        )
        for each in found.pairs
    ]
    columns = ("one", "other", "difference of means", "p", "p, corrected for all pairs")
    return Table("Two-sided Mann-Whitney U between cells of one game", columns, tuple(rows), plain=True)
