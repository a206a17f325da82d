"""`hocket solo`: each agent in each seat, with the others idle."""

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
from hocket.learners.solo import Solo, alone, solos
from hocket.leaving import leave


def solo(
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
    """Can an agent do the whole task alone? Each in each seat, while the others stand idle.

    \b
    hocket solo overcooked:asymmetric_advantages --agent scripted:cook --agent random
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
    seats = comparison.game.seats
    scores = play(list(alone(comparison.terms, seats, agent, comparison.seeds)), processes, out)
    found = solos(agent, seats, scores)
    if as_json:
        typer.echo(msgspec.json.encode({"game": comparison.game.spec.name, "episodes": episodes, "solos": found}))
    else:
        _show(comparison.game.spec.name, found)
    return leave(0, threads)


def _show(game: str, found: list[Solo]) -> None:
    console = Console(highlight=False)
    with console.capture() as drawn:
        console.print(f"{game}, one agent and idle others; team return, 95% bootstrap interval\n", soft_wrap=True)
        table = Table("agent", "seat", "return alone", "earned anything", box=None, padding=(0, 2, 0, 0))
        for each in found:
            able = f"{each.able} of {len(each.returns)}" + (f", failed {each.failed} times" if each.failed else "")
            table.add_row(Text(each.agent), str(each.seat), str(each.estimate), able)
        console.print(table)
    typer.echo(drawn.get(), nl=False)
