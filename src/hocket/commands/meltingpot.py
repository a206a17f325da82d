"""`hocket meltingpot install|where`: the substrates of Melting Pot, in the user's cache."""

from typing import Annotated

import msgspec
import typer

from hocket.games.meltingpot.download import install as fetch
from hocket.games.meltingpot.machine import needed
from hocket.games.meltingpot.sources import VERSION, read_manifest, substrates

meltingpot = typer.Typer(no_args_is_help=True, help="Melting Pot: its substrates, installed and found.")


@meltingpot.command()
def install(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> int:
    """Fetch the substrates from the registry that pip is configured with, once.

    \b
    pip install 'hocket[meltingpot]'
    hocket meltingpot install
    """
    needed()
    fetched = fetch()
    folder = substrates()
    sizes = read_manifest(folder).files.values()
    if as_json:
        told = {"folder": str(folder), "version": VERSION, "files": len(sizes), "bytes": sum(sizes), "fetched": fetched}
        typer.echo(msgspec.json.encode(told))
        return 0
    there = "" if fetched else ", there already"
    typer.echo(f"{folder}: Melting Pot {VERSION}, {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB{there}")
    return 0


@meltingpot.command()
def where() -> int:
    """Print the folder that holds the substrates.

    \b
    hocket meltingpot where
    """
    typer.echo(substrates())
    return 0
