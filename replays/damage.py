"""Which byte of a damaged line was changed, and which field it belongs to.

A hash that does not match says that a line is damaged, not where. Where one byte
was changed, as by a fault of a disk or a hand, putting back every other byte in
its place finds the one that makes the hash match, so the field is named for
certain, and its old value with it.
"""

from collections.abc import Callable

import msgspec

from hocket.replays.difference import parting


class Damage(msgspec.Struct, frozen=True):
    """What is known about a damaged line."""

    tick: int | None
    field: str | None
    problem: str


def find_damage(line: bytes, sound: Callable[[bytes], bool]) -> Damage | None:
    """Find the one changed byte of `line`, or None where no single byte explains it.

    Args:
        line: as it was read.
        sound: whether a whole line is as it was written.
    """
    original = _original(line, sound)
    if original is None:
        return None
    was = msgspec.json.decode(original)
    tick = was.get("event", {"tick": None})["tick"]
    try:
        now = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        place = next(place for place, (one, other) in enumerate(zip(line, original, strict=True)) if one != other)
        return Damage(tick, None, f"byte {place + 1} of the line was changed, so that it cannot be read")
    field, old, new = parting(was, now)
    field = field.removeprefix("event.").removeprefix("header.")
    return Damage(tick, field, f"is {new!r}, but was recorded as {old!r}")


def _original(line: bytes, sound: Callable[[bytes], bool]) -> bytes | None:
    candidate = bytearray(line)
    for place, byte in enumerate(line):
        for other in range(256):
            if other != byte:
                candidate[place] = other
                if sound(bytes(candidate)):
                    return bytes(candidate)
        candidate[place] = byte
    return None
