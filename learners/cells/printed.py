"""The tables of an evaluation as text, as Markdown and as CSV."""

import csv
import io
from collections.abc import Sequence

from hocket.learners.cells.evaluate import Report
from hocket.learners.cells.pairs import Pair
from hocket.learners.cells.tables import Box, Table, tables

_NUMBERS = ("mean", "std", "low", "high", "n", "over", "paper mean", "paper std", "paper where", "why")
_MARGIN = "  "


class _Notes:
    """Why cells are empty, numbered as they come."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, said: str) -> int:
        """Return the number of a note."""
        return self._numbers.setdefault(said, len(self._numbers) + 1)

    def lines(self) -> list[str]:
        """Return all of them."""
        return [f"[{number}] {said}" for said, number in self._numbers.items()]


def as_text(report: Report) -> str:
    """Return the tables for a terminal, each cell in lines: mean and spread, interval, what is published."""
    notes = _Notes()
    parts = [_opening(report)]
    for table in tables(report):
        parts.append(f"Table {table.number}. {table.title}\n\n{_aligned(table, notes)}")
    parts += ["\n".join(lines) for lines in (notes.lines(), _remarks(report), _pair_lines(report)) if lines]
    return "\n\n".join(parts) + "\n"


def as_markdown(report: Report) -> str:
    """Return the tables as Markdown, the best of each column in bold."""
    notes = _Notes()
    parts = [_opening(report)]
    for table in tables(report):
        head = ["", *table.columns]
        rows = [
            [f"{row.backbone}: {row.name}" if table.number == 1 else row.name]
            + ["<br>".join(_lines(box, notes, bold="**")) for box in row.boxes]
            for row in table.rows
        ]
        parts.append(f"**Table {table.number}.** {table.title}\n\n{_piped(head, rows)}")
    listed = [f"- {line}" for line in (*notes.lines(), *_remarks(report))]
    parts += ["\n".join(listed)] if listed else []
    if report.pairs:
        head = ["game", "cell", "other cell", "difference", "p", "corrected p"]
        parts.append(f"{_TESTED}\n\n{_piped(head, [_pair_row(each, report) for each in report.pairs])}")
    return "\n\n".join(parts) + "\n"


def as_csv(report: Report) -> str:
    """Return the tables as CSV: a line a row of a table, and of each game a column a number."""
    games = list(dict.fromkeys(each.place.game for each in report.cells))
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    head = [f"{game} {number}" for game in games for number in ("counted", *_NUMBERS)]
    writer.writerow(["table", "backbone", "row", "interface", "capacity", *head])
    for table in tables(report):
        for row in table.rows:
            boxes = {box.cell.place.game: box for box in row.boxes if box is not None}
            numbers = [value for game in games for value in _numbers(boxes.get(game))]
            writer.writerow([table.number, row.backbone, row.name, row.interface, row.capacity, *numbers])
    return written.getvalue()


def _opening(report: Report) -> str:
    protocol = report.protocol
    seeds = protocol.seeds
    told = f"{protocol.episodes} episodes a team, seeds {seeds[0]:,} to {seeds[-1]:,}"
    if report.deviations:
        told += f"; NOT the paper's protocol: {', '.join(report.deviations)}"
    else:
        told += ", as in the paper"
    told += ". Mean ± std [95% percentile bootstrap interval of the mean], n."
    return f"{report.about}\n\n{told}" if report.about else told


def _aligned(table: Table, notes: _Notes) -> str:
    names = [f"{row.backbone}: {row.name}" if table.number == 1 else row.name for row in table.rows]
    cells = [[_lines(box, notes) for box in row.boxes] for row in table.rows]
    widths = [
        max(len(column), *(len(line) for row in cells for line in row[place]))
        for place, column in enumerate(table.columns)
    ]
    first = max(map(len, names))
    lines = [_line([" " * first, *table.columns], [first, *widths])]
    for name, row in zip(names, cells, strict=True):
        for place in range(max(map(len, row))):
            said = [name if place == 0 else "", *(each[place] if place < len(each) else "" for each in row)]
            lines.append(_line(said, [first, *widths]))
    return "\n".join(lines)


def _line(said: Sequence[str], widths: Sequence[int]) -> str:
    return _MARGIN.join(each.ljust(width) for each, width in zip(said, widths, strict=True)).rstrip()


def _lines(box: Box | None, notes: _Notes, bold: str = "") -> list[str]:
    """Return what stands in a cell."""
    if box is None:
        return [""]
    lines = [_ours(box, notes, bold if box.best else "")]
    if box.shown is not None:
        low, high, count = box.shown.low, box.shown.high, f"{box.shown.count} {box.over}"
        interval = "no spread" if low is None or high is None else f"[{low:.2f}, {high:.2f}]"
        lines.append(count if box.over == "seeds" else f"{interval}, {count}")
    if box.paper is not None:
        lines.append(f"paper: {box.paper.text} ({box.paper.where})")
    return lines


def _ours(box: Box, notes: _Notes, bold: str) -> str:
    if box.shown is None:
        return f"{'0.00†' if box.collapsed else '-'} [{notes.number('; '.join(box.cell.why))}]"
    std = "" if box.shown.std is None else f" ± {box.shown.std:.2f}"
    return f"{bold}{box.shown.mean:.2f}{std}{bold}"


def _numbers(box: Box | None) -> list[object]:
    """Return a cell as numbers; what is not known is empty."""
    if box is None:
        return [""] * (1 + len(_NUMBERS))
    ours: list[object] = ["", "", "", "", "", ""]
    if box.shown is not None:
        shown = box.shown
        interval = ["", ""] if box.over == "seeds" or shown.low is None else [shown.low, shown.high]
        ours = [shown.mean, "" if shown.std is None else shown.std, *interval, shown.count, box.over]
    paper = ["", "", ""] if box.paper is None else [box.paper.mean, box.paper.std, box.paper.where]
    why = "; ".join(box.cell.why)
    return [box.cell.measure, *ours, *paper, f"†: {why}" if box.collapsed else why]


def _remarks(report: Report) -> list[str]:
    """Return what a reader must know, and what the published numbers leave open."""
    boxes = [box for table in tables(report) for row in table.rows for box in row.boxes if box is not None]
    collapsed = ["†: training collapsed at zero return; no positive checkpoint exists to evaluate"]
    papers = [f"{box.paper.where}: {box.paper.about}" for box in boxes if box.paper is not None and box.paper.about]
    lines = [*report.said, *papers, *(f"without a place: {each}" for each in report.unplaced)]
    return list(dict.fromkeys((collapsed if any(box.collapsed for box in boxes) else []) + lines))


_TESTED = (
    "Pairs of one game: two-sided Mann-Whitney U over the episodes of both cells, corrected for all pairs "
    "(Benjamini-Yekutieli)."
)


def _pair_lines(report: Report) -> list[str]:
    if not report.pairs:
        return []
    return [_TESTED, *(f"{_MARGIN}{_pair_line(each, report)}" for each in report.pairs)]


def _pair_line(pair: Pair, report: Report) -> str:
    game, one, other, difference, p, after = _pair_row(pair, report)
    return f"{game}: {one} - {other}: {difference}; " + (p if pair.p is None else f"p {p}, corrected {after}")


def _pair_row(pair: Pair, report: Report) -> list[str]:
    alone = len({each.place.backbone for each in report.cells}) == 1
    named = [
        f"{'' if alone else each.backbone + ' '}{each.interface}/{each.capacity}" for each in (pair.one, pair.other)
    ]
    tested = [pair.said, ""] if pair.p is None else [f"{pair.p:.2g}", f"{pair.corrected:.2g}"]
    return [pair.one.game, *named, f"{pair.difference:+.2f}", *tested]


def _piped(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
