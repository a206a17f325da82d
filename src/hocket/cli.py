"""The front door: `hocket COMMAND`, its exit codes, and one sentence for each mistake.

Exit codes: 0 it held; 1 a check did not hold; 2 the user's mistake; 130 interrupted;
141 whoever read the output went away.
"""

import contextlib
import io
import logging
import os
import sys
from pathlib import Path

import structlog
import typer

from hocket import __version__
from hocket.commands.adapter import adapter
from hocket.commands.audit import audit
from hocket.commands.burn_in import burn_in
from hocket.commands.certify import certify
from hocket.commands.crossplay import crossplay
from hocket.commands.diff import diff
from hocket.commands.evaluate import evaluate
from hocket.commands.explore import explore
from hocket.commands.fork import fork
from hocket.commands.games import games
from hocket.commands.guards import guards
from hocket.commands.join import join
from hocket.commands.meltingpot import meltingpot
from hocket.commands.play import play
from hocket.commands.report import report
from hocket.commands.rerun import rerun
from hocket.commands.serve import serve
from hocket.commands.sglang import sglang
from hocket.commands.solo import solo
from hocket.commands.timeline import timeline
from hocket.commands.train import train
from hocket.runtime.errors import HocketError

app = typer.Typer(
    name="hocket",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Live multi-agent episodes in spatial games: played, recorded, and run again.",
)
COMMANDS = (
    *(play, serve, join, solo, crossplay, certify, train, evaluate, explore),
    *(audit, report, rerun, fork, diff, timeline, games, burn_in, sglang),
)
for command in COMMANDS:
    app.command()(command)
app.add_typer(guards, name="guards")
app.add_typer(adapter, name="adapter")
app.add_typer(meltingpot, name="meltingpot")


@app.callback(invoke_without_command=True, epilog="Begin with: hocket play pantry --seat 0=random --seat 1=random")
def front(version: bool = typer.Option(False, "--version", help="Print the version and exit.")) -> None:
    """Live multi-agent episodes in spatial games: played, recorded, and run again."""
    if version:
        typer.echo(__version__)
        raise typer.Exit


def main() -> None:
    """Run a command and exit."""
    _mend_streams()
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    sys.exit(_exit_code())


def _mend_streams() -> None:
    """Let nothing that is printed fail for want of a stream or of a letter in its encoding."""
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _exit_code() -> int:
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except HocketError as error:
        typer.echo(f"hocket: {error}", err=True)
        return 2
    except (KeyboardInterrupt, typer.Abort):
        typer.echo("hocket: interrupted", err=True)
        return 130
    except (BrokenPipeError, SystemExit):  # typer makes an exit of a broken pipe; no command exits by itself
        _give_up_stdout()
        return 141
    except OSError as error:
        typer.echo(f"hocket: {(error.strerror or str(error)).lower()}: {error.filename or 'standard output'}", err=True)
        _give_up_stdout()
        return 2
    except UnicodeEncodeError as error:
        typer.echo(f"hocket: {error.object!r} is no text in UTF-8", err=True)
        return 2
    except ValueError as error:
        if "closed file" not in str(error):
            raise
        _give_up_stdout()
        return 141
    except Exception as error:
        code, message = getattr(error, "exit_code", None), getattr(error, "format_message", None)
        if code is None or message is None:
            raise
        if text := message():
            typer.echo(f"hocket: {text}", err=True)
        return int(code)
    return int(code or 0)


def _give_up_stdout() -> None:
    """Keep Python from flushing it once more on its way out."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
