"""Where a user's own cache of hocket stands."""

import os
from pathlib import Path


def cache_folder(room: str) -> Path | None:
    """Return the folder of one kind of cached thing; None where the user has no home."""
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hocket" / room
    except RuntimeError:
        return None
