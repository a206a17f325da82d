"""`hocket crossplay`: every agent with every other."""

import threading

import msgspec
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hocket.commands.arguments import AsJson
from hocket.commands.comparison import (
    Agents,
    Comparison,
    Episodes,
    GameName,
    Given,
    Guards,
    LibraryName,
    Out,
    Processes,
    Seed,
    Settings,
    Starts,
    Steps,
    play,
)
from hocket.learners.crossplay import Matrix, matrix, pairings
from hocket.leaving import leave

_WARM = ("on grey11", "on grey19", "on dark_red", "on red3", "on dark_orange3", "on orange3", "on gold3")
"""From the lowest return to the highest."""


def crossplay(
    game: GameName,
    agent: Agents = [],  # noqa: B006
    episodes: Episodes = 20,
    seed: Seed = 0,
    steps: Steps = None,
    starts: Starts = "standard",
    settings: Settings = [],  # noqa: B006
    library: LibraryName = "default",
    guards: Guards = "own",
    processes: Processes = None,
    out: Out = None,
    as_json: AsJson = False,
) -> int:
    """Play every agent with every other, and each with itself: a matrix of team returns.

    In a cell, the agent of the row holds one seat and that of the column all the others.

    \b
    hocket crossplay overcooked:asymmetric_advantages --agent scripted:cook --agent random --agent llm --out runs/cross
    """
    threads = threading.enumerate()
    given = Given(
        game=game,
        episodes=episodes,
        seed=seed,
        steps=steps,
        starts=starts,
        settings=settings,
        library=library,
        guards=guards,
    )
    comparison = Comparison(given)
    comparison.check_all(agent)
    pairs = list(pairings(comparison.terms, comparison.game.seats, agent, comparison.seeds))
    scores = play([match for _, match in pairs], processes, out)
    found = matrix(agent, [(number, match, score) for (number, match), score in zip(pairs, scores, strict=True)])
    if as_json:
        typer.echo(msgspec.json.encode({"game": comparison.game.spec.name, "episodes": episodes, "matrix": found}))
    else:
        _show(comparison.game.spec.name, comparison.game.seats, found)
    return leave(0, threads)


def _show(game: str, seats: int, found: Matrix) -> None:
    console = Console(highlight=False)
    others = "seat 1" if seats == 2 else "the other seats"
    with console.capture() as drawn:
        console.print(f"{game}, team return, 95% bootstrap interval\n", soft_wrap=True)
        table = Table(box=None, padding=(0, 2, 0, 0))
        table.add_column(f"{'seat 0' if seats == 2 else 'one seat'} \\ {others}", no_wrap=True)
        for name in found.agents:
            table.add_column(Text(name))
        rows = [found.cells[at : at + len(found.agents)] for at in range(0, len(found.cells), len(found.agents))]
        means = [cell.estimate.mean for cell in found.cells]
        for name, row in zip(found.agents, rows, strict=True):
            cells = [
                Text(
                    str(cell.estimate) + " failed" * bool(cell.failed),
                    style=_warmth(cell.estimate.mean, min(means), max(means)),
                )
                for cell in row
            ]
            table.add_row(Text(name), *cells)
        console.print(table)
        cross = "none: one agent" if found.cross_play is None else str(found.cross_play)
        console.print(f"\nself-play {found.self_play}; cross-play {cross}")
    typer.echo(drawn.get(), nl=False)


def _warmth(value: float, low: float, high: float) -> str:
    place = (value - low) / (high - low) if high > low else 0.0
    return _WARM[min(int(place * len(_WARM)), len(_WARM) - 1)]
