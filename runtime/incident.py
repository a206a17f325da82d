"""One thing that goes wrong, at one message, one answer, or for some ticks.

A profile says how likely things are; incidents say what happened. The same incidents
make the same episode, so a schedule of them can be made smaller until only those that
matter are left. As text, as on a command line:

    drop:1:12:offer        the offer of seat 1's decision 12 is lost
    delay:1:12:choice:7    its choice takes 7 ticks (also duplicate, reorder)
    think:1:12:3           its agent takes 3 ticks to answer
    malformed:1:12         its answer cannot be read (also never, cut_off, other_menu, ...)
    late:1:12:30           it comes 30 ticks later than it would (also twice)
    partition:1:50:20      from tick 50 seat 1 is cut off for 20 ticks, 0 for good (also hold, crash)
"""

from typing import Protocol

import msgspec

from hocket.runtime.errors import SettingError
from hocket.runtime.fault_profile import SPOILS, WINDOWS

MESSAGES = ("drop", "delay", "duplicate", "reorder")
THINK = "think"
TIMED = ("delay", "duplicate", "reorder", THINK, "late", "twice", *WINDOWS)
"""Kinds that come with a number of ticks."""
KINDS = (*MESSAGES, THINK, *SPOILS, *WINDOWS)
_FORM = "KIND:SEAT:DECISION[:offer or choice][:TICKS], or KIND:SEAT:START:TICKS for partition, hold and crash"


class Incident(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One fault, as it happened or is to happen."""

    kind: str
    seat: int
    at: int
    """The decision that it is about; for a partition, a hold or a crash, the tick at which it begins."""
    message: str = ""
    """`offer` or `choice`, where it is about a message."""
    ticks: int = 0
    """How late, or how long; of a partition, a hold or a crash, 0 for good."""

    @property
    def until(self) -> float:
        """The tick at which a partition, a hold or a crash is over."""
        return self.at + self.ticks if self.ticks else float("inf")

    def __str__(self) -> str:
        parts = [self.kind, str(self.seat), str(self.at)]
        parts += [self.message] if self.message else []
        return ":".join([*parts, str(self.ticks)] if self.kind in TIMED else parts)


def read_incident(text: str) -> Incident:
    """Read an incident from its text.

    Raises:
        SettingError: it is not of that form.
    """
    kind, *rest = text.split(":")
    message = rest.pop(2) if kind in MESSAGES and len(rest) > 2 else ""
    right = (kind in MESSAGES) == (message in ("offer", "choice"))
    numbers = [int(each) for each in rest if each.isascii() and each.isdecimal() and len(each) < 10]
    if kind not in KINDS or not right or len(numbers) != len(rest) or len(numbers) != 2 + (kind in TIMED):
        raise SettingError(setting="fault", value=text, right=_FORM)
    return Incident(kind, numbers[0], numbers[1], message, numbers[2] if kind in TIMED else 0)


class Faults(Protocol):
    """What goes wrong in one episode; every question is a function of its arguments alone."""

    @property
    def windows(self) -> tuple[Incident, ...]:
        """Every partition, hold and crash, in order of their beginnings."""
        ...

    def message(self, message: str, seat: int, decision: int) -> tuple[Incident, ...]:
        """What happens to a message: its delay, and faults."""
        ...

    def thinking(self, seat: int, decision: int) -> Incident | None:
        """How long the agent thinks; None for no time."""
        ...

    def answer(self, seat: int, decision: int) -> Incident | None:
        """What the agent does to its answer."""
        ...
