"""What is said of an episode that was played."""

import os

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hocket.live import frame
from hocket.recorded import Recorded
from hocket.runtime.result import Result


def summary(result: Result, recorded: Recorded) -> dict[str, object]:
    """Return what `--json` prints."""
    return {
        "return": result.team,
        "returns": result.returns,
        "steps": result.steps,
        "decisions": sum(result.decisions),
        "trace": os.fsencode(recorded.writer.path).decode(errors="backslashreplace"),
        "complaints": recorded.complaints(),
    }


def report(console: Console, result: Result, recorded: Recorded, seconds: float, *, picture: bool) -> None:
    """Print what came of an episode, for people."""
    with console.capture() as drawn:
        if picture:
            console.print(frame(recorded.scheduler))
            console.print()
        rows = Table("seat", "agent", "return", "decisions", box=None, padding=(0, 2, 0, 0))
        for seat, holder in enumerate(recorded.scheduler.holders):
            first = recorded.seated[seat]
            name = holder if holder == first else f"{first} -> {holder}"
            rows.add_row(str(seat), Text(name), f"{result.returns[seat]:g}", str(result.decisions[seat]))
        console.print(rows)
        ended = ", ".join(f"{count} {outcome}" for outcome, count in sorted(recorded.outcomes.items()))
        console.print(
            f"\n[bold]return {result.team:g}[/] in {result.steps} ticks, {seconds:.1f} s; options: {ended or 'none'}"
        )
        for complaint in recorded.complaints():
            console.print(Text(complaint, style="red"), soft_wrap=True)
    typer.echo(drawn.get(), nl=False)
    typer.echo(f"trace: {recorded.writer.path}\nrun it again: hocket rerun {recorded.writer.path}")
