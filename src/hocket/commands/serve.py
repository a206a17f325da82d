"""`hocket serve`: a table for people, scripts, models and other processes."""

import os
import socket
from collections.abc import Callable, Mapping
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Annotated, Any

import anyio
import msgspec
import typer

from hocket.agents.models import Models
from hocket.agents.spec import Cast
from hocket.commands.arguments import checked_count, checked_steps, parse_seats, parse_settings
from hocket.commands.interfaces import Interfaces, library_name, no_guards
from hocket.commands.trace_path import file_name, made_folder
from hocket.games import registry
from hocket.guarding import hidden_by
from hocket.runtime.errors import MissingError, MissingExtraError, PortError, SettingError
from hocket.runtime.game import Game, read_starts
from hocket.runtime.pace import Live
from hocket.runtime.seats import Holder


def serve(
    game: Annotated[str, typer.Argument(metavar="GAME", help="e.g. overcooked:cramped_room; see `hocket games`.")],
    seat: Annotated[
        list[str],
        typer.Option(
            metavar="N=AGENT",
            help="Who sits in seat N: human, remote, or as for `hocket play`. A seat that is not named is idle.",
        ),
    ] = [],  # noqa: B006
    seed: Annotated[int, typer.Option(help="Of the first episode; each one after it counts one up.")] = 0,
    steps: Annotated[int | None, typer.Option(help="Length in ticks; by default the game's usual one.")] = None,
    starts: Annotated[str, typer.Option(metavar="KIND[:SEED]", help="As for `hocket play`.")] = "standard",
    hz: Annotated[float, typer.Option(help="Ticks a second.")] = 6.0,
    grace: Annotated[float, typer.Option(help="Seconds for which the seat of whoever has left is kept.")] = 10.0,
    fallback: Annotated[str, typer.Option(metavar="AGENT", help="Who holds it after that, until they are back.")] = (
        "idle"
    ),
    tables: Annotated[int, typer.Option(help="How many games at once, each with links of its own.")] = 1,
    interface: Annotated[Interfaces, typer.Option(help="menu: guarded options. native: primitive actions.")] = (
        Interfaces.menu
    ),
    library: Annotated[str, typer.Option(help="The option library to play with.")] = "default",
    guards: Annotated[str, typer.Option(metavar="own|none|FILE", help="As for `hocket play`.")] = "own",
    settings: Annotated[list[str], typer.Option("--set", metavar="KEY=VALUE", help="A setting of the game.")] = [],  # noqa: B006
    host: Annotated[str, typer.Option(help="Address to listen on; by default this machine alone can reach it.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(help="0 for any that is free.")] = 8000,
    traces: Annotated[Path, typer.Option(metavar="FOLDER", help="Where episodes are recorded.")] = Path("traces"),
    as_json: Annotated[bool, typer.Option("--json", help="Print the links as one JSON object.")] = False,
) -> int:
    """Serve a page on which people play, alone or with scripts, models and other processes.

    Every awaited seat has a link of its own; whoever has it holds the seat. Ends with Ctrl-C.

    \b
    hocket serve overcooked:asymmetric_advantages --seat 0=human --seat 1=scripted:cook
    hocket serve cleanup --seat 0=human --seat 1=remote --seat 2=llm --hz 4
    """
    try:
        import uvicorn

        from hocket.agents.web.plan import AWAITED, Plan
        from hocket.agents.web.server import Server
        from hocket.agents.web.table import Table
    except ImportError as error:
        raise MissingExtraError(extra="web", needed_for="`hocket serve`") from error
    first = registry.make(game, parse_settings(settings))
    named = parse_seats(seat, first)
    outside = {each: name for each, name in named.items() if name in AWAITED}
    if not outside:
        raise MissingError(argument="--seat N=human or N=remote", what="nobody would come")
    length = checked_steps(first.steps if steps is None else steps)
    if not 0 <= seed < 2**62:
        raise SettingError(setting="--seed", value=seed, right="0 or more, below 2^62")
    read_starts(starts, seed)
    Live(hz)
    if interface is Interfaces.json:
        raise SettingError(setting="--interface", value="json", right="menu or native, which people can use")
    if not 0 <= grace <= 86_400:
        raise SettingError(setting="--grace", value=grace, right="seconds, 0 to 86,400")
    many = checked_count("--tables", tables)
    chosen = library_name(interface, library)
    hidden = (
        hidden_by(guards, first, registry.library(first, chosen))
        if interface is Interfaces.menu
        else no_guards(interface, guards)
    )
    made = []
    for number in range(many):
        world = first if number == 0 else registry.make(game, parse_settings(settings))
        cast = _casting(world, chosen if interface is Interfaces.menu else "")
        agents = {each: named.get(each, "idle") for each in range(world.seats) if each not in outside}
        for each, name in agents.items():
            cast(name, each)
        cast(fallback, 0)
        plan = Plan(
            game=world,
            library=registry.library(world, chosen),
            guards=hidden,
            interface="menu" if interface is Interfaces.menu else "native",
            outside=outside,
            cast=cast,
            agents=agents,
            fallback=fallback,
            seed=seed,
            steps=length,
            starts=starts,
            hz=hz,
            grace=grace,
            traces=partial(_trace_path, made_folder(traces), world.spec.name, number, many),
        )
        made.append(Table(plan))
    server = Server(made)
    listening = _listen(host, port)
    address = listening.getsockname()
    shown = f"[{host}]" if ":" in host else host
    links = {link: f"http://{shown}:{address[1]}{path}" for link, path in server.paths().items()}
    _tell(links, many, as_json=as_json)
    config = uvicorn.Config(
        server.app, log_level="error", ws="websockets-sansio", ws_max_size=16_384, ws_ping_interval=20
    )
    try:
        anyio.run(_run, uvicorn.Server(config), made, listening)
    except KeyboardInterrupt:
        return 130
    return 0


async def _run(server: Any, tables: list[Any], listening: socket.socket) -> None:
    """Serve until interrupted; tables end with the server."""
    async with anyio.create_task_group() as group:
        for table in tables:
            group.start_soon(table.run)
        await server.serve(sockets=[listening])
        group.cancel_scope.cancel()


def _casting(game: Game[Any], shipped: str) -> Callable[[str, int], Holder]:
    """Return what makes agents for a table; models compute in a thread, as the world does not wait."""
    models = Models(game, waits=False, shipped=shipped)

    def cast(name: str, seat: int) -> Holder:
        if name.partition(":")[0] == "human":
            raise SettingError(setting="agent", value=name, right="one that plays by itself: this seat has no link")
        return Cast(game.spec.kind, models).holder(name, seat)

    return cast


def _trace_path(folder: Path, game: str, table: int, tables: int, seed: int) -> Path:
    """Return a name that is free: what people have played cannot be played again."""
    name = file_name(game) + (f"-table{table}" if tables > 1 else "") + f"-{seed}"
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    return next(path for each in names if not (path := folder / f"{each}.jsonl").exists())


def _listen(host: str, port: int) -> socket.socket:
    """Take the port before anything is said of it.

    Raises:
        PortError: it is in use, or no such address is this machine's.
    """
    if not 0 <= port < 2**16:
        raise SettingError(setting="--port", value=port, right="0 to 65,535")
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server((address[0], port), family=family, backlog=128)
    except (OSError, UnicodeError) as error:
        number = error.errno if isinstance(error, OSError) else None
        said = os.strerror(number) if number is not None and number > 0 else str(error)
        raise PortError(host=host, port=port, problem=said.lower()) from error


def _tell(links: Mapping[Any, str], tables: int, *, as_json: bool) -> None:
    if as_json:
        told = [{"table": each.table, "role": each.role, "seat": each.seat, "url": url} for each, url in links.items()]
        typer.echo(msgspec.json.encode({"links": told}))
        return
    for each, url in links.items():
        who = f"seat {each.seat}" if each.role == "seat" else {"watcher": "to watch", "host": "to host"}[each.role]
        typer.echo(f"{f'table {each.table}, ' if tables > 1 else ''}{who}: {url}")
    typer.echo("whoever has a seat's link holds the seat; Ctrl-C ends it")
