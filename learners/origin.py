"""What a run depends on beside its code, and how two runs differ in it."""

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import msgspec

from hocket.agents.style import Style
from hocket.learners.config import Config
from hocket.runtime.game import GameSpec


class Origin(msgspec.Struct, frozen=True):
    """What a run depends on beside its code."""

    preset: str
    """Its name, for people: all that it says stands in `config`."""
    config: Config
    base: str
    """Digest."""
    style: Style
    """How the base is to be asked, where the configuration leaves that open."""
    game: str
    """Digest of all that the game is built from, a whole layout included."""
    library: str
    versions: dict[str, str]
    recorded: bool | None = None
    """Whether it learns from recorded rollouts, not its own; None where it is of before that was written down."""

    def differences(self, other: "Origin") -> list[str]:
        """Say in which keys another run differs; one content under two names, or in two places, is no difference."""
        ours, theirs = _plain(self), _plain(other)
        theirs["preset"] = ours["preset"]
        if self.recorded is None:
            theirs["recorded"] = None
        for content, part, name in (("base", "model", "base"), ("game", "game", "name")):
            if theirs[content] == ours[content]:
                theirs["config"][part][name] = ours["config"][part][name]
        return list(_differences(ours, theirs))


def game_digest(spec: GameSpec) -> str:
    """Return the digest of a game, as 16 hexadecimal digits."""
    return blake2b(msgspec.json.encode(spec, order="deterministic"), digest_size=8).hexdigest()


def _plain(origin: Origin) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(origin))
    return plain


def _differences(ours: object, theirs: object, where: str = "") -> Iterable[str]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted({*ours, *theirs}):
            yield from _differences(ours.get(key), theirs.get(key), f"{where}.{key}" if where else str(key))
    elif ours != theirs:
        yield f"{where.removeprefix('config.')} was {_shown(ours)} and is {_shown(theirs)}"


def _shown(value: object) -> str:
    return msgspec.json.encode(value).decode()
