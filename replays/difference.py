"""The first event at which two sequences of events part, and in which field."""

from collections.abc import Iterable
from itertools import zip_longest
from typing import Any

import msgspec

from hocket.runtime.events import EpisodeEnded, Event, Stepped

_LONGEST = 160
"""Characters of a value in a sentence."""


class Difference(msgspec.Struct, frozen=True):
    """Where two sequences part."""

    number: int
    """Of the event in the trace; 0 is the header."""
    tick: int | None
    field: str
    """Path of the field; `type` where the events are of different kinds."""
    one: object
    other: object

    def sentence(self, one: str, other: str) -> str:
        """Say it in words; `one` and `other` say whose the values are."""
        place = "the header" if self.number == 0 else f"event {self.number}"
        place += "" if self.tick is None else f" (tick {self.tick})"
        return f"{place}, field {self.field}: {shown(self.one)} {one}, {shown(self.other)} {other}"


def shown(value: object) -> str:
    """Write a value as it stands in a sentence, cut where it is long."""
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def between(number: int, one: Event | None, other: Event | None) -> Difference | None:
    """Compare two events of the same number; None where they are equal."""
    if type(one) is type(other) and one == other and not _differ(_floats(one), _floats(other)):
        return None
    tick = one.tick if one is not None else other.tick if other is not None else None
    if one is None or other is None or type(one) is not type(other):
        return Difference(number, tick, "type", _kind(one), _kind(other))
    field, was, now = parting(msgspec.to_builtins(one), msgspec.to_builtins(other))
    return Difference(number, tick, field, was, now)


def first_difference(ones: Iterable[Event], others: Iterable[Event], start: int = 1) -> Difference | None:
    """Return the first difference of two sequences of events, the first of which has number `start`."""
    for number, (one, other) in enumerate(zip_longest(ones, others), start):
        difference = between(number, one, other)
        if difference is not None:
            return difference
    return None


def parting(one: Any, other: Any) -> tuple[str, Any, Any]:
    """Return the dotted path of the first leaf in which two decoded values differ, and both leaves."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in (*sorted(one), *sorted(other.keys() - one.keys())):
            if key not in one or key not in other:
                return key, one.get(key), other.get(key)
            if _differ(one[key], other[key]):
                return _below(key, one[key], other[key])
    if isinstance(one, list | tuple) and isinstance(other, list | tuple) and len(one) == len(other):
        for place, pair in enumerate(zip(one, other, strict=True)):
            if _differ(*pair):
                return _below(str(place), *pair)
    return "", one, other


def _differ(one: Any, other: Any) -> bool:
    """Compare two decoded values as they are written: 0.0 is not -0.0, nor 1 true."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() != other.keys() or any(_differ(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) != len(other) or any(map(_differ, one, other))
    return type(one) is not type(other) or one != other or repr(one) != repr(other)


def _floats(event: Event | None) -> object:
    """The numbers of an event whose sign would go unseen where they are zero."""
    match event:
        case Stepped():
            return event.rewards, [each.amount for each in event.events]
        case EpisodeEnded():
            return event.returns
        case _:
            return ()


def _below(key: str, one: Any, other: Any) -> tuple[str, Any, Any]:
    path, was, now = parting(one, other)
    return f"{key}.{path}" if path else key, was, now


def _kind(event: Event | None) -> str | None:
    return None if event is None else str(event.__struct_config__.tag)
