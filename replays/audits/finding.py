"""What an audit finds: counts that add up, and numbers that follow from them.

A finding of one trace plus that of another is the finding of both, so a folder of any
length is gone through with one trace in memory at a time.
"""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal, Self, TypeAlias

import msgspec

Unit: TypeAlias = Literal["share", "count", "number", "bits", "nats", "ticks", "points"]
"""`share` is of 1; `count` a mean over episodes."""


class Row(msgspec.Struct, frozen=True, omit_defaults=True):
    """One number, of each seat or of the team."""

    name: str
    unit: Unit
    seats: tuple[float | None, ...] = ()
    """Of each seat, shape [seats]; None where nothing can be said of it. Empty where it is no seat's."""
    team: float | None = None
    words: tuple[str, ...] = ()
    """What each seat's number is of, e.g. the name of its commonest action, shape [seats]."""


class Finding(msgspec.Struct, frozen=True):
    """What one audit found: counts, each field a number, a tuple or a mapping of numbers, or another finding."""

    same: ClassVar[tuple[str, ...]] = ()
    """Fields that are no counts, and the same in all traces of a game."""

    def __add__(self, other: Self) -> Self:
        """Return the finding of the traces of both."""
        fields = self.__struct_fields__
        mine, theirs = ([getattr(each, name) for name in fields] for each in (self, other))
        return type(self)(
            *(
                one if name in self.same else _total(one, two)
                for name, one, two in zip(fields, mine, theirs, strict=True)
            )
        )

    def rows(self) -> Iterator[Row]:
        """Yield its numbers, the most telling first."""
        raise NotImplementedError


class Absent(msgspec.Struct, frozen=True):
    """Why an audit has nothing to say."""

    reason: str


def added(one: Sequence[float], other: Sequence[float]) -> tuple[float, ...]:
    """Add numbers up place by place; the shorter one counts as 0 behind its end."""
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    return (*(a + b for a, b in zip(longer, shorter, strict=False)), *longer[len(shorter) :])


def _total(one: Any, other: Any) -> Any:
    """Add two values of one field up."""
    if isinstance(one, dict):
        return {name: one.get(name, 0) + other.get(name, 0) for name in sorted({*one, *other})}
    if isinstance(one, tuple) and any(isinstance(each, dict | tuple) for each in one):
        return tuple(map(_total, one, other))
    return added(one, other) if isinstance(one, tuple) else one + other


def ratio(part: float, whole: float) -> float | None:
    """Return a part of a whole, None where there is no whole."""
    return part / whole if whole else None


def gini(amounts: Sequence[float]) -> float | None:
    """Return the Gini coefficient of amounts that are not negative: 0 where all are alike; None where there is nothing.

    Source: Perolat et al., "A multi-agent reinforcement learning model of common-pool resource appropriation",
    NeurIPS 2017, section 2.3.
    """
    total = sum(amounts)
    if total <= 0:
        return None
    return sum(abs(one - other) for one in amounts for other in amounts) / (2 * len(amounts) * total)


def listed(seats: Sequence[int]) -> str:
    """Write seats: `0`, `0 and 1`, `0, 2 and 5`."""
    *most, last = map(str, seats)
    return f"{', '.join(most)} and {last}" if most else last
