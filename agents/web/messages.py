"""What is said over a WebSocket, as docs/protocol.md has it."""

from typing import Any, Literal, TypeAlias

import msgspec

from hocket.runtime.events import Cell, Event

PROTOCOL = 1
MOST_BYTES = 4096
"""Of a message from a client."""


class Choose(msgspec.Struct, frozen=True, tag="choose", forbid_unknown_fields=True):
    """A seat's answer to its open offer."""

    decision: int
    index: int


class Pause(msgspec.Struct, frozen=True, tag="pause", forbid_unknown_fields=True):
    """Let the world stand still, or go on."""

    paused: bool


class Again(msgspec.Struct, frozen=True, tag="again", forbid_unknown_fields=True):
    """Another episode."""


class SwapSeat(msgspec.Struct, frozen=True, tag="swap", forbid_unknown_fields=True):
    """Another agent for a seat."""

    seat: int
    agent: str


Said: TypeAlias = Choose | Pause | Again | SwapSeat
"""From a client."""


class Welcome(msgspec.Struct, frozen=True, tag="welcome", kw_only=True):
    """What a client has come to."""

    role: Literal["seat", "watcher", "host"]
    seat: int | None
    game: str
    seats: int
    steps: int
    hz: float
    interface: Literal["menu", "native"]
    map: dict[str, Any]
    links: dict[str, str] = {}
    """For the host alone: the path of each awaited seat, by its number, and of `watch`."""
    protocol: int = PROTOCOL


class Started(msgspec.Struct, frozen=True, tag="started"):
    """An episode has begun."""

    header: msgspec.Raw


class Seen(msgspec.Struct, frozen=True, tag="event"):
    """An event of the episode."""

    event: Event


class Place(msgspec.Struct, frozen=True):
    """One seat, as everybody may know it."""

    holder: str
    here: bool | None
    """Whether whoever it is meant for is there; None where nobody has to come."""
    doing: str
    """Key of its latest option; empty before the first."""
    going: bool
    """Whether that is under way."""


class State(msgspec.Struct, frozen=True, tag="state"):
    """How things stand."""

    phase: Literal["waiting", "playing", "paused", "over"]
    tick: int
    total: float
    returns: tuple[float, ...]
    places: tuple[Place, ...]
    scene: dict[str, Any]


class Entry(msgspec.Struct, frozen=True):
    """One line of a menu."""

    letter: str
    key: str
    option: str
    target: Cell | None
    words: str
    path: tuple[Cell, ...]


class Offered(msgspec.Struct, frozen=True, tag="offer"):
    """A seat is due."""

    seat: int
    decision: int
    tick: int
    menu: tuple[Entry, ...]
    observation: Any
    draw: float


class Ended(msgspec.Struct, frozen=True, tag="ended"):
    """An offer of this seat is over."""

    decision: int
    how: Literal["chosen", "lapsed"]


class Refused(msgspec.Struct, frozen=True, tag="refused"):
    """A message was no use; nothing has changed."""

    problem: str


class Over(msgspec.Struct, frozen=True, tag="over"):
    """An episode has ended."""

    total: float
    returns: tuple[float, ...]
    trace: str


_decoder = msgspec.json.Decoder(Said)
encode = msgspec.json.Encoder().encode


def understand(text: str | bytes) -> Said | str:
    """Read what a client says; return a sentence where it makes no sense."""
    data = text.encode(errors="replace") if isinstance(text, str) else text
    if len(data) > MOST_BYTES:
        return f"a message has {MOST_BYTES} bytes at most"
    try:
        return _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        return f"not understood: {error}"[:200]
