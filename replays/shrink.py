"""The smallest fault schedule that still fails.

First whole parts of the schedule are left out, halves, quarters, and so on down to
single faults; then what is left is made shorter, and so in turn until neither helps.
Every try is an episode of its own.

Source: Zeller & Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE
Transactions on Software Engineering 28 (2002), the algorithm ddmin; it goes on to
numbers, which the source does not.
"""

from collections.abc import Callable, Sequence

import msgspec

from hocket.runtime.incident import Incident


def shrink(
    incidents: Sequence[Incident], fails: Callable[[tuple[Incident, ...]], bool], *, tries: int = 500
) -> tuple[Incident, ...]:
    """Make a schedule smaller for as long as it fails.

    Args:
        incidents: a schedule that fails.
        fails: plays one, and tells whether it fails in the same way.
        tries: how many to play at most.

    Returns:
        A schedule that fails; where the tries sufficed, one of which no fault can be left out.
    """
    left = [tries]

    def still(candidate: Sequence[Incident]) -> bool:
        left[0] -= 1
        return left[0] >= 0 and fails(tuple(candidate))

    found = list(incidents)
    if not found or still(()):
        return ()
    while True:
        fewer = _fewer(found, still)
        found = _shorter(fewer, still)
        if found == fewer:
            return tuple(found)


def _fewer(found: list[Incident], still: Callable[[Sequence[Incident]], bool]) -> list[Incident]:
    parts = 2
    while len(found) > 1:
        size = -(-len(found) // parts)
        for start in range(0, len(found), size):
            rest = found[:start] + found[start + size :]
            if still(rest):
                found, parts = rest, max(2, parts - 1)
                break
        else:
            if parts >= len(found):
                break
            parts = min(len(found), 2 * parts)
    return found


def _shorter(found: list[Incident], still: Callable[[Sequence[Incident]], bool]) -> list[Incident]:
    """Halve each number of ticks for as long as it fails; 0 is not shorter, where it stands for good."""
    for place in range(len(found)):
        while found[place].ticks > 1:
            shorter = msgspec.structs.replace(found[place], ticks=found[place].ticks // 2)
            candidate = [*found[:place], shorter, *found[place + 1 :]]
            if not still(candidate):
                break
            found = candidate
    return found
