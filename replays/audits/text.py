"""Findings as text: a number with its unit, a table for each audit."""

from collections.abc import Iterator

from hocket.replays.audits.audit import Audited
from hocket.replays.audits.finding import Row, Unit, listed
from hocket.replays.statistics import estimate

NOTHING = "-"
"""Stands where a number cannot be told."""


def number(value: float | None, unit: Unit) -> str:
    """Write a number: `45%`, `3.2`, `0.87 bits`."""
    if value is None:
        return NOTHING
    if unit == "share":
        return f"{value:.0%}" if value in (0, 1) or 0.01 <= value < 0.995 else f"{value:.2%}"
    written = f"{value:.4g}" if abs(value) < 10_000 else f"{value:,.0f}"
    return f"{written} {unit}" if unit in ("bits", "nats") else written


def cells(row: Row, seats: int) -> list[str]:
    """Write a row: the team's number, then each seat's, with what it is of."""
    found = [number(row.team, row.unit) if row.team is not None or not row.seats else ""]
    for seat in range(seats):
        written = number(row.seats[seat], row.unit) if row.seats else ""
        found.append(f"{written} {row.words[seat]}".strip() if row.words else written)
    return found


def line(row: Row) -> str:
    """Write a row in one line: `cells stood on: seat 0 14, seat 1 9`."""
    who = ["team", *(f"seat {seat}" for seat in range(len(row.seats)))]
    written = zip(who, cells(row, len(row.seats)), strict=True)
    return f"{row.name}: {', '.join(f'{name} {each}' for name, each in written if each)}"


def opening(audited: Audited) -> Iterator[str]:
    """Say what was audited, and what it came to."""
    header, count = audited.header, len(audited.returns)
    yield f"{header.game.name}, {count} {'trace' if count == 1 else 'traces'}, {header.steps} ticks"
    more = ": one trace, so no interval" if count == 1 else ", 95% bootstrap interval"
    yield f"team return {estimate(audited.returns)}{more}"
    said = [
        ", ".join(name if times == count else f"{name} ({times})" for name, times in holders.items())
        for holders in audited.holders
    ]
    for name in dict.fromkeys(said):
        seats = [seat for seat, other in enumerate(said) if other == name]
        yield f"{'seat' if len(seats) == 1 else 'seats'} {listed(seats)}: {name}"
