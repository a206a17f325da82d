"""`hocket explore`: many seeds under faults, every trace checked, what fails made small."""

import importlib
import os
import shlex
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.progress import Progress

from hocket.commands.arguments import checked_count, checked_steps, parse_seats, parse_settings
from hocket.commands.terms import read_contracts, read_incidents
from hocket.games import registry
from hocket.leaving import leave
from hocket.recipe import Recipe, Simulation
from hocket.replays.explore import WHOLE, Finding
from hocket.replays.explore import explore as search
from hocket.replays.fault_file import read_profile
from hocket.replays.invariants import INVARIANTS, Invariant
from hocket.replays.timeline import timeline
from hocket.replays.trace import Trace
from hocket.runtime.contract import PATIENT
from hocket.runtime.errors import SettingError, UnknownNameError
from hocket.runtime.fault_profile import FaultProfile
from hocket.runtime.game import read_starts

_BEFORE, _AFTER = 8, 3
"""Ticks of a timeline around the moment of a violation."""
_LISTED = 12
"""Seeds that are named."""


def explore(
    game: Annotated[str, typer.Argument(metavar="GAME", help="e.g. pantry; see `hocket games`.")],
    seat: Annotated[
        list[str], typer.Option(metavar="N=AGENT", help="Who sits in seat N, as for `hocket play`; else it is idle.")
    ] = [],  # noqa: B006
    faults: Annotated[
        str | None, typer.Option(help="ideal, laggy, lossy, hostile, or a FILE.toml.  [default: hostile]")
    ] = None,
    fault: Annotated[
        list[str], typer.Option(help="What goes wrong in every run, in place of a profile, e.g. drop:1:12:choice.")
    ] = [],  # noqa: B006
    runs: Annotated[int, typer.Option(help="How many seeds.")] = 100,
    seed: Annotated[int, typer.Option(help="The first of them.")] = 0,
    steps: Annotated[int | None, typer.Option(help="Length in ticks; by default the game's usual one.")] = None,
    starts: Annotated[str, typer.Option(help="standard, varied or scattered, as for `hocket play`.")] = "standard",
    contract: Annotated[
        list[str], typer.Option(metavar="[N=]TERMS", help="As for `hocket play`.  [default: deadline:40]")
    ] = [],  # noqa: B006
    fallback: Annotated[str, typer.Option(metavar="AGENT", help="As for `hocket play`.")] = "idle",
    settings: Annotated[list[str], typer.Option("--set", metavar="KEY=VALUE", help="A setting of the game.")] = [],  # noqa: B006
    library: Annotated[str, typer.Option(help="The option library to play with.")] = "default",
    guards: Annotated[str, typer.Option(metavar="own|none|FILE", help="As for `hocket play`.")] = "own",
    invariant: Annotated[
        list[str],
        typer.Option(
            metavar="MODULE:FUNCTION", help="Of your own: takes a trace, returns what is wrong with it, or nothing."
        ),
    ] = [],  # noqa: B006
    without: Annotated[list[str], typer.Option(metavar="NAME", help="An invariant that is not asked.")] = [],  # noqa: B006
    processes: Annotated[int | None, typer.Option(help="How many share the work.  [default: one a core]")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> int:
    """Play many seeds under faults and check what holds in every episode.

    Exit code 0: all of it held. 1: something did not; it is shown with the smallest schedule of faults that
    breaks it, and the command that shows it again.

    \b
    hocket explore pantry --seat 0=random --seat 1=random --faults hostile --runs 200
    hocket explore pantry --seat 0=my_agents:Chef --invariant my_checks:somebody_delivers
    """
    threads = threading.enumerate()
    world = registry.make(game, parse_settings(settings))
    length = None if steps is None else checked_steps(steps)
    read_starts(starts, seed)
    if fault and faults is not None:
        raise SettingError(setting="--fault", value=fault, right="left out with --faults: one or the other")
    incidents = read_incidents(fault, world) if fault else None
    profile = FaultProfile() if fault else read_profile("hostile" if faults is None else faults)
    recipe = Recipe(
        game=game,
        settings=parse_settings(settings),
        library=library,
        guards=guards,
        seats=parse_seats(seat, world),
        steps=length,
        starts=starts,
        profile=profile,
        contracts=read_contracts(contract, world, registry.library(world, library), PATIENT),
        fallback=fallback,
    )
    asked = _asked(invariant, without)
    count = _count(runs)
    if not 0 <= seed < 2**62:
        raise SettingError(setting="--seed", value=seed, right="0 or more, below 2^62")
    share = min(
        checked_count("--processes", os.cpu_count() or 1 if processes is None else processes), max(1, count // 4)
    )
    with Progress(transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("exploring", total=count)
        found = search(
            partial(Simulation, recipe),
            range(seed, seed + count),
            invariants=asked,
            without=without,
            incidents=incidents,
            processes=share,
            told=lambda done: progress.update(task, completed=done),
        )
    if as_json:
        typer.echo(msgspec.json.encode(_told(found, count)))
        return leave(1 if found else 0, threads)
    named = "the given faults" if fault else "hostile" if faults is None else faults
    broken = sorted({each for finding in found for each in finding.seeds})
    played, verb = "run" if count == 1 else "runs", "breaks" if len(broken) < 2 else "break"
    typer.echo(f"{count} {played} of {game} under {named}: {len(broken) or 'none'} {verb} an invariant")
    for finding in found:
        for line in _shown(finding, sys.argv[1:]):
            typer.echo(line)
    return leave(1 if found else 0, threads)


def _count(runs: int) -> int:
    if not 1 <= runs <= 10_000_000:
        raise SettingError(setting="--runs", value=runs, right="1 to 10,000,000")
    return runs


def _asked(own: Sequence[str], without: Sequence[str]) -> dict[str, Invariant]:
    """Return the invariants that are to be asked.

    Raises:
        UnknownNameError: one that there is not.
        SettingError: a function that cannot be imported.
    """
    for name in without:
        if name not in (*INVARIANTS, *WHOLE):
            raise UnknownNameError(kind="invariant", name=name, known=(*INVARIANTS, *WHOLE))
    asked: dict[str, Invariant] = dict(INVARIANTS)
    with suppress(OSError):
        if str(Path.cwd()) not in sys.path:
            sys.path.append(str(Path.cwd()))
    for name in own:
        try:
            found = _Own(name).function()
        except (Exception, SystemExit) as error:
            right = f"MODULE:FUNCTION that imports from here ({type(error).__name__}: {error})"
            raise SettingError(setting="--invariant", value=name, right=right) from error
        if not callable(found):
            raise SettingError(setting="--invariant", value=name, right="a function")
        asked[name] = _Own(name)
    return asked


class _Own(msgspec.Struct, frozen=True):
    """An invariant by its name, so that it can be handed to another process whatever it is."""

    name: str

    def function(self) -> Any:
        """Import it."""
        module, _, function = self.name.partition(":")
        return getattr(importlib.import_module(module), function)

    def __call__(self, trace: Trace) -> Any:
        """Ask it."""
        return self.function()(trace)


def _told(found: Sequence[Finding], runs: int) -> dict[str, object]:
    return {
        "runs": runs,
        "findings": [
            {
                "invariant": each.invariant,
                "seeds": each.seeds,
                "problem": each.violation.problem,
                "event": each.violation.number,
                "tick": each.violation.tick,
                "faults": [str(incident) for incident in each.incidents],
                "among": each.among,
            }
            for each in found
        ],
    }


def _shown(finding: Finding, words: Sequence[str]) -> Iterator[str]:
    """Yield a finding for people: what broke, the smallest schedule, the command, and the moment."""
    violation, first = finding.violation, finding.seeds[0]
    others = ", ".join(map(str, finding.seeds[1:_LISTED]))
    more = f" and {len(finding.seeds) - _LISTED} more" if len(finding.seeds) > _LISTED else ""
    also = f" (also {others}{more})" if others else ""
    place = f"event {violation.number}, tick {violation.tick}: " if violation.number else ""
    yield f"\n{finding.invariant}, seed {first}{also}"
    yield f"  {place}{violation.problem}"
    faults = " ".join(map(str, finding.incidents)) or "none"
    yield f"  {len(finding.incidents)} of {finding.among} faults suffice: {faults}"
    yield f"  again: {_command(finding, words)}"
    near = range(violation.tick - _BEFORE, violation.tick + _AFTER + 1)
    for line in timeline(finding.trace, near):
        yield f"  {line}"


def _command(finding: Finding, given: Sequence[str]) -> str:
    """Return the command that shows a finding again: this one, with one seed and the smallest schedule."""
    kept: list[str] = []
    words = iter(given)
    for word in words:
        option, equals, _ = word.partition("=")
        if option in ("--runs", "--seed", "--faults", "--fault", "--processes"):
            if not equals:
                next(words, None)
        elif word != "--json":
            kept.append(word)
    faults = [part for each in finding.incidents for part in ("--fault", str(each))] or ["--faults", "ideal"]
    return shlex.join(["hocket", *kept[:1], "--seed", str(finding.seeds[0]), "--runs", "1", *faults, *kept[1:]])
