"""`hocket play`: one live episode, recorded."""

import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import anyio
import msgspec
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hocket.agents.idle import Idle
from hocket.agents.spec import Cast
from hocket.commands.arguments import Starts, checked_hz, checked_limit, checked_steps, parse_seats, parse_settings
from hocket.games import registry
from hocket.live import Screen, frame
from hocket.replays.recorder import Recorder
from hocket.replays.trace import make_header
from hocket.replays.writer import TraceWriter
from hocket.runtime.actor import Actor, Group
from hocket.runtime.bus import Bus
from hocket.runtime.clock import Clock
from hocket.runtime.episode import Episode
from hocket.runtime.errors import SettingError, TracePathError
from hocket.runtime.events import OptionEnded
from hocket.runtime.pace import Live, Lockstep, Pace
from hocket.runtime.rollout import Result
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats


def play(
    game: Annotated[str, typer.Argument(metavar="GAME", help="e.g. overcooked:cramped_room; see `hocket games`.")],
    seat: Annotated[
        list[str],
        typer.Option(
            metavar="N=AGENT",
            help="Who sits in seat N: random, idle, scripted:cook, replayed:TRACE, or MODULE:CLASS of your own. "
            "A seat that is not named is idle.",
        ),
    ] = [],  # noqa: B006
    seed: Annotated[int, typer.Option(help="The same seed and agents give the same episode.")] = 0,
    steps: Annotated[int | None, typer.Option(help="Length in ticks; by default the game's usual one.")] = None,
    starts: Annotated[
        Starts, typer.Option(help="The game's usual start, or one drawn from the seed.")
    ] = Starts.standard,
    pace: Annotated[
        str, typer.Option(help="lockstep: the world waits for every seat. live: it does not.")
    ] = "lockstep",
    hz: Annotated[float, typer.Option(help="Ticks a second, at live pace.")] = 8.0,
    limit: Annotated[float | None, typer.Option(help="Seconds that an answer may take, in lockstep.")] = None,
    settings: Annotated[
        list[str], typer.Option("--set", metavar="KEY=VALUE", help="A setting of the game, e.g. old_dynamics=true.")
    ] = [],  # noqa: B006
    library: Annotated[str, typer.Option(help="The option library to play with.")] = "default",
    trace: Annotated[
        Path | None,
        typer.Option(help="Where to record it: NAME.jsonl or NAME.jsonl.zst. Default: traces/GAME-SEED.jsonl."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No picture.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> int:
    """Play one live episode and record it.

    Two scripted cooks, watched at 10 ticks a second:

        hocket play overcooked:asymmetric_advantages --seat 0=scripted:cook --seat 1=scripted:cook --pace live --hz 10
    """
    world = registry.make(game, parse_settings(settings))
    options = registry.library(world, library)
    named = parse_seats(seat, world)
    cast = Cast()
    holders = [cast.holder(named.get(each, "idle"), each) for each in range(world.seats)]
    length = checked_steps(world.steps if steps is None else steps)
    time_keeper = _pace(pace, hz, limit)
    header = make_header(
        world, options, seed=seed, starts=starts, steps=length, seats=[holder.name for holder in holders]
    )
    scheduler = Scheduler(world, options, seed=seed, holders=header.seats, steps=length, starts=starts)
    writer = TraceWriter(_path(trace, world.spec.name, seed), header)
    seats = Seats(holders, Holder("idle", Idle()))
    console = Console(highlight=False)
    drawn = console.is_terminal and not quiet and not as_json
    table = _Table(scheduler, seats, time_keeper, writer, console if drawn else None)
    began = time.monotonic()
    try:
        result = anyio.run(table.play)
    except KeyboardInterrupt:
        typer.echo(f"hocket: interrupted; the trace up to here is {writer.path}", err=True)
        return _leave(130, table)
    finally:
        writer.close()
    if as_json:
        typer.echo(msgspec.json.encode(_summary(result, writer.path)))
    else:
        _report(console, scheduler, result, table.outcomes, writer.path, time.monotonic() - began, picture=not quiet)
    return _leave(0, table)


class _Table:
    """Everybody at one table: episode, recorder and onlookers."""

    def __init__(
        self, scheduler: Scheduler[Any], seats: Seats, pace: Pace, writer: TraceWriter, console: Console | None
    ) -> None:
        self.scheduler, self.seats, self.pace, self.writer, self.console = scheduler, seats, pace, writer, console
        self.outcomes: Counter[str] = Counter()
        self.left_behind = False

    async def play(self) -> Result:
        """Play the episode; the recorder has everything when this returns or raises."""
        clock = Clock()
        bus = Bus(clock)
        episode = Episode(self.scheduler, self.seats, bus, self.pace, clock=clock)
        ended = bus.subscribe(OptionEnded, name="outcomes", capacity=64, overflow="wait")
        screen = None if self.console is None else Screen(bus, self.scheduler, self.console)
        try:
            async with Group() as group:
                group.start(Recorder(bus, self.writer).actor)
                group.start(Actor(ended, self._count))
                if screen is not None:
                    group.start(screen.actor)
                    screen.live.start()
                try:
                    return await episode.run()
                finally:
                    with anyio.CancelScope(shield=True):
                        await bus.stop()
        finally:
            self.left_behind = bool(episode.left_behind)
            if screen is not None:
                screen.live.stop()

    async def _count(self, event: OptionEnded) -> None:
        self.outcomes[event.outcome.partition(":")[0]] += 1


def _pace(name: str, hz: float, limit: float | None) -> Pace:
    if name == "lockstep":
        return Lockstep(checked_limit(limit))
    if name == "live":
        return Live(checked_hz(hz))
    raise SettingError(setting="--pace", value=name, right="lockstep or live")


def _path(trace: Path | None, game: str, seed: int) -> Path:
    if trace is not None:
        return trace
    folder = Path("traces")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise TracePathError(path=folder, problem=(error.strerror or "cannot be made").lower()) from error
    return folder / f"{game.replace(':', '-')}-{seed}.jsonl"


def _summary(result: Result, path: Path) -> dict[str, object]:
    return {
        "return": result.team,
        "returns": result.returns,
        "steps": result.steps,
        "decisions": sum(result.decisions),
        "trace": str(path),
    }


def _report(
    console: Console,
    scheduler: Scheduler[Any],
    result: Result,
    outcomes: Counter[str],
    path: Path,
    seconds: float,
    *,
    picture: bool,
) -> None:
    if picture:
        console.print(frame(scheduler))
        console.print()
    table = Table("seat", "agent", "return", "decisions", box=None, padding=(0, 2, 0, 0))
    for seat, holder in enumerate(scheduler.holders):
        table.add_row(str(seat), Text(holder), f"{result.returns[seat]:g}", str(result.decisions[seat]))
    console.print(table)
    ended = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    console.print(
        f"\n[bold]return {result.team:g}[/] in {result.steps} ticks, {seconds:.1f} s; options: {ended or 'none'}"
    )
    typer.echo(f"trace: {path}\nrun it again: hocket rerun {path}")


def _leave(code: int, table: _Table) -> int:
    """Leave; where an agent's task will not end, without waiting for it as Python would."""
    if table.left_behind:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code
