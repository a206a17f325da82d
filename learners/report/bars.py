"""Option shares as bars, a panel a seat.

Source: the PA-MAGRPO paper, figure 1.
"""

from collections.abc import Sequence
from typing import Any

from hocket.learners.report.canvas import INK, LINE, drawing, label, seat_colour
from hocket.learners.report.parts import Picture
from hocket.replays.audits.finding import Row
from hocket.replays.audits.text import number

MOST = 12
"""Options with a bar of their own."""


def bars(shares: Sequence[Row], name: str) -> Picture:
    """Draw what each seat chose.

    Args:
        shares: of a team, a row an option, the commonest first.
        name: no other drawing of the page has it.
    """
    seats = [seat for seat, share in enumerate(shares[0].seats) if share is not None]
    shown = {seat: [(row.name, row.seats[seat] or 0.0) for row in shares[:MOST]] for seat in seats}
    most = max(share for of_seat in shown.values() for _, share in of_seat)
    drawn = tuple(_panel(seat, shown[seat], most, f"{name}-{seat}") for seat in seats)
    left = len(shares) - MOST
    rest = f" {left} rarer options are left out here, and stand in the table below." if left > 0 else ""
    return Picture("Which options each seat chose", f"{'; '.join(_said(shares, seat) for seat in seats)}.{rest}", drawn)


def _panel(seat: int, shares: Sequence[tuple[str, float]], most: float, name: str) -> str:
    options, values = zip(*shares, strict=True)

    def draw(axes: Any) -> None:
        drawn = axes.barh(range(len(options)), values, height=0.7, color=seat_colour(seat))
        axes.bar_label(drawn, [number(value, "share") for value in values], padding=3, color=INK, fontsize=8.5)
        axes.set_yticks(range(len(options)), [label(each) for each in options])
        axes.invert_yaxis()
        axes.set_xlim(0, most * 1.25)
        axes.set_title(f"seat {seat}")
        axes.grid(False)
        axes.xaxis.set_visible(False)
        axes.spines["bottom"].set_visible(False)
        axes.spines["left"].set_color(LINE)
        axes.tick_params(axis="y", length=0)

    return drawing(name, draw, (3.1, 0.45 + 0.2 * len(options)))


def _said(shares: Sequence[Row], seat: int) -> str:
    """Say the two options that a seat chose most."""
    found = sorted(((row.seats[seat] or 0.0, row.name) for row in shares), reverse=True)
    most = ", ".join(f"{label(option)} {number(share, 'share')}" for share, option in found[:2] if share)
    return f"Seat {seat} most of all: {most}"
