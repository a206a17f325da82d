"""Which byte of a damaged line was changed, and which field it belongs to.

A hash that does not match says that a line is damaged, not where. Where one byte
was changed, as by a fault of a disk or a hand, it can be put back: what stands
around the body is known, the hash follows from the body, and in the body every
other byte in every place is tried until the hash matches. So the field is named
for certain, and its old value with it.
"""

import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any

import msgspec
import numpy as np

from hocket.replays.difference import parting, shown
from hocket.replays.line import HASH, chain, put_together, take_apart

LONGEST = 8192
"""Longest body that is searched, in bytes; it takes a few seconds."""
_TEXT = [bytes([byte]) for byte in range(0x20, 0x7F)]
_BEYOND = [bytes([byte]) for byte in range(0x80, 0x100)]


class Damage(msgspec.Struct, frozen=True):
    """What is known about a damaged line."""

    tick: int | None
    field: str | None
    problem: str


class _Number(str):
    """A decimal number as it is written, so that 0.0 and 0e0 differ."""

    __slots__ = ()
    __repr__ = str.__str__


_decode = msgspec.json.Decoder(float_hook=_Number).decode


def find_damage(line: bytes, number: int, before: bytes) -> Damage | None:
    """Find the one changed byte of a line that is not sound; None where no single byte explains it.

    Args:
        line: as it was read; where its end was changed, what follows it too.
        number: which line of the trace it is.
        before: hash of the line before.
    """
    original = _original(line, number, before)
    if original is None:
        return None
    was, now = read_line(original), read_line(line)
    if now is None:
        place = next(place for place, (one, other) in enumerate(zip(line, original, strict=False)) if one != other)
        return Damage(_tick(was), None, f"byte {place + 1} of the line was changed, so that it cannot be read")
    field, old, new = parting(was, now)
    if not field:
        return Damage(_tick(was), None, "its last byte was changed, which should end the line")
    field = field.removeprefix("event.").removeprefix("header.")
    return Damage(_tick(was), field, f"is {shown(new)}, but was recorded as {shown(old)}")


def hopeless(line: bytes) -> Damage:
    """Say what can be said where more than one byte was changed, or the line is too long to search."""
    found = read_line(line)
    if found is None:
        return Damage(None, None, "is not a line of a trace: it cannot be read")
    return Damage(_tick(found), None, "does not match its hash")


def read_line(line: bytes) -> Any:
    """Return what any line of JSON says, decimal numbers as they are written; None where it says nothing."""
    try:
        return _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _tick(line: Any) -> int | None:
    event = line.get("event") if isinstance(line, dict) else None
    tick = event.get("tick") if isinstance(event, dict) else None
    return tick if isinstance(tick, int) else None


def _original(line: bytes, number: int, before: bytes) -> bytes | None:
    for whole in _lengths(line, number):
        body, digest = take_apart(whole, number)
        mended = put_together(body, chain(before, body), number)
        if _bytes_apart(mended, whole) == 1:
            return mended
        if len(body) <= LONGEST and put_together(body, digest, number) == whole:
            found = _search(body, digest, before)
            if found is not None:
                return put_together(found, digest, number)
    return None


def _lengths(line: bytes, number: int) -> Iterator[bytes]:
    """The line as it was read; and cut where it should have ended, if its newline is gone."""
    tail = b',"n":%d}' % number
    end = line.find(tail) + len(tail) + 1
    if len(tail) < end < len(line):
        yield line[:end]
    yield line


def _bytes_apart(one: bytes, other: bytes) -> int:
    if len(one) != len(other):
        return max(len(one), len(other))
    return int(np.count_nonzero(np.frombuffer(one, np.uint8) != np.frombuffer(other, np.uint8)))


def _search(body: bytes, digest: bytes, before: bytes) -> bytes | None:
    """Find the one byte that makes the hash match; those near the place where reading stops come first."""
    try:
        wanted = bytes.fromhex(digest.decode())
    except ValueError:
        return None
    stop = _stop(body)
    for place in (*range(stop, -1, -1), *range(stop + 1, len(body))):
        head, rest = blake2b(before + body[:place], digest_size=HASH // 2), body[place + 1 :]
        for byte in _candidates(body, place):
            tried = head.copy()
            tried.update(byte)
            tried.update(rest)
            if tried.digest() == wanted:
                return body[:place] + byte + rest
    return None


def _candidates(body: bytes, place: int) -> Sequence[bytes]:
    """What may stand in a place: text, and beyond ASCII only beside another such byte."""
    beside = body[max(0, place - 1) : place] + body[place + 1 : place + 2]
    return _TEXT if beside.isascii() else _TEXT + _BEYOND


def _stop(body: bytes) -> int:
    """The place at which reading the body stops; its end where it can be read."""
    try:
        body.decode()
        _decode(body)
    except UnicodeDecodeError as error:
        return error.start
    except (msgspec.DecodeError, RecursionError) as error:
        found = re.search(r"byte (\d+)", str(error))
        return min(int(found[1]), len(body) - 1) if found else len(body) - 1
    return len(body) - 1
