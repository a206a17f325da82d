"""The adapters that come with hocket, one a seat, by game and option library.

embedded/adapters/overcooked-asymmetric_advantages/default/seat0@v49
"""

import re
from importlib.resources import files
from pathlib import Path

from hocket.games import registry
from hocket.runtime.game import GameSpec


def shipped_adapter(game: GameSpec, library: str, seat: int) -> Path | None:
    """Return the folder of the adapter that comes for a seat; None where none does, or the game is set otherwise."""
    folder = Path(str(files("hocket.agents") / "embedded" / "adapters" / re.sub(r"\W", "-", game.name) / library))
    found = next(iter(sorted(folder.glob(f"seat{seat}@v*"))), None)
    return found if found is not None and registry.make(game.name).spec == game else None
