"""`hocket train`: adapters that learn from episodes."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from hocket.commands.arguments import checked_count
from hocket.learners.preset import Preset, names, read_preset
from hocket.runtime.errors import MissingError, MissingExtraError

if TYPE_CHECKING:  # torch is large, and not always there
    from hocket.learners.loop import Training
    from hocket.learners.metrics import Telling
    from hocket.learners.outcome import Outcome

_SHOWN = 12
"""Rounds in the live table."""
_COLUMNS = {
    "K": "rollouts.cohort",
    "rate": "optimiser.learning_rate",
    "rank": "lora.rank",
    "T": "rollouts.temperature",
    "KL": "update.kl",
    "rounds": "rounds",
}
_CAPTION = "in brackets: ours; the rest: the paper's. hocket train --list PRESET shows every key and its source"


def train(
    preset: Annotated[
        str | None, typer.Argument(metavar="PRESET", help="A name from --list, or a file that ends in .toml.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="RUN", help="Folder of the run; new.")] = None,
    settings: Annotated[
        list[str], typer.Option("--set", metavar="KEY=VALUE", help="Change a key, e.g. seed=3 or rollouts.cohort=4.")
    ] = [],  # noqa: B006
    listed: Annotated[
        bool, typer.Option("--list", help="List the presets; with PRESET, its keys and sources.")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in RUN, bit for bit.")] = False,
    traces: Annotated[
        Path | None,
        typer.Option("--from", metavar="FOLDER", help="Learn from recorded rollouts, a folder v0, v1, ... a round."),
    ] = None,
    url: Annotated[str | None, typer.Option(help="Play rollouts on this SGLang server; the update stays here.")] = None,
    threads: Annotated[int, typer.Option(help="Of torch; more than one may change the last bits.")] = 1,
    quiet: Annotated[bool, typer.Option("--quiet", help="No table.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> int:
    """Train the adapters of a team, as a preset says, and evaluate them.

    Two roles in a minute, on a CPU:

    \b
    hocket train pantry-tiny --out runs/pantry
    hocket play pantry:roles --seat 0=llm#runs/pantry/adapters/seat0@v40 --seat 1=llm#runs/pantry/adapters/seat1@v40

    What there is, and where each number of one comes from:

    \b
    hocket train --list
    hocket train --list overcooked-aa-qwen3-4b
    """
    if listed:
        return _list(preset, settings, as_json=as_json)
    if preset is None:
        raise MissingError(argument="PRESET", what=f"one of {', '.join(names())}, or a file")
    if out is None:
        raise MissingError(argument="--out", what="the folder that the run is kept in")
    chosen = read_preset(preset, settings)
    console = Console(highlight=False)
    live = console.is_terminal and not quiet and not as_json
    with (
        _open(
            chosen, out, resume=resume, traces=traces, url=url, threads=checked_count("--threads", threads)
        ) as training,
        _Shown(console, chosen, live=live, quiet=quiet or as_json) as told,
    ):
        try:
            outcome = training.run(told)
        except KeyboardInterrupt:
            typer.echo(f"hocket: interrupted; --resume goes on with {out}", err=True)
            return 130
    if as_json:
        typer.echo(msgspec.json.encode(outcome))
    else:
        _report(console, outcome, out)
    return 0


def _open(chosen: Preset, out: Path, *, resume: bool, traces: Path | None, url: str | None, threads: int) -> "Training":
    try:
        from hocket.learners.loop import Training
    except ImportError as error:
        raise MissingExtraError(extra="learn", needed_for="training") from error
    return Training(chosen.name, chosen.config, out, resume=resume, traces=traces, url=url, threads=threads)


def _marked(value: object, source: str) -> str:
    return f"{value}" if source == "paper" else f"({value})"


def _list(preset: str | None, settings: list[str], *, as_json: bool) -> int:
    if as_json:
        shown = [read_preset(name) for name in names()] if preset is None else [read_preset(preset, settings)]
        keys = {
            each.name: {key: {"value": value, "source": source} for key, value, source in each.listing()}
            for each in shown
        }
        typer.echo(msgspec.json.encode(keys))
        return 0
    if preset is None:
        rows = Table("preset", "what", *_COLUMNS.keys(), box=None, padding=(0, 2, 0, 0), caption=_CAPTION)
        for name in names():
            found = read_preset(name)
            told = {key: (value, source) for key, value, source in found.listing()}
            rows.add_row(name, Text(found.config.about), *(_marked(*told[key]) for key in _COLUMNS.values()))
    else:
        rows = Table("key", "value", "source", box=None, padding=(0, 2, 0, 0))
        for key, value, source in read_preset(preset, settings).listing():
            rows.add_row(key, Text(msgspec.json.encode(value).decode()), source)
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 200)
    console.print(rows)
    return 0


class _Shown:
    """The last rounds as a table that is drawn anew, or a line a round where there is no terminal."""

    def __init__(self, console: Console, preset: Preset, *, live: bool, quiet: bool) -> None:
        self._rounds, self._quiet = preset.config.rounds, quiet
        self._tellings: list[Telling] = []
        self._live = Live(console=console, auto_refresh=False) if live else None

    def __enter__(self) -> "_Shown":
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, telling: "Telling") -> None:
        """Show a round."""
        for why in telling.refused:
            typer.echo(f"hocket: refused: {why}", err=True)
        if telling.unheard and telling.round == 0:
            typer.echo(f"hocket: {_unheard(telling)}", err=True)
        self._tellings = [*self._tellings[1 - _SHOWN :], telling]
        if self._live is not None:
            self._live.update(_table(self._tellings, self._rounds), refresh=True)
        elif not self._quiet:
            nothing = "" if telling.without_spread < 1 else "; no cohort has spread: nothing to learn"
            seconds = sum(telling.seconds.values())
            typer.echo(
                f"round {telling.round + 1}/{self._rounds}: return {telling.team_return:.2f}, {seconds:.1f} s{nothing}"
            )


def _unheard(telling: "Telling") -> str:
    did = ", ".join(telling.events) or "nothing"
    return f"update.shaping: no {' and no '.join(telling.unheard)} in the first round; what happened: {did}"


def _table(tellings: "list[Telling]", rounds: int) -> Table:
    rows = Table(
        "round", "return", "kl", "clipped", "entropy", "decisions/s", "options", box=None, padding=(0, 2, 0, 0)
    )
    for each in tellings:
        updated = list(each.updated.values())
        mean = (
            {part: sum(its[part] for its in updated) / len(updated) for part in ("kl", "clipped", "entropy")}
            if updated
            else {}
        )
        numbers = [f"{mean[part]:.3f}" if mean else "-" for part in ("kl", "clipped", "entropy")]
        rows.add_row(
            f"{each.round + 1}/{rounds}",
            f"{each.team_return:.2f}" + (" (no spread)" if each.without_spread == 1 else ""),
            *numbers,
            f"{each.decisions / max(sum(each.seconds.values()), 1e-9):.0f}",
            Text("; ".join(f"{seat}: {_most(shares)}" for seat, shares in each.shares.items())),
        )
    return rows


def _most(shares: dict[str, float]) -> str:
    first = sorted(shares.items(), key=lambda pair: -pair[1])[:3]
    return " ".join(f"{name} {share:.0%}" for name, share in first)


def _report(console: Console, outcome: "Outcome", out: Path) -> None:
    best = "" if outcome.best_return is None else f" of {outcome.best_return:g}"
    console.print(f"[bold]return {outcome.final_return:.2f}[/]{best}, over {len(outcome.returns)} evaluation episodes")
    if outcome.greedy_return is not None:
        console.print(f"likeliest choices: {outcome.greedy_return:.2f}")
    for seat, value in outcome.solo_returns.items():
        console.print(f"seat {seat} alone: {value:.2f}")
    events = ", ".join(f"{value:.1f} {kind}" for kind, value in outcome.events.items())
    console.print(f"in an episode: {events or 'nothing happened'}")
    console.print(
        f"{outcome.rounds} rounds, {outcome.seconds:.0f} s; cohorts without spread: {outcome.without_spread:.0%}"
    )
    for seat, folder in outcome.adapters.items():
        typer.echo(f"seat {seat}: llm#{out / folder}")
