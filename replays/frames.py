"""Zstandard frames, each behind a mark of its length and digest.

The mark is a skippable frame, so every tool that reads zstandard reads these files.
With it a frame that was cut off is told from one that was damaged, and no changed
byte goes unseen, not even one that a decoder would overlook.
"""

from hashlib import blake2b

import msgspec
import zstandard

OPENING = b"\x5a\x2a\x4d\x18\x10\x00\x00\x00"
"""Of a skippable frame of 16 bytes: length of the frame behind it, digest of that length, digest of that frame."""
_MARK = len(OPENING) + 16


class Unpacked(msgspec.Struct, frozen=True):
    """What could be read from a file of frames."""

    content: bytes
    """Of all whole frames up to the first that is not sound."""
    torn: bool = False
    """Whether the file ends within a frame."""
    damaged: bool = False
    """Whether the next frame is there, but not as it was written."""


def pack(content: bytes) -> bytes:
    """Compress `content` into one frame, mark included."""
    frame = zstandard.ZstdCompressor(level=9).compress(content)
    length = len(frame).to_bytes(4, "little")
    return OPENING + length + _digest(length, 4) + _digest(frame, 8) + frame


def unpack(packed: bytes) -> Unpacked:
    """Uncompress frame after frame."""
    pieces: list[bytes] = []
    start, decompressor = 0, zstandard.ZstdDecompressor()
    while start < len(packed):
        mark = packed[start : start + _MARK]
        length = mark[8:12]
        if mark[:8] != OPENING[: len(mark)] or (len(mark) >= 16 and mark[12:16] != _digest(length, 4)):
            return Unpacked(b"".join(pieces), damaged=True)
        end = start + _MARK + int.from_bytes(length, "little")
        if len(mark) < _MARK or end > len(packed):
            return Unpacked(b"".join(pieces), torn=True)
        frame = packed[start + _MARK : end]
        if mark[16:] != _digest(frame, 8):
            return Unpacked(b"".join(pieces), damaged=True)
        try:
            pieces.append(decompressor.decompress(frame))
        except (zstandard.ZstdError, MemoryError):
            return Unpacked(b"".join(pieces), damaged=True)
        start = end
    return Unpacked(b"".join(pieces))


def _digest(content: bytes, size: int) -> bytes:
    return blake2b(content, digest_size=size).digest()
