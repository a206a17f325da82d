"""A syrupy extension that keeps a trace as its canonical lines, one file a snapshot.

Two traces are compared as episodes, not as bytes: with which versions of packages a
snapshot was taken stands in its header and may vary. Where they do not agree, the diff
says what an agent did differently before it shows lines.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import msgspec
import pytest
from syrupy.extensions.single_file import SingleFileSnapshotExtension
from syrupy.location import PyTestLocation
from syrupy.terminal import received_style, reset, snapshot_style
from syrupy.types import PropertyFilter, PropertyMatcher, SerializedData, SnapshotIndex

from hocket.replays.behaviour import agree, behaviour
from hocket.replays.difference import first_difference
from hocket.replays.trace import Header, Trace, encode_event, encode_trace, read_trace
from hocket.runtime.errors import SnapshotError, TraceError
from hocket.runtime.events import Event

_LINES = 4
"""Events of each side that a diff shows."""
_LONGEST = 200
"""Characters of such a line."""
_OWNERS = pytest.StashKey[dict[str, str]]()
"""Of a session: by file, the test that keeps its trace there."""
_decode = msgspec.json.Decoder(Event).decode


class _Lines(bytes):
    def __str__(self) -> str:
        """Keep it short where pytest shows what a fixture holds."""
        return f"{len(self.splitlines())} lines of a trace"


class Received(_Lines):
    """The lines of a trace, and the trace as it would be read from them."""

    given: Trace

    @cached_property
    def trace(self) -> Trace:
        """What a file of these lines would hold."""
        header = msgspec.json.decode(encode_event(self.given.header), type=Header)
        events = tuple(_decode(encode_event(event)) for event in self.given.events)
        return msgspec.structs.replace(self.given, header=header, events=events)


class Kept(_Lines):
    """The content of a snapshot, and where it stands; read as a trace when it is first asked for."""

    path: str

    @cached_property
    def trace(self) -> Trace | TraceError:
        """What the file holds, or what is wrong with it."""
        try:
            trace = read_trace(self.path)
        except TraceError as error:
            return error
        if trace.torn:
            return TraceError(path=self.path, problem=f"is torn: it was cut after event {len(trace.events)}")
        return trace


class TraceSnapshotExtension(SingleFileSnapshotExtension):
    """Keeps one trace in one file; `snapshot.use_extension(TraceSnapshotExtension)`."""

    file_extension = "jsonl"

    def serialize(
        self,
        data: object,
        *,
        exclude: PropertyFilter | None = None,
        include: PropertyFilter | None = None,
        matcher: PropertyMatcher | None = None,
    ) -> Received:
        """Return the canonical lines of a trace.

        Raises:
            TypeError: `data` is no trace, or a part of it is to be left out.
        """
        if not isinstance(data, Trace):
            raise TypeError(f"a trace snapshot keeps a Trace, not {type(data).__name__}")
        if exclude is not None or include is not None:
            raise TypeError("a trace is kept whole: its snapshot takes neither exclude nor include")
        lines = Received(encode_trace(data.header, data.events))
        lines.given = data
        return lines

    def read_snapshot_data_from_location(
        self, *, snapshot_location: str, snapshot_name: str, session_id: str
    ) -> Kept | None:
        """Return what was kept."""
        path = Path(snapshot_location)
        if not path.exists():
            return None
        kept = Kept(path.read_bytes())
        kept.path = snapshot_location
        return kept

    def matches(self, *, serialized_data: Any, snapshot_data: Any) -> bool:
        """Tell whether both are of one episode."""
        if serialized_data == snapshot_data:
            return True
        was = snapshot_data.trace
        return isinstance(was, Trace) and agree(was, serialized_data.trace)

    def diff_lines(self, serialized_data: SerializedData, snapshot_data: SerializedData) -> Iterator[str]:
        """Yield sentences, then the first lines that differ."""
        if not isinstance(serialized_data, Received) or not isinstance(snapshot_data, Kept):
            yield reset("write it with --snapshot-update")
            return
        was, now = snapshot_data.trace, serialized_data.trace
        if isinstance(was, TraceError):
            yield reset(f"{was}; --snapshot-update writes it anew")
            return
        yield from map(reset, behaviour(was, now))
        yield from _lines(was, now)

    @classmethod
    def get_location(cls, *, test_location: PyTestLocation, index: SnapshotIndex) -> str:
        """Return the file of a snapshot; a test that would keep its trace in another one's has failed."""
        location = super().get_location(test_location=test_location, index=index)
        owners = test_location.item.session.stash.setdefault(_OWNERS, {})
        test = test_location.item.nodeid + (f" ({index})" if index else "")
        owner = owners.setdefault(location, test)
        if owner != test:
            pytest.fail(str(SnapshotError(path=location, tests=(owner, test))), pytrace=False)
        return location

    @classmethod
    def matches_test_location(cls, *, test_location: PyTestLocation, snapshot_location: str) -> bool:
        """Tell whether a file is of a test, also where signs of the test's name are left out of the file's."""
        path, name = Path(snapshot_location), cls.get_snapshot_name(test_location=test_location)
        ours = path.parent == Path(cls.dirname(test_location=test_location))
        return ours and (path.stem == name or path.stem.startswith((f"{name}.", f"{name}[")))

    @classmethod
    def reserve(cls, session: pytest.Session, items: Iterable[pytest.Item]) -> None:
        """Give each test its file in order of collection, so that it is not a matter of who runs first, or where."""
        owners = session.stash.setdefault(_OWNERS, {})
        for item in items:
            owners.setdefault(super().get_location(test_location=PyTestLocation(item), index=0), item.nodeid)


def _lines(was: Trace, now: Trace) -> Iterator[str]:
    """The first events that differ, without hashes, since all behind a difference have others."""
    found = first_difference(was.events, now.events)
    if found is None:
        return
    pairs = list(zip_longest(was.events[found.number - 1 :], now.events[found.number - 1 :]))
    differ = [(number, old, new) for number, (old, new) in enumerate(pairs, found.number) if old != new]
    for number, old, new in islice(differ, _LINES):
        if old is not None:
            yield snapshot_style(f"- {number} {_cut(encode_event(old).decode())}")
        if new is not None:
            yield received_style(f"+ {number} {_cut(encode_event(new).decode())}")
    if len(differ) > _LINES:
        yield reset(f"... and {len(differ) - _LINES} more events, of {len(now.events)}")


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."
