"""`hocket diff`: where two traces part."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from hocket.replays.diff import diff as compare
from hocket.replays.trace import read_trace


def diff(
    one: Annotated[Path, typer.Argument(metavar="A", help="A trace.")],
    other: Annotated[Path, typer.Argument(metavar="B", help="Another.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> int:
    """Name the first event at which two traces part, and the fields of their headers that differ.

    Exit code 0: they are equal. 1: they are not.

    \b
    hocket diff before.jsonl after.jsonl
    """
    found = compare(read_trace(one), read_trace(other))
    if as_json:
        typer.echo(msgspec.json.encode({"equal": not found, "differences": found}))
        return 1 if found else 0
    for difference in found:
        typer.echo(difference.sentence(f"in {one}", f"in {other}"))
    if not found:
        typer.echo("the traces are equal")
    return 1 if found else 0
