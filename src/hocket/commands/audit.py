"""`hocket audit`: who did what in recorded episodes."""

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.text import Text

from hocket.commands.arguments import AsJson
from hocket.replays.audits.audit import AUDITS, Audited
from hocket.replays.audits.audit import audit as audited
from hocket.replays.audits.sign import Sign
from hocket.replays.audits.text import cells, opening
from hocket.replays.statistics import scipy_stats
from hocket.replays.trace import read_trace
from hocket.replays.trace_files import trace_files

_MANY = 4
"""Seats from which on a column is headed by its number alone."""


def audit(
    traces: Annotated[list[Path], typer.Argument(metavar="TRACE...", help="Traces of one game, or folders of them.")],
    only: Annotated[
        list[str], typer.Option("--only", metavar="AUDIT", help=f"Once for each of {', '.join(AUDITS)}; else all.")
    ] = [],  # noqa: B006
    as_json: AsJson = False,
) -> int:
    """Who did what? Option shares, work, hand-offs, territory and more, over all traces together.

    A return does not tell whether a team has cooperated. What is plain is said in words, unless --only leaves out
    what it rests on; numbers of the team stand in the first column, those of each seat beside them.

    \b
    hocket audit traces/
    hocket audit traces/ --only handoffs --only work --json
    """
    scipy_stats()
    paths = trace_files(traces)
    reading = track(paths, "auditing", console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())
    found = audited(map(read_trace, reading), only)
    signs = [] if only else found.signs()
    if as_json:
        typer.echo(msgspec.json.encode(_summary(found, signs)))
    else:
        _show(found, signs)
    return 0


def _summary(found: Audited, signs: list[Sign]) -> dict[str, object]:
    findings = {name: {"rows": list(finding.rows()), "counts": finding} for name, finding in found.findings.items()}
    return {
        "game": found.header.game.name,
        "traces": len(found.returns),
        "returns": found.returns,
        "holders": found.holders,
        "signs": signs,
        "audits": findings,
        "absent": found.absent,
        "notes": found.notes,
    }


def _show(found: Audited, signs: list[Sign]) -> None:
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 200)
    seats = len(found.holders)
    with console.capture() as drawn:
        for line in opening(found):
            console.print(Text(line), soft_wrap=True)
        for note in found.notes:
            console.print(Text(f"note: {note}"), soft_wrap=True)
        for sign in signs:
            console.print(Text(sign.sentence, style="bold"), soft_wrap=True)
        for name, rows in found.rows().items():
            table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
            table.add_column(name, overflow="fold")
            shown = range(seats) if any(row.seats for row in rows) else ()
            for column in ("team", *(f"{'seat ' if seats < _MANY else ''}{seat}" for seat in shown)):
                table.add_column(column, justify="right", overflow="fold")
            for row in rows:
                table.add_row(Text(row.name), *map(Text, cells(row, len(shown))))
            console.print()
            console.print(table)
        console.print()
        for name, reason in found.absent.items():
            console.print(Text(f"{name}: {reason}", style="dim"), soft_wrap=True)
    typer.echo(drawn.get(), nl=False)
