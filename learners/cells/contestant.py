"""One team of an evaluation: a checkpoint, named adapters or the base; or why nobody plays."""

import re
from hashlib import blake2b
from typing import Self

import msgspec

from hocket.learners.cells.place import Place
from hocket.learners.match import Match
from hocket.replays.trace import installed_versions


class Contestant(msgspec.Struct, frozen=True, kw_only=True):
    """One team: a training seed of its cell, or the only one."""

    entry: int
    """Number of its entry in the file, from 0."""
    source: str
    """Where it comes from, as the file has it."""
    place: Place | None
    """None where that cannot be told."""
    match: Match | None = None
    """None where nobody plays. Adapters are named by the folders in which they were found."""
    weights: tuple[str, ...] = ()
    """Digest of the adapter of each seat; empty for the base itself."""
    base: str = ""
    """Digest."""
    adapters: dict[str, str] = {}
    """Digests by name; none for the base itself."""
    round: int | None = None
    """Of the checkpoint."""
    training_return: float | None = None
    """Team return of that round, in game points."""
    why: str = ""
    """Why nobody plays."""
    collapsed: bool = False
    """Whether that is because no round of its training had a positive return."""
    notes: tuple[str, ...] = ()
    """What a reader of its numbers must know."""

    def missing(self, why: str, *, collapsed: bool = False) -> Self:
        """Return the same where nobody plays."""
        return msgspec.structs.replace(self, why=why, collapsed=collapsed)

    @property
    def folder_name(self) -> str:
        """Of the folder for its traces: with other weights, rules or versions it is another one."""
        match = self.match and msgspec.structs.replace(self.match, agents=(), seeds=())
        known = msgspec.json.encode([match, self.base, self.adapters, installed_versions()], order="sorted")
        return f"{re.sub(r'[^A-Za-z0-9_.]+', '-', str(self.place))}-{blake2b(known, digest_size=4).hexdigest()}"
