"""Where an episode is recorded: a file that was named, or one by game and seed."""

import re
from collections.abc import Iterable
from pathlib import Path

from hocket.runtime.errors import TracePathError


def trace_path(named: Path | None, game: str, seed: int, agents: Iterable[str]) -> Path:
    """Return where to record.

    Args:
        named: on the command line; None for `traces/GAME-SEED.jsonl`.
        game: its full name.
        seed: of the episode.
        agents: who plays, by name.

    Raises:
        TracePathError: the folder cannot be made, or an agent plays from that very file.
    """
    path = _default(game, seed) if named is None else named
    for agent in agents:
        form, _, source = agent.partition(":")
        if form in ("replayed", "taped") and path.exists() and Path(source).exists() and path.samefile(source):
            raise TracePathError(path=path, problem=f"is what {agent} plays from; record to another file")
    return path


def _default(game: str, seed: int) -> Path:
    return made_folder(Path("traces")) / f"{file_name(game)}-{seed}.jsonl"


def made_folder(folder: Path) -> Path:
    """Return a folder for traces, which is made where it is not there.

    Raises:
        TracePathError: it cannot be.
    """
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise TracePathError(path=folder, problem=(error.strerror or "cannot be made").lower()) from error
    return folder


def file_name(game: str) -> str:
    """Return the name of a game as the beginning of a file's."""
    return re.sub(r"[^\w.-]+", "-", game)
