"""`hocket timeline`: a trace as text, one lane a seat."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from hocket.replays.timeline import timeline as lanes
from hocket.replays.trace import encode_event, read_trace


def timeline(
    trace: Annotated[Path, typer.Argument(metavar="TRACE", help="A trace that `hocket play` recorded.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object: the header and every event.")] = False,
) -> int:
    """Show a trace as text: what each seat began, how it ended, what came of it.

    > an option begins, + it did what it promises, x it did not, ! something went wrong,
    ~ something was made to go wrong.

    \b
    hocket timeline traces/pantry-0.jsonl | less -S
    hocket timeline --json traces/pantry-0.jsonl | jq '.events[0]'
    """
    recorded = read_trace(trace)
    if as_json:
        events = [msgspec.Raw(encode_event(event)) for event in recorded.events]
        typer.echo(msgspec.json.encode({"header": recorded.header, "events": events, "torn": recorded.torn}))
        return 0
    for line in lanes(recorded):
        typer.echo(line)
    if recorded.torn:
        typer.echo("note: the trace is torn: it ends in the middle of a line", err=True)
    return 0
