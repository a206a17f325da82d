"""Where two traces part: every field of the headers, then the first event."""

import msgspec

from hocket.replays.difference import Difference, first_difference, parting
from hocket.replays.trace import Trace


def diff(one: Trace, other: Trace) -> list[Difference]:
    """Compare two traces; an empty list where they are equal."""
    found = []
    was, now = msgspec.to_builtins(one.header), msgspec.to_builtins(other.header)
    for field in sorted(was | now):
        if was.get(field) != now.get(field):
            path, old, new = parting(was.get(field), now.get(field))
            found.append(Difference(0, None, f"{field}.{path}" if path else field, old, new))
    event = first_difference(one.events, other.events)
    return [*found, event] if event is not None else found
