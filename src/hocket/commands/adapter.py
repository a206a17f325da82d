"""`hocket adapter new|seal`: LoRA adapters for language models, and what their answers are known by."""

from pathlib import Path
from typing import Annotated

import typer

from hocket.agents.adapter import Adapter, read_adapter
from hocket.agents.canary import TOLERANCES, write_canary
from hocket.agents.fresh import fresh_adapter
from hocket.agents.frozen_base import find_base
from hocket.agents.models import open_local

adapter = typer.Typer(no_args_is_help=True, help="LoRA adapters: begin one, seal one.")

_Base = Annotated[
    str, typer.Option("--base", metavar="MODEL", help="Its base: llm, llm:smollm2 or llm:FOLDER, as for a seat.")
]


@adapter.command()
def new(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="New; best called NAME@v0.")],
    base: _Base = "llm",
    rank: Annotated[int, typer.Option(help="Of every layer.")] = 16,
    alpha: Annotated[float | None, typer.Option(help="Scale of the change is alpha / rank.  [default: 2 rank]")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same adapter.")] = 0,
    spread: Annotated[float, typer.Option(help="Other than 0: an adapter that answers at random, to test with.")] = 0.0,
) -> int:
    """Begin an adapter that answers as its base does, until it is trained.

    \b
    hocket adapter new adapters/ada@v0 --seed 1
    hocket play pantry --seat 0=llm#adapters/ada@v0
    """
    found = find_base(_name(base))
    fresh_adapter(folder, found, rank=rank, alpha=alpha, seed=seed, spread=spread)
    sealed = _sealed(folder, base)
    typer.echo(f"{folder}: {sealed.name} for {found.name}, rank {sealed.rank}, {_apart(sealed)}")
    return 0


@adapter.command()
def seal(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A PEFT folder.")],
    base: _Base = "llm",
) -> int:
    """Measure eight answers of an adapter and keep them beside it, so that a server can be checked by them.

    \b
    hocket adapter seal adapters/ada --base llm:smollm2
    """
    sealed = _sealed(folder, base)
    typer.echo(f"{folder}: {sealed.name}, rank {sealed.rank}, {_apart(sealed)}")
    return 0


def _name(base: str) -> str:
    return base.removeprefix("llm").removeprefix(":")


def _sealed(folder: Path, base: str) -> Adapter:
    found = find_base(_name(base))
    adapter = read_adapter(folder, found)
    local = open_local(found)
    from hocket.agents.seal import seal as measure

    write_canary(folder, measure(local, adapter))
    return read_adapter(folder, found)


def _apart(adapter: Adapter) -> str:
    tolerance = TOLERANCES["float32"]
    apart = adapter.canary is not None and adapter.canary.distinct(tolerance)
    return "its answers differ from its base's" if apart else "its answers are its base's"
