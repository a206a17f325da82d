"""`hocket play`: one live episode, recorded."""

import asyncio
import sys
import threading
import time
from contextlib import closing, nullcontext, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Annotated

import anyio
import msgspec
import typer
from rich.console import Console

from hocket.agents.models import Models
from hocket.agents.spec import Cast
from hocket.commands.arguments import (
    Paces,
    checked_count,
    checked_steps,
    parse_seats,
    parse_settings,
)
from hocket.commands.camera import Camera, GifFile, PngFolder
from hocket.commands.interfaces import Backends, Interfaces, Scorers, library_name, no_guards, style_changes
from hocket.commands.swaps import Swaps, parse_swaps
from hocket.commands.terms import Given, agree
from hocket.commands.told import report, summary
from hocket.commands.trace_path import trace_path
from hocket.games import registry
from hocket.guarding import hidden_by
from hocket.leaving import leave_at_once, lingering
from hocket.live import frame
from hocket.recorded import Recorded
from hocket.replays.timing import TimingFile
from hocket.replays.trace import make_header
from hocket.replays.writer import TraceWriter
from hocket.runtime.errors import EpisodeError, HocketError, SettingError
from hocket.runtime.game import read_starts
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Seats, spoilt


def play(
    game: Annotated[str, typer.Argument(metavar="GAME", help="e.g. overcooked:cramped_room; see `hocket games`.")],
    seat: Annotated[
        list[str],
        typer.Option(
            metavar="N=AGENT",
            help="Who sits in seat N: random, idle, scripted:cook, replayed:TRACE, llm, llm:MODEL, llm:MODEL#ADAPTER, "
            "or MODULE:CLASS of your own. A seat that is not named is idle.",
        ),
    ] = [],  # noqa: B006
    seed: Annotated[int, typer.Option(help="The same seed and agents give the same episode.")] = 0,
    steps: Annotated[int | None, typer.Option(help="Length in ticks; by default the game's usual one.")] = None,
    starts: Annotated[
        str,
        typer.Option(
            metavar="KIND[:SEED]",
            help="standard, the game's usual start; scattered, each seat anywhere in its own room; varied, all drawn "
            "from the seed; varied:7, from 7.",
        ),
    ] = "standard",
    pace: Annotated[
        Paces,
        typer.Option(
            help="lockstep: the world waits for every seat. live: it does not. simulated: nor there, in virtual time."
        ),
    ] = Paces.lockstep,
    hz: Annotated[float | None, typer.Option(help="Ticks a second, at live pace and in a --gif.  [default: 8]")] = None,
    limit: Annotated[
        float | None, typer.Option(help="Seconds that an answer may take, but at live pace.  [default: no limit]")
    ] = None,
    faults: Annotated[
        str | None,
        typer.Option(help="What goes wrong at simulated pace: ideal, laggy, lossy, hostile, or a FILE.toml."),
    ] = None,
    fault: Annotated[
        list[str],
        typer.Option(help="One thing that goes wrong there, e.g. drop:1:12:choice, as `hocket explore` prints."),
    ] = [],  # noqa: B006
    contract: Annotated[
        list[str],
        typer.Option(
            metavar="[N=]TERMS",
            help="What every seat, or seat N, owes: deadline:20,meanwhile:wait,misses:3,back:50 (ticks, an option, "
            "offers in a row, ticks), or some of these.  [default: deadline:40 at simulated pace]",
        ),
    ] = [],  # noqa: B006
    fallback: Annotated[
        str, typer.Option(metavar="AGENT", help="Who takes the seat of one that failed, or missed too often.")
    ] = "idle",
    swap: Swaps = [],  # noqa: B006
    settings: Annotated[
        list[str], typer.Option("--set", metavar="KEY=VALUE", help="A setting of the game, e.g. old_dynamics=true.")
    ] = [],  # noqa: B006
    library: Annotated[str, typer.Option(help="The option library to play with.")] = "default",
    guards: Annotated[
        str,
        typer.Option(
            metavar="own|none|FILE",
            help="What is hidden from menus: the game's own guards (mined once, where none come with it), nothing, "
            "or what a guard file says.",
        ),
    ] = "own",
    interface: Annotated[
        Interfaces,
        typer.Option(
            help="menu: guarded options. json: any option as an object, unguarded. native: primitive actions."
        ),
    ] = Interfaces.menu,
    backend: Annotated[Backends, typer.Option(help="Where language models run.")] = Backends.local,
    url: Annotated[str | None, typer.Option(help="Of the model server, e.g. http://127.0.0.1:30000.")] = None,
    patience: Annotated[float, typer.Option(help="Seconds that a model server which is gone is waited for.")] = 30.0,
    scorer: Annotated[
        Scorers | None, typer.Option(help="How a choice comes out of a language model.  [default: the model's own]")
    ] = None,
    temperature: Annotated[
        float | None, typer.Option(help="Of a language model's choices; 0 takes the likeliest.  [default: 1]")
    ] = None,
    grammar: Annotated[
        bool | None, typer.Option("--grammar", help="Written replies can be nothing but well-formed.")
    ] = None,
    device: Annotated[str, typer.Option(help="Of language models in this process: auto, cpu, cuda.")] = "auto",
    threads: Annotated[int, typer.Option(help="The same; more than one may change the last bits.")] = 1,
    trace: Annotated[
        Path | None,
        typer.Option(help="Where to record it: NAME.jsonl or NAME.jsonl.zst. Default: traces/GAME-SEED.jsonl."),
    ] = None,
    png: PngFolder = None,
    gif: GifFile = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No picture.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> int:
    """Play one live episode and record it.

    Two scripted cooks, watched at 10 ticks a second:

    \b
    hocket play overcooked:asymmetric_advantages --pace live --hz 10 \\
      --seat 0=scripted:cook --seat 1=scripted:cook

    Two language models, each with an adapter of its own on one frozen base:

    \b
    hocket play pantry --seat 0=llm#adapters/ada@v0 --seat 1=llm#adapters/bo@v0

    An agent of your own, from a module in this folder, beside a recorded one:

    \b
    hocket play overcooked:cramped_room --seed 7 --trace mine.jsonl.zst \\
      --seat 0=my_agents:Chef --seat 1=replayed:traces/old.jsonl
    """
    before = threading.enumerate()
    world = registry.make(game, parse_settings(settings))
    options = registry.library(world, library_name(interface, library))
    named = parse_seats(seat, world)
    length = checked_steps(world.steps if steps is None else steps)
    read_starts(starts, seed)
    by_hand = "human:terminal" in named.values() or any("human:terminal" in each for each in swap)
    if by_hand and pace is not Paces.lockstep:
        raise SettingError(setting="--pace", value=pace.value, right="lockstep with a person at the terminal")
    camera = Camera(png, gif, hz)
    camera.check(world)
    rate = hz if gif is None or pace is Paces.live else None
    given = Given(pace=pace, hz=rate, limit=limit, faults=faults, fault=fault, contract=contract)
    agreed = agree(given, world, options, seed=seed, steps=length, fallback=fallback)
    timing = TimingFile()
    models = Models(
        world,
        backend=backend.value,
        url=url,
        patience=patience,
        style=style_changes(interface, scorer, temperature, grammar),
        device=device,
        threads=checked_count("--threads", threads),
        waits=pace is not Paces.live and limit is None,
        shipped=library if interface is Interfaces.menu else "",
        told=timing.write,
    )
    cast = Cast(world.spec.kind, models)
    holders = [cast.holder(named.get(each, "idle"), each) for each in range(world.seats)]
    relief = cast.fallback(fallback)
    swaps = parse_swaps(swap, world, cast)
    hidden = hidden_by(guards, world, options) if interface is Interfaces.menu else no_guards(interface, guards)
    anyio.run(models.prepare)
    names = [holder.name for holder in holders]
    header = make_header(
        world,
        options,
        seed=seed,
        starts=starts,
        steps=length,
        seats=names,
        guards=hidden,
        agents=models.marks(),
        terms=agreed.terms,
    )
    with closing(camera):
        filmed = camera.on(world)
        scheduler = Scheduler(filmed, options, seed=seed, holders=names, steps=length, starts=starts, guards=hidden)
        writer = TraceWriter(trace_path(trace, world.spec.name, seed, named.values()), header)
        timing.beside(writer.path)
        seats = Seats(spoilt(holders, agreed.faults), relief, agreed.contracts)
        for each in swaps:
            seats.plan(each)
        console = Console(highlight=False)
        drawn = console.is_terminal and not quiet and not as_json and not by_hand
        recorded = Recorded(scheduler, seats, agreed.pace, writer, picture=console if drawn else None, threads=before)
        try:
            return anyio.run(partial(_session, recorded, models, camera, console, as_json=as_json, picture=not quiet))
        except (KeyboardInterrupt, asyncio.CancelledError):
            return 130
        except RuntimeError as error:
            problem = f"an agent has stopped it: {error}"
            raise EpisodeError(part="event loop", tick=scheduler.now, problem=problem) from error
        finally:
            writer.close()
            timing.close()


async def _session(
    recorded: Recorded, models: Models, camera: Camera, console: Console, *, as_json: bool, picture: bool
) -> int:
    """Play, tell what happened, and leave, by force where an agent would not let the process end."""
    began = time.monotonic()
    try:
        with redirect_stdout(sys.stderr) if as_json else nullcontext():
            try:
                result = await recorded.play()
            finally:
                camera.close()
                with anyio.CancelScope(shield=True):
                    await models.close()
    except asyncio.CancelledError:
        recorded.writer.close()
        if picture and not as_json and console.is_terminal:
            console.print(frame(recorded.scheduler))
        typer.echo(f"hocket: interrupted; the trace up to here is {recorded.writer.path}", err=True)
        camera.code()
        _leave_by_force(recorded, 130)
        raise
    except HocketError as error:
        recorded.writer.close()
        camera.code()
        if _lingering(recorded):
            typer.echo(f"hocket: {error}", err=True)
            _leave_by_force(recorded, 2)
        raise
    recorded.writer.close()
    if as_json:
        typer.echo(msgspec.json.encode(summary(result, recorded)))
    else:
        report(console, result, recorded, time.monotonic() - began, picture=picture)
        for line in camera.lines():
            typer.echo(line)
    code = camera.code()
    _leave_by_force(recorded, code)
    return code


def _leave_by_force(recorded: Recorded, code: int) -> None:
    """End the process at once where an agent has left threads or tasks that Python would wait for."""
    if _lingering(recorded):
        leave_at_once(code)


def _lingering(recorded: Recorded) -> bool:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    return bool(tasks or recorded.left_behind or lingering(recorded.threads))
