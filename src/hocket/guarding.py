"""What is hidden from menus, as `--guards` says."""

import sys
from typing import Any

from rich.console import Console
from rich.progress import Progress

from hocket.learners.guard_file import fit, read_guards
from hocket.learners.own_guards import EPISODES, own_guards
from hocket.runtime.game import Game
from hocket.runtime.guard import Guard
from hocket.runtime.option import Library


def hidden_by(choice: str, world: Game[Any], options: Library[Any]) -> tuple[Guard, ...]:
    """Return the guards that a choice names.

    Args:
        choice: `own`, the game's own, mined once where none come with it; `none`; or a guard file.
        world: the game.
        options: its option library.

    Raises:
        GuardError: a file that holds no guards, or not of this library.
    """
    if choice == "none":
        return ()
    if choice != "own":
        return fit(read_guards(choice), world, options, choice)
    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("mining guards", total=2 * EPISODES, visible=False)
        return own_guards(world, options, lambda episodes: progress.update(task, advance=episodes, visible=True)).guards
