"""Named random streams, all grown from one episode seed.

A stream is named for what it decides (`letters`, `choice`, `start`) and for the
seat it serves, so that a draw in one never shifts another. Numbers within a
stream are addressed, not consumed: draw 17 is the same whether or not draw 16
was ever taken, which is why another agent in one seat changes nothing elsewhere.

numpy's SeedSequence turns seed and name into a key; keyed BLAKE2b and SHAKE-128
turn key and number into bits. Building a numpy generator for each of a million
decisions would cost more than the decisions.
"""

from hashlib import blake2b, shake_128
from random import Random
from struct import unpack

import numpy as np

from hocket.runtime.errors import SettingError


class Stream:
    """Random numbers that are looked up by their number."""

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        self._key = key

    def uniform(self, number: int) -> float:
        """Draw `number` of this stream, uniform in [0, 1) with 53 bits."""
        bits = blake2b(number.to_bytes(8, "little"), key=self._key, digest_size=8).digest()
        return (int.from_bytes(bits, "little") >> 11) * 2.0**-53

    def order(self, number: int, size: int) -> list[int]:
        """Permutation `number` of `size` things.

        Each thing gets 32 random bits and the things are sorted by them, so two orders differ in
        likelihood by less than size^2 / 2^32.
        """
        bits = shake_128(self._key + number.to_bytes(8, "little")).digest(4 * size)
        return sorted(range(size), key=unpack(f"<{size}I", bits).__getitem__)


class Streams:
    """All streams of one episode."""

    def __init__(self, seed: int) -> None:
        """Grow the streams of `seed`.

        Raises:
            SettingError: `seed` is no integer, negative, or 2^63 or more.
        """
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**63:
            raise SettingError(setting="seed", value=seed, right="an integer of 0 or more, below 2^63")
        self.seed = seed

    def stream(self, name: str, seat: int) -> Stream:
        """Return the addressed stream `name` of one seat."""
        return Stream(self._key(name, seat))

    def dice(self, name: str) -> Random:
        """Return a consumed stream for what happens once an episode, such as its start."""
        return Random(int.from_bytes(self._key(name, 0), "little"))

    def _key(self, name: str, seat: int) -> bytes:
        word = int.from_bytes(blake2b(name.encode(), digest_size=4).digest(), "little")
        sequence = np.random.SeedSequence(self.seed, spawn_key=(word, seat))
        return sequence.generate_state(8, np.uint32).astype("<u4").tobytes()
