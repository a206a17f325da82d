"""`hocket certify`: does a team need its partners, or does one seat do all the work?"""

import sys
import threading
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hocket.commands.arguments import AsJson, parse_seats
from hocket.commands.comparison import (
    Comparison,
    GameName,
    Given,
    Guards,
    LibraryName,
    Processes,
    Settings,
    Steps,
    bar,
    checked_processes,
)
from hocket.learners.certify.certificate import Certificate, Played, certificate
from hocket.learners.certify.certification import Certification
from hocket.learners.certify.conditions import conditions, partner_for
from hocket.learners.certify.rows import handed, rows, told
from hocket.learners.certify.thresholds import read_thresholds
from hocket.leaving import leave
from hocket.runtime.errors import MissingError, SettingError

_WIDEST = 3
"""The most seats that have a column each."""
_PIPED = 200
"""Columns of a table where there is no terminal."""


def certify(
    game: GameName,
    seat: Annotated[
        list[str], typer.Option(metavar="N=AGENT", help="Who holds seat N, as for `hocket play`; every seat.")
    ] = [],  # noqa: B006
    partner: Annotated[
        str | None, typer.Option(metavar="AGENT", help="The scripted partner.  [default: the one for the game]")
    ] = None,
    episodes: Annotated[int, typer.Option(help="How many of each condition, on the same seeds.")] = 20,
    seed: Annotated[int, typer.Option(help="The first seed.")] = 10_000,
    steps: Steps = None,
    starts: Annotated[
        str, typer.Option(help="scattered, each seat anywhere in its own room; or as for `hocket play`.")
    ] = "scattered",
    settings: Settings = [],  # noqa: B006
    library: LibraryName = "default",
    guards: Guards = "own",
    expect: Annotated[list[str], typer.Option(metavar="VERDICT", help="A verdict that holds; once for each.")] = [],  # noqa: B006
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Thresholds, and which verdicts hold, as TOML.")
    ] = None,
    processes: Processes = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Keep scores, traces and certificate, and go on from there.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Certify cooperation: what a team earns, what each seat earns without it, and a verdict.

    Exit code 1: the verdict is none of those that hold (needs its partner, independent workers, works together).

    \b
    hocket certify overcooked:forced_coordination --seat 0=scripted:cook --seat 1=scripted:cook
    hocket certify overcooked:asymmetric_advantages --seat 0=llm --seat 1=llm --out runs/certificate
    """
    threads = threading.enumerate()
    thresholds, share = read_thresholds(config, expect), checked_processes(processes)
    if episodes == 1:
        raise SettingError(setting="--episodes", value=1, right="2 or more: of one there is no interval")
    given = Given(
        game=game,
        episodes=episodes,
        seed=seed,
        steps=steps,
        starts=starts,
        settings=settings,
        library=library,
        guards=guards,
    )
    with redirect_stdout(sys.stderr):  # agents may print; what is asked for is not theirs
        comparison = Comparison(given)
        agents, named = _team(comparison, seat), partner_for(comparison.game.spec.kind, library, partner)
        if named.agent is not None:
            comparison.check(named.agent, range(len(agents)))
        matches = conditions(comparison.terms, agents, named, comparison.seeds)
        with TemporaryDirectory() if out is None else nullcontext(out) as folder:
            certification = Certification(matches, Path(folder))
            found = certificate(matches, named, _played(certification, share), thresholds)
            if out is not None:
                certification.write(found)
    if as_json:
        typer.echo(msgspec.json.encode(found))
    else:
        _show(found)
    return leave(0 if found.expected else 1, threads)


def _team(comparison: Comparison, seats: Sequence[str]) -> list[str]:
    """Return who holds each seat of a game.

    Raises:
        SettingError: a game of one seat.
        MissingError: a seat that nobody holds.
        UsageError: no such seat, or an agent that cannot be loaded.
    """
    game = comparison.game
    if game.seats < 2:
        right = "one of two seats or more: alone there is no cooperation"
        raise SettingError(setting="GAME", value=game.spec.name, right=right)
    named = parse_seats(seats, game)
    for seat in range(game.seats):
        if seat not in named:
            raise MissingError(argument=f"--seat {seat}=AGENT", what="it says who holds the seat")
    for seat, agent in named.items():
        comparison.check(agent, [seat])
    return [named[seat] for seat in range(game.seats)]


def _played(certification: Certification, processes: int) -> Played:
    """Play under a bar."""
    with bar(certification.pieces) as advance:
        return certification.play(processes, advance)


def _show(found: Certificate) -> None:
    """Print a certificate."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else _PIPED)
    with console.capture() as drawn:
        first, last = found.seeds[0], found.seeds[-1]
        played = f"{len(found.seeds)} episodes of {found.steps} ticks in each row, seeds {first} to {last}"
        console.print(f"{found.game}: team return, 95% bootstrap interval; {played}", soft_wrap=True)
        console.print(f"starts: {found.starts}: {found.why}\n", soft_wrap=True)
        console.print(f"the team earns {told(found.team)}\n", soft_wrap=True)
        console.print(_table(found))
        if found.partner.agent is None:
            console.print(f"\nno row with a scripted partner: {found.partner.why}", soft_wrap=True)
        if hands := handed(found):
            console.print(f"\n{hands}", soft_wrap=True)
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
    named = list(rows(found))
    if len(seats) > _WIDEST:
        columns = zip(*(cells for _, cells in named), strict=True)
        turned = [(seat, list(cells)) for seat, cells in zip(seats, columns, strict=True)]
        seats, named = [name for name, _ in named], turned
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("", *seats):
        table.add_column(Text(name), overflow="fold")
    for name, texts in named:
        table.add_row(Text(name), *map(Text, texts))
    return table
