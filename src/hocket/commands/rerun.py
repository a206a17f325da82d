"""`hocket rerun`: simulate a trace again and compare."""

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.progress import Progress

from hocket.replays.rerun import Verdict
from hocket.replays.rerun import rerun as run_again
from hocket.replays.trace import Trace, read_trace


def rerun(
    trace: Annotated[Path, typer.Argument(metavar="TRACE", help="A trace that `hocket play` recorded.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> int:
    """Run a recorded episode again, without its agents, and compare event by event.

    Exit code 0: it agrees. 1: it parts from the trace; the first event that differs is named.

    \b
    hocket rerun traces/pantry-0.jsonl
    hocket rerun --json traces/pantry-0.jsonl
    """
    recorded = read_trace(trace)
    verdict = _watched(recorded)
    if as_json:
        found = verdict.difference
        typer.echo(
            msgspec.json.encode(
                {
                    "agrees": verdict.agrees,
                    "events": verdict.events,
                    "difference": None if found is None else msgspec.to_builtins(found),
                    "return": sum(verdict.returns),
                    "returns": verdict.returns,
                    "notes": verdict.notes,
                }
            )
        )
        return 0 if verdict.agrees else 1
    for note in verdict.notes:
        typer.echo(f"note: {note}", err=True)
    if verdict.difference is not None:
        typer.echo(f"{trace} does not agree: {verdict.difference.sentence('in the trace', 'in the rerun')}")
        return 1
    typer.echo(f"{trace} agrees: {verdict.events} events, return {sum(verdict.returns):g}")
    return 0


def _watched(recorded: Trace) -> Verdict:
    with Progress(transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("running it again", total=len(recorded.events))
        return run_again(recorded, lambda events: progress.update(task, completed=events))
