"""The format of a trace as JSON Schema, made from its structs.

python -m hocket.replays.schema > docs/trace.schema.json
"""

import json
import sys
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from hocket.replays.line import HASH
from hocket.replays.trace import SCHEMA, Header
from hocket.runtime.events import Event

Hash: TypeAlias = Annotated[str, Meta(pattern=f"^[0-9a-f]{{{HASH}}}$")]


class FirstLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first line of a trace."""

    hash: Hash
    header: Header
    n: Literal[0]


class EventLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Every other line."""

    event: Event
    hash: Hash
    n: Annotated[int, Meta(ge=1)]


def trace_schema() -> dict[str, Any]:
    """Return the schema of one line of a trace."""
    lines, parts = msgspec.json.schema_components([FirstLine, EventLine], ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A line of a hocket trace, schema {SCHEMA}",
        "anyOf": list(lines),
        "$defs": parts,
    }


def main() -> None:
    """Print the schema."""
    sys.stdout.write(json.dumps(trace_schema(), indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
