"""`hocket games`: what can be played."""

from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from hocket.games import registry
from hocket.runtime.errors import UnknownNameError, UsageError
from hocket.runtime.game import Kind


def games(
    kind: Annotated[
        str | None, typer.Argument(metavar="[KIND]", help="Only one kind of game, e.g. overcooked.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> int:
    """List games, their layouts, seats and options.

    \b
    hocket games
    hocket games overcooked --json
    """
    kinds = registry.kinds()
    if kind is not None and kind not in kinds:
        raise UnknownNameError(kind="game", name=kind, known=kinds)
    found: dict[str, dict[str, Any]] = {}
    for name, family in kinds.items():
        if kind in (None, name):
            found[name] = {"about": family.about} | _told(name, family)
    if as_json:
        typer.echo(msgspec.json.encode(found))
        return 0
    console = Console(highlight=False)
    with console.capture() as drawn:
        for name, entry in found.items():
            console.print(f"[bold]{name}[/]: {entry['about']}", soft_wrap=True)
            if "missing" in entry:
                console.print(f"cannot be played here: {entry['missing']}\n", soft_wrap=True, markup=False)
                continue
            console.print(f"options: {', '.join(map(str, entry['options']))}", soft_wrap=True)
            table = Table("game", "seats", "usual length", box=None, padding=(0, 2, 0, 0))
            for game in entry["games"]:
                table.add_row(str(game["name"]), str(game["seats"]), f"{game['steps']} ticks")
            console.print(table)
            console.print()
    typer.echo(drawn.get(), nl=False)
    return 0


def _told(name: str, family: Kind) -> dict[str, Any]:
    """Tell what there is of a kind, or what it takes to play it: the others can be played without it."""
    variants = [f"{name}:{variant}" if variant else name for variant in family.variants()]
    try:
        made = [registry.make(variant) for variant in variants]
    except UsageError as error:
        return {"missing": str(error), "options": [], "games": [{"name": variant} for variant in variants]}
    options = [option.name for option in registry.library(made[0]).options]
    listed = [{"name": game.spec.name, "seats": game.seats, "steps": game.steps} for game in made]
    return {"options": options, "games": listed}
