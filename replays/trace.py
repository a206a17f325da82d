"""The trace: a header and the events of one episode, a line each, hashes chained.

Every line is canonical JSON (UTF-8, sorted keys, no spaces): first
`{"hash":H,"header":{...},"n":0}`, then `{"event":{...},"hash":H,"n":1}` and so on.
H is the BLAKE2b-128 of the hash before it (nothing for the first) and of the bytes
of the header or event, in hexadecimal. A file whose name ends in `.zst` holds the
same lines in zstandard frames of 64 events. Nothing in it depends on wall time,
machine or path.
"""

import platform
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path

import msgspec
import zstandard

from hocket.replays.damage import Damage, find_damage
from hocket.runtime.errors import TraceError, TracePathError
from hocket.runtime.events import EpisodeEnded, Event
from hocket.runtime.game import Game, GameSpec
from hocket.runtime.option import Library

SCHEMA = 1
"""Counted up when a reader of the schema before could not read it any more."""


class LibraryMark(msgspec.Struct, frozen=True):
    """Which option library was played with."""

    name: str
    version: int
    digest: str


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


class Trace(msgspec.Struct, frozen=True):
    """A trace in memory."""

    header: Header
    events: tuple[Event, ...]
    torn: bool = False
    """Whether the file ends in the middle of a line, as after a crash."""
    path: str = ""

    @property
    def ended(self) -> bool:
        """Whether the last event says that the episode is over."""
        return bool(self.events) and isinstance(self.events[-1], EpisodeEnded)


encode_event = msgspec.json.Encoder(order="sorted").encode
"""One event, or a header, as canonical JSON."""
_decode_event = msgspec.json.Decoder(Event, strict=True).decode
_decode_header = msgspec.json.Decoder(Header, strict=True).decode


def make_header(
    game: Game[object], library: Library[object], *, seed: int, starts: str, steps: int, seats: Sequence[str]
) -> Header:
    """Write down what an episode depends on."""
    versions = {name: version(name) for name in ("hocket", "msgspec", "numpy")}
    return Header(
        schema=SCHEMA,
        game=game.spec,
        actions=game.actions,
        seed=seed,
        starts=starts,
        steps=steps,
        seats=tuple(seats),
        library=LibraryMark(library.name, library.version, library.digest),
        versions={**versions, "python": platform.python_version()},
    )


class Lines:
    """Turns a header and events into the lines of a trace, in order."""

    def __init__(self, header: Header) -> None:
        self._hash, self._number = b"", 0
        self.first = self._line(b"header", encode_event(header))

    def line(self, event: Event) -> bytes:
        """Return the next line, newline included."""
        return self._line(b"event", encode_event(event))

    def _line(self, kind: bytes, body: bytes) -> bytes:
        self._hash = chain(self._hash, body)
        number, self._number = self._number, self._number + 1
        if kind == b"header":
            return b'{"hash":"%s","header":%s,"n":0}\n' % (self._hash, body)
        return b'{"event":%s,"hash":"%s","n":%d}\n' % (body, self._hash, number)


def chain(before: bytes, body: bytes) -> bytes:
    """Return the hash of a line, 32 hexadecimal digits, from the hash before it and its body."""
    return blake2b(before + body, digest_size=16).hexdigest().encode()


def encode_trace(header: Header, events: Sequence[Event]) -> bytes:
    """Return a whole trace as bytes, uncompressed."""
    lines = Lines(header)
    return lines.first + b"".join(lines.line(event) for event in events)


def read_trace(path: Path | str) -> Trace:
    """Read and check a trace: schema, order, and every hash.

    Raises:
        TracePathError: nothing can be read there.
        TraceError: it is no trace, of a newer schema, or damaged: names the event, and
            the tick and field where they can be told.
    """
    content, torn = _content(Path(path))
    header, events = None, []
    before, tick = b"", 0
    for number, line in enumerate(_split(content)):
        if not line.endswith(b"\n"):
            torn = True
            break
        body = _body(line, number, before, path)
        before = chain(before, body)
        if number == 0:
            header = _header(body, path)
            continue
        event = _event(body, number, path)
        if event.tick < tick:
            raise TraceError(
                path=path, number=number, tick=event.tick, field="tick", problem=f"tick {event.tick} follows {tick}"
            )
        tick = event.tick
        events.append(event)
    if header is None:
        raise TraceError(path=path, problem="is empty" if not content else "is cut within its first line")
    return Trace(header, tuple(events), torn, str(path))


def _content(path: Path) -> tuple[bytes, bool]:
    try:
        content = path.read_bytes()
    except IsADirectoryError as error:
        raise TracePathError(path=path, problem="is a folder, not a trace") from error
    except OSError as error:
        raise TracePathError(path=path, problem=(error.strerror or "cannot be read").lower()) from error
    if path.suffix != ".zst":
        return content, False
    pieces = []
    while content:
        frame = zstandard.ZstdDecompressor().decompressobj()
        try:
            pieces.append(frame.decompress(content))
        except zstandard.ZstdError as error:
            raise TraceError(path=path, problem=f"is no zstandard file, or damaged: {error}") from error
        if not frame.eof:
            return b"".join(pieces), True
        content = frame.unused_data
    return b"".join(pieces), False


def _split(content: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(content):
        end = content.find(b"\n", start) + 1 or len(content)
        yield content[start:end]
        start = end


def _body(line: bytes, number: int, before: bytes, path: Path | str) -> bytes:
    """Return the bytes that a line's hash speaks for, once they agree with it."""
    body = take_apart(line, number)
    if body is not None and chain(before, body[0]) == body[1]:
        return body[0]
    if number == 0 and not line.startswith(b'{"hash":"'):
        raise TraceError(path=path, problem="is not a trace: its first line is no header")
    damage = find_damage(line, lambda candidate: _sound(candidate, number, before)) or Damage(
        None, None, _readable(line)
    )
    raise TraceError(path=path, number=number, tick=damage.tick, field=damage.field, problem=damage.problem)


def take_apart(line: bytes, number: int) -> tuple[bytes, bytes] | None:
    """Split a line into body and hash; None where it has not the form of line `number`."""
    if number == 0:
        head, tail = b'{"hash":"', b',"n":0}\n'
        middle = b'","header":'
        if not (line.startswith(head) and line.endswith(tail) and line[41:52] == middle):
            return None
        return line[52 : -len(tail)], line[9:41]
    tail = b'","n":%d}\n' % number
    if not (line.startswith(b'{"event":') and line.endswith(tail)):
        return None
    end = len(line) - len(tail)
    if line[end - 41 : end - 32] != b',"hash":"':
        return None
    return line[9 : end - 41], line[end - 32 : end]


def _sound(line: bytes, number: int, before: bytes) -> bool:
    parts = take_apart(line, number)
    return parts is not None and chain(before, parts[0]) == parts[1]


def _readable(line: bytes) -> str:
    try:
        msgspec.json.decode(line)
    except msgspec.DecodeError as error:
        return f"is not a line of a trace: {error}"
    return "its hash does not match: more than one byte was changed"


def _header(body: bytes, path: Path | str) -> Header:
    try:
        schema = msgspec.json.decode(body, type=dict[str, object]).get("schema")
        if isinstance(schema, int) and schema > SCHEMA:
            raise TraceError(
                path=path,
                number=0,
                field="schema",
                problem=f"is of schema {schema}, but this version reads up to {SCHEMA}",
            )
        return _decode_header(body)
    except msgspec.DecodeError as error:
        raise TraceError(path=path, number=0, problem=f"header cannot be read: {error}") from error


def _event(body: bytes, number: int, path: Path | str) -> Event:
    try:
        return _decode_event(body)
    except msgspec.DecodeError as error:
        raise TraceError(path=path, number=number, problem=f"is no event that this version knows: {error}") from error
