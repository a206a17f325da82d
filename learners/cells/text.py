"""The tables of an evaluation as text, as Markdown and as CSV."""

import csv
import io
from collections.abc import Sequence

from hocket.learners.cells.pairs import HEAD, TESTED, pair_rows
from hocket.learners.cells.report import Report
from hocket.learners.cells.tables import Box, Table, remarks, tables

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
    told = (notes.lines(), remarks(report), _players(report), _pair_lines(report))
    parts += ["\n".join(lines) for lines in told if lines]
    return "\n\n".join(parts) + "\n"


def as_markdown(report: Report) -> str:
    """Return the tables as Markdown, the best of each column in bold."""
    notes = _Notes()
    parts = [_opening(report)]
    for table in tables(report):
        head = ["", *table.columns]
        rows = [
            [name, *("<br>".join(_lines(box, notes, bold="**")) for box in row.boxes)]
            for name, row in zip(table.names, table.rows, strict=True)
        ]
        parts.append(f"**Table {table.number}.** {table.title}\n\n{_piped(head, rows)}")
    listed = [f"- {line}" for line in (*notes.lines(), *remarks(report))]
    parts += ["\n".join(listed)] if listed else []
    parts.append(
        "\n".join(f"- {line.strip()}" if place else f"{line}\n" for place, line in enumerate(_players(report)))
    )
    if report.pairs:
        parts.append(f"{TESTED}.\n\n{_piped(HEAD, pair_rows(report.pairs, report.cells))}")
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


def _players(report: Report) -> list[str]:
    """Say who played in each cell, and of which round: a number alone does not tell a trained team from another."""
    lines = ["Who played:"]
    for each in report.cells:
        for team in each.teams:
            known = f", round {team.round}" if team.round is not None else ""
            known += f" (return {team.training_return:.4g} while training)" if team.training_return is not None else ""
            weights = ", ".join(f"{name} {digest[:8]}" for name, digest in team.adapters.items())
            lines.append(f"  {each.place}: {team.source}{known}{f'; {weights}' if weights else ''}")
    return lines if len(lines) > 1 else ["Who played: nobody"]


def _aligned(table: Table, notes: _Notes) -> str:
    cells = [[_lines(box, notes) for box in row.boxes] for row in table.rows]
    widths = [
        max(len(column), *(len(line) for row in cells for line in row[place]))
        for place, column in enumerate(table.columns)
    ]
    first = max(map(len, table.names))
    lines = [_line([" " * first, *table.columns], [first, *widths])]
    for name, row in zip(table.names, cells, strict=True):
        for place in range(max(map(len, row))):
            said = [name if place == 0 else "", *(each[place] if place < len(each) else "" for each in row)]
            lines.append(_line(said, [first, *widths]))
    return "\n".join(lines)


def _line(said: Sequence[str], widths: Sequence[int]) -> str:
    return _MARGIN.join(each.ljust(width) for each, width in zip(said, widths, strict=True)).rstrip()


def _lines(box: Box | None, notes: _Notes, bold: str = "") -> list[str]:
    """Return what stands in a cell, the best in bold, and the number of the reason where it is empty."""
    if box is None:
        return [""]
    first, *rest = box.lines()
    if box.shown is None:
        return [f"{first} [{notes.number('; '.join(box.cell.why))}]", *rest]
    return [f"{bold}{first}{bold}" if box.best else first, *rest]


def _numbers(box: Box | None) -> list[object]:
    """Return a cell as numbers; what is not known is empty."""
    if box is None:
        return [""] * (1 + len(_NUMBERS))
    ours: list[object] = ["", "", "", "", "", ""]
    if box.shown is not None:
        shown = box.shown
        interval = box.interval or ("", "")
        ours = [shown.mean, "" if shown.std is None else shown.std, *interval, shown.count, box.over]
    paper = ["", "", ""] if box.paper is None else [box.paper.mean, box.paper.std, box.paper.where]
    why = "; ".join(box.cell.why)
    return [box.cell.measure, *ours, *paper, f"†: {why}" if box.collapsed else why]


def _pair_lines(report: Report) -> list[str]:
    lines = [f"{_MARGIN}{_pair_line(row)}" for row in pair_rows(report.pairs, report.cells)]
    return [f"{TESTED}.", *lines] if lines else []


def _pair_line(row: Sequence[str]) -> str:
    game, one, other, difference, p, after = row
    return f"{game}: {one} - {other}: {difference}; " + (f"p {p}, corrected {after}" if after else p)


def _piped(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
