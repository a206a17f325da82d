"""Eight prompts by whose log-probabilities an adapter is known.

The expected values are stored with the adapter when it is saved, the base's own beside
them; so a server can be checked without a second copy of the base. An answer must match
the adapter's within a tolerance. Where adapter and base do not differ by more than four
tolerances on any of the prompts, as with one that was never trained, nobody can tell
which of them has answered, and receipts say so.
"""

from collections.abc import Sequence
from math import inf, isfinite
from pathlib import Path

import msgspec

from hocket.agents.query import Query
from hocket.runtime.errors import AdapterError, AdapterMismatchError
from hocket.runtime.whole_file import write_whole

FILE = "canary.json"
PROBES = 8
TOLERANCES = {"float32": 1e-4, "bfloat16": 0.5, "float16": 0.1}
"""How far one log-probability may differ between two ways to compute it, by number format; see docs/figures.md."""
APART = 4
"""Tolerances by which adapter and base must differ to be told apart."""
INDISTINGUISHABLE = "indistinguishable from base"


class Probe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One prompt and what is expected of it."""

    prompt: tuple[int, ...]
    among: tuple[int, ...]
    """Candidates for the next token."""
    adapter: tuple[float, ...]
    """Their log-probabilities over the candidates, at temperature 1, with the adapter."""
    base: tuple[float, ...]
    """The same without it."""


class Canary(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one adapter is known by."""

    base: str
    """Digest of the base."""
    adapter: str
    """Digest of the adapter."""
    probes: tuple[Probe, ...]

    def queries(self, name: str) -> list[Query]:
        """Return the prompts as questions to the adapter of that name."""
        return [self.query(name, place) for place in range(len(self.probes))]

    def query(self, name: str, place: int) -> Query:
        """Return one of them; places go round."""
        probe = self.probes[place % len(self.probes)]
        return Query(name, probe.prompt, (), probe.among)

    def distinct(self, tolerance: float) -> bool:
        """Tell whether any prompt tells the adapter from its base."""
        return any(distance(probe.adapter, probe.base) > APART * tolerance for probe in self.probes)

    def check(self, name: str, place: int, answer: Sequence[float], tolerance: float) -> None:
        """Hold an answer to probe `place` against what is expected.

        Raises:
            AdapterMismatchError: it is not the adapter's, and so neither are the answers that came with it.
        """
        probe = self.probes[place % len(self.probes)]
        own, other = distance(answer, probe.adapter), distance(answer, probe.base)
        apart = distance(probe.adapter, probe.base) > APART * tolerance
        if own <= tolerance and not (apart and other <= own):
            return
        whose = "the base has answered" if other <= tolerance else "another adapter or base has answered"
        problem = f"{whose}: canary {place % len(self.probes)} is off by {own:.3g}, where {tolerance:g} is allowed"
        raise AdapterMismatchError(adapter=name or "(the base itself)", problem=problem)


def distance(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the largest difference of two lists of log-probabilities; infinite where one is no such list."""
    if len(one) != len(other) or not all(map(isfinite, one)):
        return inf
    return max(abs(mine - theirs) for mine, theirs in zip(one, other, strict=True))


def read_canary(folder: Path) -> Canary:
    """Read the canary of an adapter.

    Raises:
        AdapterError: the file does not read as one.
    """
    try:
        canary = msgspec.json.decode((folder / FILE).read_bytes(), type=Canary)
    except (msgspec.DecodeError, OSError) as error:
        raise AdapterError(adapter=str(folder), problem=f"{FILE} does not read as a canary: {error}") from error
    sizes = [{len(each.among), len(each.adapter), len(each.base)} for each in canary.probes]
    if not sizes or any(len(each) > 1 or 0 in each for each in sizes):
        raise AdapterError(adapter=str(folder), problem=f"{FILE} holds no whole probes")
    return canary


def write_canary(folder: Path, canary: Canary) -> None:
    """Put a canary beside the weights that it was measured on."""
    write_whole(folder / FILE, msgspec.json.format(msgspec.json.encode(canary)))
