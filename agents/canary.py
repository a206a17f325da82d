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
KNOWN = "known by its canary"
NOT_CHECKED = "not checked: nobody has measured its canary"
_WIDEST = max(TOLERANCES.values())


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
    dtype: str = "float32"
    """Number format in which they were measured."""

    def of_base(self) -> "Canary":
        """Return what the base itself is known by."""
        probes = tuple(Probe(each.prompt, each.among, each.base, each.base) for each in self.probes)
        return Canary(self.base, "", probes, self.dtype)

    def tolerance(self, serving: str) -> float:
        """Return how far an answer may be off that is computed in the number format `serving`."""
        return max(TOLERANCES.get(dtype, _WIDEST) for dtype in (self.dtype, serving))

    def queries(self, name: str) -> list[Query]:
        """Return the prompts as questions to the adapter of that name."""
        return [self.query(name, place) for place in range(len(self.probes))]

    def query(self, name: str, place: int) -> Query:
        """Return one of them."""
        probe = self.probes[place]
        return Query(name, probe.prompt, (), probe.among)

    def telling(self, serving: str) -> list[int]:
        """Return the places of the prompts that tell the adapter from its base."""
        least = APART * self.tolerance(serving)
        return [place for place, each in enumerate(self.probes) if distance(each.adapter, each.base) > least]

    def distinct(self, serving: str) -> bool:
        """Tell whether any prompt tells the adapter from its base."""
        return bool(self.telling(serving))

    def turn(self, number: int, serving: str) -> int:
        """Return the place of the prompt whose turn it is: one that tells, where any does."""
        places = self.telling(serving) or range(len(self.probes))
        return places[number % len(places)]

    def check(self, name: str, place: int, answer: Sequence[float], serving: str) -> None:
        """Hold an answer to the prompt at `place` against what is expected.

        An answer within the tolerance of the adapter's is nearer to it than to a base that is more than
        four tolerances away.

        Raises:
            AdapterMismatchError: it is not the adapter's, and so neither are the answers that came with it.
        """
        probe, tolerance = self.probes[place], self.tolerance(serving)
        off = distance(answer, probe.adapter)
        if off <= tolerance:
            return
        whose = "the base has" if distance(answer, probe.base) <= tolerance else "another adapter or base has"
        problem = f"{whose} answered: canary {place} is off by {off:.3g}, where {tolerance:g} is allowed"
        raise AdapterMismatchError(adapter=name or "(the base itself)", problem=problem)

    def check_all(self, name: str, answers: Sequence[Sequence[float]], serving: str) -> None:
        """Hold the answers to all prompts, in their order, against what is expected.

        Raises:
            AdapterMismatchError: one of them is not the adapter's.
        """
        for place, answer in enumerate(answers):
            self.check(name, place, answer, serving)


def foreign_token(canary: Canary, vocabulary: int) -> int | None:
    """Return a token of a canary that a base with so many does not have; None for none, or an unknown number."""
    if not vocabulary:
        return None
    tokens = (token for probe in canary.probes for token in (*probe.prompt, *probe.among))
    return next((token for token in tokens if not 0 <= token < vocabulary), None)


def standing(canary: Canary | None, serving: str, *, base: bool) -> str:
    """Say on a receipt what is known of who answered, once its canary has been heard.

    Args:
        canary: of the adapter, or of the base where that is asked; None where nobody has measured it.
        serving: number format of what answers.
        base: whether the base itself is asked.
    """
    if canary is None:
        return NOT_CHECKED
    return KNOWN if base or canary.distinct(serving) else INDISTINGUISHABLE


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
