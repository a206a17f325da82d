"""The front door: `hocket COMMAND`, its exit codes, and one sentence for each mistake.

Exit codes: 0 it held; 1 a check did not hold; 2 the user's mistake; 130 interrupted.
"""

import logging
import os
import sys

import structlog
import typer

from hocket import __version__
from hocket.commands.diff import diff
from hocket.commands.games import games
from hocket.commands.play import play
from hocket.commands.rerun import rerun
from hocket.commands.timeline import timeline
from hocket.runtime.errors import HocketError

app = typer.Typer(
    name="hocket",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Live multi-agent episodes in spatial games: played, recorded, and run again.",
)
for command in (play, rerun, diff, timeline, games):
    app.command()(command)


@app.callback(invoke_without_command=True)
def front(version: bool = typer.Option(False, "--version", help="Print the version and exit.")) -> None:
    """Live multi-agent episodes in spatial games: played, recorded, and run again."""
    if version:
        typer.echo(__version__)
        raise typer.Exit


def main() -> None:
    """Run a command and exit."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    sys.exit(_exit_code())


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
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except Exception as error:
        usage = getattr(error, "exit_code", None)
        if usage is None or not hasattr(error, "format_message"):
            raise
        typer.echo(f"hocket: {error.format_message()}", err=True)
        return int(usage)
    return int(code or 0)
