"""`hocket report`: everything that a folder holds, on one page."""

import os
from pathlib import Path
from typing import Annotated

import typer

from hocket.learners.report.report import report_page
from hocket.runtime.errors import SettingError
from hocket.runtime.whole_file import write_whole


def report(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Of traces, an evaluation, a certificate, a training, or several.")
    ],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where the page goes.  [default: FOLDER/report.html]")
    ] = None,
) -> int:
    """Put a folder on one page: returns with intervals, who did what, figures, an episode to step through.

    The page is one file that asks for nothing from anywhere, for screens and for paper.

    \b
    hocket report runs/evaluation
    hocket report traces --out report.html
    """
    path = folder / "report.html" if out is None else out
    _check(path, folder)
    page = report_page(folder)
    try:
        write_whole(path, page)
    except OSError as error:
        raise _unwritten(path, (error.strerror or str(error)).lower()) from error
    typer.echo(f"report: {path}")
    return 0


def _check(path: Path, folder: Path) -> None:
    """Find out before anything is read that the page has a place to go."""
    if path.is_dir():
        raise _unwritten(path, "is a folder")
    if folder.is_dir() and not path.parent.is_dir():
        raise _unwritten(path, "its folder is not there")
    if path.parent.is_dir() and not os.access(path.parent, os.W_OK):
        raise _unwritten(path, "permission denied")
    if path.suffix.lower() not in (".html", ".htm"):
        raise _unwritten(path, "it does not end in .html")


def _unwritten(path: Path, why: str) -> SettingError:
    return SettingError(setting="--out", value=str(path), right=f"a file that can be written, in .html ({why})")
