"""The trace: a header and the events of one episode, a line each, hashes chained.

Every line is canonical JSON (UTF-8, sorted keys, no spaces), in the form that
`line.py` describes. A file whose name ends in `.zst` holds the same lines in
zstandard frames, the header in one of its own, then 64 events in each. Nothing in
it depends on wall time, machine or path.
"""

import platform
import stat
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

from hocket.replays.damage import find_damage, hopeless, read_line
from hocket.replays.frames import OPENING, unpack
from hocket.replays.line import chain, is_sound, put_together, take_apart
from hocket.runtime.contract import Contract
from hocket.runtime.errors import TraceError, TracePathError
from hocket.runtime.events import EpisodeEnded, Event
from hocket.runtime.fault_profile import FaultProfile
from hocket.runtime.game import Game, GameSpec
from hocket.runtime.guard import Guard
from hocket.runtime.option import Library

SCHEMA = 2
"""Counted up when a reader of the schema before could not read it any more."""
_OPENING = b'{"hash":"'
_NO_HEADER = "is not a trace: its first line is no header"


class LibraryMark(msgspec.Struct, frozen=True):
    """Which option library was played with."""

    name: str
    version: int
    digest: str


class AgentMark(msgspec.Struct, frozen=True):
    """A language model that holds a seat, as far as its answers depend on it."""

    backend: str
    base: str
    """Name of the base model."""
    base_digest: str
    adapter: str
    """Versioned name; empty for the base itself."""
    adapter_digest: str
    style: dict[str, Any]
    """How it is asked, and how its answers are read."""
    prefix: tuple[int, ...]
    """Token ids with which each of its prompts begins; receipts hold the rest."""
    versions: dict[str, str]
    """Versions of what computes it here."""


class Terms(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is agreed beyond lockstep: how the world waits, what a seat owes, what was to go wrong."""

    pace: str
    """`lockstep`, `simulated` or `live`."""
    contracts: tuple[Contract, ...] = ()
    """One a seat; none where all are the default."""
    fallback: str = ""
    """Name of the agent that takes the seat of one that failed or missed too often."""
    faults: FaultProfile | None = None
    incidents: tuple[str, ...] = ()
    """What was to go wrong, in place of a profile."""


class Header(msgspec.Struct, frozen=True):
    """All that an episode depends on, apart from its agents' choices."""

    schema: int
    game: GameSpec
    actions: tuple[str, ...]
    """Names of the primitive actions; `joint` of an event holds indices into it."""
    seed: int
    starts: str
    steps: int
    seats: tuple[str, ...]
    """Name of the agent in each seat at the start."""
    library: LibraryMark
    versions: dict[str, str]
    """Versions of what can change a number: hocket, numpy, msgspec, python."""
    guards: tuple[Guard, ...] = ()
    """What was hidden from menus, and why."""
    agents: dict[str, AgentMark] = {}
    """The language models among the agents, by the name under which they hold seats."""
    terms: Terms | msgspec.UnsetType = msgspec.UNSET
    """Left out for plain lockstep."""

    @property
    def pace(self) -> str:
        """How the world waits: `lockstep`, `simulated` or `live`."""
        return "lockstep" if isinstance(self.terms, msgspec.UnsetType) else self.terms.pace

    @property
    def kind_of_start(self) -> str:
        """`standard`, `varied` or `scattered`, without the seed that it may be drawn from."""
        return self.starts.partition(":")[0]


class Trace(msgspec.Struct, frozen=True):
    """A trace in memory."""

    header: Header
    events: tuple[Event, ...]
    torn: bool = False
    """Whether the file ends in the middle of a line, as after a crash."""
    path: str = ""
    digest: str = ""
    """Hash of the last line that was read: the same for one episode however it is stored."""

    @property
    def ended(self) -> bool:
        """Whether the last event says that the episode is over."""
        return bool(self.events) and isinstance(self.events[-1], EpisodeEnded)


encode_event = msgspec.json.Encoder(order="sorted").encode
"""One event, or a header, as canonical JSON."""
_decode_event = msgspec.json.Decoder(Event, strict=True).decode
_decode_header = msgspec.json.Decoder(Header, strict=True).decode


def make_header(
    game: Game[object],
    library: Library[object],
    *,
    seed: int,
    starts: str,
    steps: int,
    seats: Sequence[str],
    guards: Sequence[Guard] = (),
    agents: Mapping[str, AgentMark] | None = None,
    terms: Terms | None = None,
) -> Header:
    """Write down what an episode depends on."""
    return Header(
        schema=SCHEMA,
        game=game.spec,
        actions=game.actions,
        seed=seed,
        starts=starts,
        steps=steps,
        seats=tuple(seats),
        library=LibraryMark(library.name, library.version, library.digest),
        guards=tuple(guards),
        agents=dict(agents or {}),
        versions=installed_versions(),
        terms=msgspec.UNSET if terms is None or terms == Terms("lockstep") else terms,
    )


def installed_versions() -> dict[str, str]:
    """Return the versions of what can change a number in a trace."""
    return {name: version(name) for name in ("hocket", "msgspec", "numpy")} | {"python": platform.python_version()}


class Lines:
    """Turns a header and events into the lines of a trace, in order."""

    def __init__(self, header: Header) -> None:
        self._hash, self._number = b"", 0
        self.first = self._next(encode_event(header))

    def line(self, event: Event) -> bytes:
        """Return the next line, newline included."""
        return self._next(encode_event(event))

    def _next(self, body: bytes) -> bytes:
        self._hash = chain(self._hash, body)
        number, self._number = self._number, self._number + 1
        return put_together(body, self._hash, number)


def encode_trace(header: Header, events: Sequence[Event]) -> bytes:
    """Return a whole trace as bytes, uncompressed."""
    lines = Lines(header)
    return lines.first + b"".join(lines.line(event) for event in events)


def begins_a_trace(start: bytes) -> bool:
    """Whether a file that begins so may be a trace, or the beginning of one; an empty one may."""
    return any(opening.startswith(start[: len(opening)]) for opening in (_OPENING, OPENING))


def read_trace(path: Path | str) -> Trace:
    """Read and check a trace: schema, order, and every hash.

    Raises:
        TracePathError: nothing can be read there.
        TraceError: it is no trace, of a newer schema, or damaged: names the event, and
            the tick and field where they can be told.
    """
    content, torn, damaged = _content(Path(path))
    header: Header | None = None
    events: list[Event] = []
    before, tick = b"", 0
    for number, line in enumerate(_split(content)):
        body, digest = take_apart(line, number)
        expected = chain(before, body)
        if digest != expected or put_together(body, expected, number) != line:
            if not line.endswith(b"\n") and not is_sound(line[:-1] + b"\n", number, before):
                torn = True
                break
            raise _damaged(line, number, before, path)
        before = expected
        if number == 0:
            header = _header(body, path)
            if not header.seats:
                raise TraceError(path=path, number=0, field="seats", problem="there are none")
            continue
        event = _event(body, number, path)
        seat = getattr(event, "seat", 0)
        if header is not None and not 0 <= seat < len(header.seats):
            problem = f"there is no seat {seat}: the header has {len(header.seats)}"
            raise TraceError(path=path, number=number, tick=event.tick, field="seat", problem=problem)
        if event.tick < tick:
            raise TraceError(
                path=path, number=number, tick=event.tick, field="tick", problem=f"tick {event.tick} follows {tick}"
            )
        tick = event.tick
        events.append(event)
    if damaged:
        number = len(events) + (header is not None)
        raise TraceError(
            path=path, number=number, problem="stands in a zstandard frame that is damaged, or none of ours"
        )
    if header is None:
        raise TraceError(path=path, problem=_headless(content, torn))
    return Trace(header, tuple(events), torn, str(path), before.decode())


def _content(path: Path) -> tuple[bytes, bool, bool]:
    """Return the lines as bytes, whether they are torn, and whether the frame behind them is damaged."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
            raise TracePathError(path=path, problem="is a device, not a trace")
        content = path.read_bytes()
    except IsADirectoryError as error:
        raise TracePathError(path=path, problem="is a folder, not a trace") from error
    except OSError as error:
        raise TracePathError(path=path, problem=(error.strerror or "cannot be read").lower()) from error
    if path.suffix != ".zst":
        return content, False, False
    unpacked = unpack(content)
    return unpacked.content, unpacked.torn, unpacked.damaged


def _split(content: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(content):
        end = content.find(b"\n", start) + 1 or len(content)
        yield content[start:end]
        start = end


def _headless(content: bytes, torn: bool) -> str:
    if not torn:
        return "is empty"
    return "is cut within its first line" if _OPENING.startswith(content[: len(_OPENING)]) else _NO_HEADER


def _damaged(line: bytes, number: int, before: bytes, path: Path | str) -> TraceError:
    """Say what is wrong with a line that is not sound."""
    damage = find_damage(line, number, before)
    if damage is None and number == 0:
        found = read_line(line)
        header = found.get("header") if isinstance(found, dict) else None
        if isinstance(header, dict) and _is_newer(header.get("schema")):
            return _newer(header["schema"], path)
        if not line.startswith(_OPENING):
            return TraceError(path=path, problem=_NO_HEADER)
    damage = damage or hopeless(line)
    return TraceError(path=path, number=number, tick=damage.tick, field=damage.field, problem=damage.problem)


def _is_newer(schema: object) -> bool:
    return isinstance(schema, int) and schema > SCHEMA


def _newer(schema: object, path: Path | str) -> TraceError:
    problem = f"is of schema {schema}, but this version reads up to {SCHEMA}"
    return TraceError(path=path, number=0, field="schema", problem=problem)


def _header(body: bytes, path: Path | str) -> Header:
    try:
        schema = msgspec.json.decode(body, type=dict[str, object]).get("schema")
        if _is_newer(schema):
            raise _newer(schema, path)
        return _decode_header(body)
    except (msgspec.DecodeError, RecursionError) as error:
        raise TraceError(path=path, number=0, problem=f"header cannot be read: {error}") from error


def _event(body: bytes, number: int, path: Path | str) -> Event:
    try:
        return _decode_event(body)
    except (msgspec.DecodeError, RecursionError) as error:
        raise TraceError(path=path, number=number, problem=f"is no event that this version knows: {error}") from error
