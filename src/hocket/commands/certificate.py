"""A certificate of cooperation as a table and a sentence, for people."""

from collections.abc import Callable, Iterator

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hocket.learners.certify.certificate import Certificate, Measured, SeatPart

_WIDEST = 3
"""The most seats that have a column each."""


def show(found: Certificate) -> None:
    """Print a certificate."""
    console = Console(highlight=False)
    with console.capture() as drawn:
        first, last = found.seeds[0], found.seeds[-1]
        played = f"{len(found.seeds)} episodes of {found.steps} ticks in each row, seeds {first} to {last}"
        console.print(f"{found.game}: team return, 95% bootstrap interval; {played}", soft_wrap=True)
        console.print(f"starts: {found.starts}: {found.why}\n", soft_wrap=True)
        console.print(f"the team earns {_told(found.team)}\n", soft_wrap=True)
        console.print(_table(found))
        if found.partner.agent is None:
            console.print(f"\nno row with a scripted partner: {found.partner.why}", soft_wrap=True)
        if found.deliveries is not None:
            hands = f"{found.shared} of {found.deliveries} deliveries went through the hands of several"
            console.print(f"\nhand-offs: {found.handoffs}; {hands}", soft_wrap=True)
        console.print(f"\n[bold]{found.verdict}[/]: {found.sentence}", soft_wrap=True)
        lines = found.thresholds
        expected = ", ".join(lines.expect)
        console.print(
            f"thresholds: idle {lines.idle:g}, able {lines.able:g}, shared {lines.shared:g}; expected: {expected}"
            f" ({'it holds' if found.expected else 'it does not hold'})",
            soft_wrap=True,
        )
    typer.echo(drawn.get(), nl=False)


def _table(found: Certificate) -> Table:
    """Draw conditions by seats; of many seats, a row for each."""
    seats = [f"seat {part.seat}, {part.agent}" for part in found.seats]
    rows = list(_rows(found))
    if len(seats) > _WIDEST:
        columns = zip(*(cells for _, cells in rows), strict=True)
        turned = [(seat, list(cells)) for seat, cells in zip(seats, columns, strict=True)]
        seats, rows = [name for name, _ in rows], turned
    table = Table("", box=None, padding=(0, 2, 0, 0))
    for name in seats:
        table.add_column(Text(name))
    for name, texts in rows:
        table.add_row(Text(name), *map(Text, texts))
    return table


def _rows(found: Certificate) -> Iterator[tuple[str, list[str]]]:
    def row(name: str, cell: Callable[[SeatPart], str]) -> tuple[str, list[str]]:
        return name, [cell(part) for part in found.seats]

    yield row("alone, the others idle", lambda part: _told(part.alone))
    yield row("the others random", lambda part: _told(part.beside_random))
    if found.partner.agent is not None:
        yield row(f"the others {found.partner.agent}", lambda part: _told(part.beside_scripted))
    yield row("adds after half time", lambda part: _told(part.added))
    yield row("of what the team earns there", lambda part: f"{_told(part.after)}{_share(part.added_share, ': {:.0%}')}")
    yield row("share of the work", lambda part: _share(part.work_share, "{:.0%}") or "-")


def _told(measured: Measured | None) -> str:
    if measured is None:
        return ""
    return str(measured.estimate) + (f", failed {measured.failed} times" if measured.failed else "")


def _share(share: float | None, form: str) -> str:
    return "" if share is None else form.format(share)
