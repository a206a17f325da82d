"""Compressed traces: nothing that happens to a file goes unseen."""

import io

import zstandard

from hocket.replays.frames import Unpacked, pack, unpack

ADA, BO = b"ada fetches a jar\n" * 9, b"bo serves it\n" * 9


def test_frames_come_out_as_they_went_in() -> None:
    """One after the other; no frame is no content."""
    packed = pack(ADA) + pack(BO)

    assert unpack(packed) == Unpacked(ADA + BO)
    assert unpack(b"") == Unpacked(b"")


def test_any_reader_of_zstandard_reads_them() -> None:
    """The marks are skippable frames, so `zstdcat` shows a trace."""
    packed = io.BytesIO(pack(ADA) + pack(BO))

    reader = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)

    assert reader.read() == ADA + BO


def test_a_file_cut_anywhere_is_torn() -> None:
    """Between frames it is whole; elsewhere the frames before are there, and it is said that it was cut."""
    one = pack(ADA)
    packed = one + pack(BO)

    found = [unpack(packed[:size]) for size in range(1, len(packed))]

    for size, unpacked in enumerate(found, 1):
        content = ADA if size >= len(one) else b""
        assert unpacked == Unpacked(content, torn=size != len(one))


def test_every_changed_bit_is_damage() -> None:
    """A decoder alone overlooks some, and takes others for a file that was cut."""
    one = pack(ADA)
    packed = bytearray(one + pack(BO))

    for place in range(len(packed)):
        for bit in range(8):
            packed[place] ^= 1 << bit
            assert unpack(bytes(packed)) == Unpacked(ADA if place >= len(one) else b"", damaged=True)
            packed[place] ^= 1 << bit


def test_other_frames_are_not_taken_for_ours() -> None:
    """A file compressed by another tool has no marks to check."""
    packed = zstandard.ZstdCompressor().compress(ADA)

    assert unpack(packed) == Unpacked(b"", damaged=True)
