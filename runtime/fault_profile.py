"""What may go wrong, and how often: a simulated network and its agents' faults, as TOML.

    about = "An evening at home."

    [[link]]                    # all that crosses it, both ways, of every seat, unless it says which
    carries = ["choice"]
    latency = { kind = "uniform", least = 1, most = 4 }
    drop = 0.02

    [[partition]]               # also [[hold]] and [[crash]]: from a tick, for some ticks
    seats = [1]
    start = 50
    ticks = 20

    [[agent]]                   # a language model on a bad day
    latency = { kind = "log_normal", median = 3, sigma = 0.8, most = 60 }
    malformed = 0.05

Where several entries name a seat, each is applied. Everything is a chance per message or
decision, or a number of ticks.
"""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from hocket.runtime.latency import AT_ONCE, Latency, Ticks, Uniform

Chance: TypeAlias = Annotated[float, Meta(ge=0.0, le=1.0)]
Seat: TypeAlias = Annotated[int, Meta(ge=0, le=4096)]
Message: TypeAlias = Literal["offer", "choice"]
WINDOWS = ("partition", "hold", "crash")
"""What begins and ends, rather than happening to one message."""
SPOILS = ("late", "never", "twice", "malformed", "cut_off", "other_menu", "other_seat", "base", "stale")
"""What an agent can do to one answer."""


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    seats: tuple[Seat, ...] | None = None
    """None for every seat."""

    def concerns(self, seat: int) -> bool:
        """Whether it is about a seat."""
        return self.seats is None or seat in self.seats


class Link(_Entry, frozen=True):
    """What happens to messages between the runtime and a seat's agent."""

    carries: tuple[Message, ...] = ("offer", "choice")
    latency: Latency = AT_ONCE
    jitter: Ticks = 0
    """Up to so many ticks more, each as likely."""
    drop: Chance = 0.0
    duplicate: Chance = 0.0
    """The second copy takes the latency once more."""
    reorder: Chance = 0.0
    """That a message is late by 1 to `behind` ticks more, and may be overtaken; others keep their order."""
    behind: Annotated[int, Meta(ge=1, le=1_000_000)] = 8


class Window(_Entry, frozen=True):
    """A partition, a hold or a crash: when it begins, and how long it lasts."""

    start: Ticks = 0
    ticks: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    """None for good: it is never healed, released or restarted."""
    every: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    """It may come again after so many ticks; None for once."""
    spread: Ticks = 0
    """Each begins up to so many ticks later, each as likely."""
    chance: Chance = 1.0
    """Of each to come at all; seats are drawn apart."""


class AgentFaults(_Entry, frozen=True):
    """How an agent answers."""

    latency: Latency = AT_ONCE
    """How long it thinks."""
    late: Chance = 0.0
    lateness: Latency = Uniform(10, 60)
    """How much longer a late one thinks."""
    never: Chance = 0.0
    twice: Chance = 0.0
    malformed: Chance = 0.0
    cut_off: Chance = 0.0
    other_menu: Chance = 0.0
    """The answer is to the seat's offer before."""
    other_seat: Chance = 0.0
    """The answer is to an offer of another seat."""
    base: Chance = 0.0
    """The receipt is of the base, without the adapter; agents that have none answer as ever."""
    stale: Chance = 0.0
    """The receipt is of the version before; the same."""

    def __post_init__(self) -> None:
        total = sum(getattr(self, spoil) for spoil in SPOILS)
        if total > 1 + 1e-9:
            raise ValueError(f"the chances of its faults add up to {total:g}, which is more than 1")


class FaultProfile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Everything that may go wrong in an episode."""

    about: str = ""
    link: tuple[Link, ...] = ()
    partition: tuple[Window, ...] = ()
    """Messages that are sent meanwhile are lost."""
    hold: tuple[Window, ...] = ()
    """Messages that would arrive meanwhile arrive together at its end."""
    crash: tuple[Window, ...] = ()
    """The agent is not there: what is sent to it is lost, and what it was thinking about."""
    agent: tuple[AgentFaults, ...] = ()

    def seats(self) -> tuple[int, ...]:
        """Every seat that is named, in order."""
        entries = (*self.link, *self.partition, *self.hold, *self.crash, *self.agent)
        return tuple(sorted(dict.fromkeys(seat for entry in entries for seat in entry.seats or ())))
