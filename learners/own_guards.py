"""A game's own guards: committed with it, or mined on first use and cached."""

import contextlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import structlog

from hocket import __version__
from hocket.games import registry
from hocket.learners.burn_in import burn_in, manifest
from hocket.learners.burn_log import Log
from hocket.learners.guard_file import GuardFile, decode_guards, fit, game_digest, read_guards, write_guards
from hocket.learners.guards import synthesize
from hocket.runtime.cache_folder import cache_folder
from hocket.runtime.errors import GuardError
from hocket.runtime.game import Game
from hocket.runtime.option import Library

SEED, EPISODES, STEPS = 1, 2000, 150
"""Of the burn-in that committed and cached guards are mined from: solo episodes, and as many of the team."""

_log = structlog.get_logger(__name__)


def own_guards(
    game: Game[Any], library: Library[Any], progress: Callable[[int], object] = lambda episodes: None
) -> GuardFile:
    """Return the guards of a game and library.

    Args:
        game: as it is set; a changed price makes it another game.
        library: of its options.
        progress: called with the number of episodes played, where guards must be mined.
    """
    committed = registry.guards(game, library.name)
    if committed is not None:
        file = decode_guards(committed, f"{game.spec.name}, committed")
        if _fits(file, game, library):
            return file
    name = f"{game_digest(game.spec)}-{library.digest}-{library.version}-{__version__}.json"
    folder = cache_folder("guards")
    if folder is not None:
        with contextlib.suppress(GuardError, OSError):
            file = read_guards(folder / name)
            if _fits(file, game, library):
                return file
    file = mine(game, library, progress)
    try:
        if folder is None:
            raise OSError("this user has no home")
        folder.mkdir(parents=True, exist_ok=True)
        write_guards(folder / name, file)
    except (OSError, GuardError) as error:
        _log.warning("mined guards cannot be kept", error=str(error))
    return file


def mine(game: Game[Any], library: Library[Any], progress: Callable[[int], object]) -> GuardFile:
    """Mine the guards of a game as the committed ones were mined, on its fastest engine."""
    game = registry.rebuild(registry.rules(game.spec))
    plan = manifest(
        game, library, seed=SEED, solo=EPISODES, team=EPISODES, steps=STEPS, starts="varied", policy="uniform"
    )
    with tempfile.TemporaryDirectory() as folder:
        log = Log.begin(Path(folder) / "log", plan)
        burn_in(log, progress=progress)
        return synthesize(log)


def _fits(file: GuardFile, game: Game[Any], library: Library[Any]) -> bool:
    try:
        fit(file, game, library, "")
    except GuardError:
        return False
    return True
