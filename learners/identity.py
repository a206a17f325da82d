"""What tells agents of one name apart: weights, code, recordings.

A score that was kept is that of an agent only as long as it is the same one: a base or an adapter whose
folder has other weights by now, a class that was edited, a trace that was recorded anew is another.
"""

import importlib.util
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

from hocket.agents.named_base import NO_ADAPTER, find_base, names_model, parse_model
from hocket.agents.shipped import shipped_adapter
from hocket.agents.spec import SCRIPTED
from hocket.learners.match import Match

_RECORDED = ("replayed", "taped")
_OWN = ("random", "idle", "human", *(f"scripted:{name}" for name in SCRIPTED))
"""Those that come with hocket, whose version is known."""


def identities(match: Match) -> tuple[str, ...]:
    """Return what each agent of a match is at this moment, beside its name; empty where its name says it all.

    Args:
        match: whose agents can be loaded.

    Returns:
        Digests, shape [seats].

    Raises:
        ModelError: a base that is not there any more.
    """
    return tuple(_identity(match, seat, agent) for seat, agent in enumerate(match.agents))


def _identity(match: Match, seat: int, agent: str) -> str:
    if names_model(agent):
        name, folder = parse_model(agent)
        adapter = shipped_adapter(match.terms.game, match.terms.library.name, seat) if not folder else Path(folder)
        weights = "" if adapter is None or folder == NO_ADAPTER else _of_folder(adapter)
        return f"{_base(name)} {weights}"
    if agent in _OWN:
        return ""
    form, _, rest = agent.partition(":")
    if form in _RECORDED:
        return _of_file(Path(rest))
    try:
        found = importlib.util.find_spec(form)
    except (ImportError, ValueError):
        return ""
    return "" if found is None or found.origin is None else _of_file(Path(found.origin))


@lru_cache(maxsize=8)
def _base(name: str) -> str:
    """Return the digest of a base, read once a process: its weights may be large."""
    return find_base(name).digest


def _of_folder(folder: Path) -> str:
    """Digest what is in an adapter's folder: weights, and how it is asked."""
    return " ".join(_of_file(path) for path in sorted(folder.iterdir())) if folder.is_dir() else ""


def _of_file(path: Path) -> str:
    try:
        known = path.stat()
    except OSError:
        return ""
    return _digest(path, known.st_mtime_ns, known.st_size)


@lru_cache(maxsize=64)
def _digest(path: Path, changed: int, size: int) -> str:
    """Digest a file once, as long as it is not touched."""
    return blake2b(path.read_bytes(), digest_size=8).hexdigest()
