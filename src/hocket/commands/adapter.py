"""`hocket adapter new|seal`: LoRA adapters for language models, and what their answers are known by."""

import shutil
from pathlib import Path
from typing import Annotated

import typer

from hocket.agents.adapter import Adapter, read_adapter
from hocket.agents.canary import write_canary
from hocket.agents.fresh import fresh_adapter
from hocket.agents.llm import Backend
from hocket.agents.models import open_backend
from hocket.agents.named_base import find_base, parse_model
from hocket.runtime.errors import SettingError

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
    local = _opened(base)
    fresh_adapter(folder, local.base, rank=rank, alpha=alpha, seed=seed, spread=spread)
    try:
        sealed = _sealed(folder, local)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    typer.echo(f"{folder}: {sealed.name} for {local.base.name}, rank {sealed.rank}, {_apart(sealed, local)}")
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
    local = _opened(base)
    sealed = _sealed(folder, local)
    typer.echo(f"{folder}: {sealed.name}, rank {sealed.rank}, {_apart(sealed, local)}")
    return 0


def _opened(base: str) -> Backend:
    name, adapter = parse_model(base)
    if adapter:
        raise SettingError(setting="--base", value=base, right="a model without an adapter")
    return open_backend(find_base(name))


def _sealed(folder: Path, local: Backend) -> Adapter:
    from hocket.agents.seal import seal as measure

    write_canary(folder, measure(local, read_adapter(folder, local.base, sealed=False)))
    return read_adapter(folder, local.base)


def _apart(adapter: Adapter, local: Backend) -> str:
    apart = adapter.canary is not None and adapter.canary.distinct(local.dtype)
    return "its answers differ from its base's" if apart else "its answers are its base's"
