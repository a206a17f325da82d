"""`hocket burn-in`: uniform play over unguarded menus, every executed option logged."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
import typer
from rich.progress import Progress

from hocket.commands.arguments import parse_settings
from hocket.games import registry
from hocket.learners.burn_in import burn_in as fill
from hocket.learners.burn_in import manifest
from hocket.learners.burn_log import EFFECT_FAIL, SUCCESS, TIMEOUT, Log


class Policies(StrEnum):
    """What picks from the menus."""

    uniform = "uniform"
    narrow = "narrow"


def burn_in(
    game: Annotated[str, typer.Argument(metavar="GAME", help="e.g. overcooked:cramped_room; see `hocket games`.")],
    out: Annotated[Path, typer.Option(metavar="LOG", help="Folder of the log: new, or one that was broken off.")],
    solo: Annotated[int, typer.Option(help="Episodes with one acting seat, each in turn.")] = 2000,
    team: Annotated[int, typer.Option(help="Episodes in which every seat acts.")] = 2000,
    steps: Annotated[int, typer.Option(help="Length of an episode, in ticks.")] = 150,
    seed: Annotated[int, typer.Option(help="The same seed gives the same log.")] = 0,
    library: Annotated[str, typer.Option(help="The option library.")] = "default",
    starts: Annotated[
        str, typer.Option(metavar="KIND[:SEED]", help="Where episodes start, as in `hocket play`.")
    ] = "varied",
    policy: Annotated[
        Policies, typer.Option(help="uniform, or narrow: near-deterministic, the control.")
    ] = Policies.uniform,
    jobs: Annotated[int, typer.Option(help="Processes; the log is the same whatever their number.")] = 1,
    settings: Annotated[
        list[str], typer.Option("--set", metavar="KEY=VALUE", help="A setting of the game, e.g. old_dynamics=true.")
    ] = [],  # noqa: B006
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> int:
    """Play at random over unguarded menus and log how every option ended.

    What it leaves is what guards are mined from. A log that was broken off is gone on with.

    \b
    hocket burn-in overcooked:cramped_room --out logs/cramped --jobs 2
    hocket guards synthesize logs/cramped --out cramped.json
    """
    world = registry.make(game, parse_settings(settings))
    options = registry.library(world, library)
    plan = manifest(world, options, seed=seed, solo=solo, team=team, steps=steps, starts=starts, policy=policy.value)
    log = Log.begin(out, plan)
    with Progress(transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("burn-in", total=solo + team)
        try:
            fill(log, jobs=jobs, progress=lambda episodes: progress.advance(task, episodes))
        except KeyboardInterrupt:
            progress.stop()
            typer.echo(f"hocket: interrupted; the same command goes on with {out}", err=True)
            return 130
    told = _summary(log)
    if as_json:
        typer.echo(msgspec.json.encode(told))
    else:
        typer.echo(
            f"{log.path}: {told['records']} options carried out, {told['success']} succeeded, "
            f"{told['effect_fail']} failed, {told['explicit']} could not be expanded, {told['timeout']} timed out"
        )
    return 0


def _summary(log: Log) -> dict[str, object]:
    counted = np.zeros(256, dtype=np.int64)
    for columns in log.chunks():
        counted += np.bincount(columns["outcome"], minlength=256)
    success, fail, timeout = (int(counted[code]) for code in (SUCCESS, EFFECT_FAIL, TIMEOUT))
    records = int(counted.sum())
    return {
        "log": str(log.path),
        "digest": log.digest(),
        "records": records,
        "success": success,
        "effect_fail": fail,
        "timeout": timeout,
        "explicit": records - success - fail - timeout,
    }
