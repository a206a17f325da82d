"""`hocket evaluate`: the cells of a file on held-out seeds, with intervals and tests."""

import sys
import threading
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from hocket.commands.arguments import AsJson
from hocket.commands.comparison import Processes, bar, checked_processes
from hocket.learners.cells.ablation import Ablation
from hocket.learners.cells.plan import read_plan
from hocket.learners.cells.report import RESULTS, Report
from hocket.learners.cells.text import as_csv, as_markdown, as_text
from hocket.leaving import leave
from hocket.runtime.errors import MissingError, SettingError
from hocket.runtime.whole_file import writable, write_whole


def evaluate(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="A TOML file that says who plays in each cell.")],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Keep everything there, and go on from it.  [default: CONFIG-evaluation]"),
    ] = None,
    processes: Processes = None,
    as_json: AsJson = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the tables as Markdown.")] = False,
    as_rows: Annotated[bool, typer.Option("--csv", help="Print the tables as CSV.")] = False,
) -> int:
    """Evaluate trained teams by the paper's protocol: 20 episodes on seeds 10,000 to 10,019, and tables as there.

    Exit code 1: every cell is empty.

    \b
    hocket evaluate cells.toml
    hocket evaluate cells.toml --out runs/cells --processes 4 --markdown

    A run, and beside it its base without adapters:

    \b
    [\\[cell]]
    run = "runs/aa"
    [\\[cell]]
    preset = "overcooked-aa-tiny"
    capacity = "frozen"
    """
    threads = threading.enumerate()
    wanted = [name for name, given in (("--json", as_json), ("--markdown", markdown), ("--csv", as_rows)) if given]
    if len(wanted) > 1:
        raise SettingError(setting=wanted[1], value="given", right=f"left out with {wanted[0]}")
    share = checked_processes(processes)
    with redirect_stdout(sys.stderr):  # models and games may print; what is asked for is not theirs
        ablation = Ablation(read_plan(config), folder := _folder(config, out))
        report = _played(ablation, share)
    printed = {"--json": _json(report), "--markdown": as_markdown(report), "--csv": as_csv(report)}
    _keep(folder, {RESULTS: printed["--json"], "table.md": printed["--markdown"], "table.csv": printed["--csv"]})
    typer.echo(printed[wanted[0]] if wanted else f"{as_text(report)}\nkept in {folder}", nl=not wanted)
    nobody = not any(cell.teams for cell in report.cells)
    if nobody:
        typer.echo("hocket: nobody has played: every cell is empty, and the tables say why", err=True)
    return leave(int(nobody), threads)


def _folder(config: Path, out: Path | None) -> Path:
    if out is not None:
        return out
    if config.suffix != ".toml":
        raise MissingError(argument="--out FOLDER", what=f"{config} does not end in .toml, so there is no name for it")
    return config.with_name(f"{config.stem}-evaluation")


def _played(ablation: Ablation, processes: int) -> Report:
    with bar(ablation.pieces) as advance:
        return ablation.play(processes, lambda number: advance())


def _json(report: Report) -> str:
    return msgspec.json.format(msgspec.json.encode(report)).decode() + "\n"


def _keep(folder: Path, contents: dict[str, str]) -> None:
    """Write what came of it.

    Raises:
        FileError: the folder cannot be written.
    """
    with writable(folder):
        for name, content in contents.items():
            write_whole(folder / name, content.encode())
