"""Option shares as bars, a panel a seat.

Source: the PA-MAGRPO paper, figure 1.
"""

from hocket.learners.report.canvas import INK, LINE, drawing, matplotlib_figure, seat_colour, style
from hocket.learners.report.parts import Picture
from hocket.replays.audits.shares import Shares

MOST = 12
"""Options with a bar of their own."""


def bars(shares: Shares, name: str) -> Picture:
    """Draw what each seat chose.

    Args:
        shares: of a team.
        name: no other drawing of the page has it.
    """
    seats = [seat for seat, counts in enumerate(shares.chosen) if counts]
    options = shares.options[:MOST]
    most = max(shares.share(seat, option) or 0 for seat in seats for option in options)
    drawn = tuple(_panel(shares, seat, options, most, f"{name}-{seat}") for seat in seats)
    left = len(shares.options) - len(options)
    rest = f" {left} rarer options are left out here, and stand in the table below." if left else ""
    return Picture("Which options each seat chose", f"{'; '.join(_said(shares, seat) for seat in seats)}.{rest}", drawn)


def _panel(shares: Shares, seat: int, options: list[str], most: float, name: str) -> str:
    values = [shares.share(seat, option) or 0.0 for option in options]
    with style(name):
        figure = matplotlib_figure()(figsize=(3.1, 0.45 + 0.2 * len(options)))
        axes = figure.add_subplot()
        drawn = axes.barh(range(len(options)), values, height=0.7, color=seat_colour(seat))
        axes.bar_label(drawn, [f"{value:.0%}" for value in values], padding=3, color=INK, fontsize=8.5)
        axes.set_yticks(range(len(options)), options)
        axes.invert_yaxis()
        axes.set_xlim(0, most * 1.25)
        axes.set_title(f"seat {seat}")
        axes.grid(False)
        axes.xaxis.set_visible(False)
        axes.spines["bottom"].set_visible(False)
        axes.spines["left"].set_color(LINE)
        axes.tick_params(axis="y", length=0)
        return drawing(figure, name)


def _said(shares: Shares, seat: int) -> str:
    """Say the two options that a seat chose most."""
    found = sorted(((shares.share(seat, option) or 0.0, option) for option in shares.options), reverse=True)
    most = ", ".join(f"{option} {share:.0%}" for share, option in found[:2] if share)
    return f"Seat {seat} most of all: {most}"
