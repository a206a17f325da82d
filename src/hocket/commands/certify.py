"""`hocket certify`: does a team need its partners, or does one seat do all the work?"""

import os
import sys
import threading
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import msgspec
import typer
from rich.progress import Progress

from hocket.commands.arguments import parse_seats, parse_settings
from hocket.commands.certificate import show
from hocket.commands.comparison import (
    AsJson,
    Comparison,
    GameName,
    Given,
    Guards,
    LibraryName,
    Processes,
    Settings,
    Steps,
)
from hocket.games import registry
from hocket.learners.certify.certificate import Played, certificate
from hocket.learners.certify.certification import Certification
from hocket.learners.certify.conditions import conditions, partner_for
from hocket.learners.certify.thresholds import read_thresholds
from hocket.leaving import leave
from hocket.replays.statistics import scipy_stats
from hocket.runtime.errors import MissingError, SettingError


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
    scipy_stats()
    thresholds = read_thresholds(config, expect)
    agents = _team(game, seat, settings)
    for agent in (*agents, *([] if partner is None else [partner])):
        if agent.startswith("human"):
            raise SettingError(setting="agent", value=agent, right="one that plays by itself")
    if episodes == 1:
        raise SettingError(setting="--episodes", value=1, right="2 or more: of one there is no interval")
    named = partner_for(game.partition(":")[0], library, partner)
    given = Given(
        game=game,
        agents=list(dict.fromkeys([*agents, *([named.agent] if named.agent else [])])),
        episodes=episodes,
        seed=seed,
        steps=steps,
        starts=starts,
        settings=settings,
        library=library,
        guards=guards,
        processes=processes,
        out=None,
    )
    comparison = Comparison(given)
    matches = conditions(comparison.terms, agents, named, comparison.seeds)
    with TemporaryDirectory() if out is None else nullcontext(out) as folder:
        certification = Certification(matches, Path(folder))
        with redirect_stdout(sys.stderr) if as_json else nullcontext():
            played = _played(certification, processes or os.cpu_count() or 1)
        found = certificate(matches, named, played, thresholds)
        said = msgspec.json.encode(found)
        if out is not None:
            certification.write(msgspec.json.format(said) + b"\n")
    if as_json:
        typer.echo(said)
    else:
        show(found)
    return leave(0 if found.expected else 1, threads)


def _team(game: str, seats: Sequence[str], settings: Sequence[str]) -> list[str]:
    """Return who holds each seat of a game.

    Raises:
        SettingError: a game of one seat.
        MissingError: a seat that nobody holds.
        UsageError: no such game, or no such seat.
    """
    world = registry.make(game, parse_settings(settings))
    if world.seats < 2:
        raise SettingError(setting="GAME", value=game, right="one of two seats or more: alone there is no cooperation")
    named = parse_seats(seats, world)
    for seat in range(world.seats):
        if seat not in named:
            raise MissingError(argument=f"--seat {seat}=AGENT", what="it says who holds the seat")
    return [named[seat] for seat in range(world.seats)]


def _played(certification: Certification, processes: int) -> Played:
    """Play under a bar."""
    with Progress(transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("playing", total=certification.parts)
        return certification.play(processes=processes, progress=lambda: progress.advance(task))
