"""One line of a trace: its form, and its hash.

The first line is `{"hash":H,"header":BODY,"n":0}`, every other one
`{"event":BODY,"hash":H,"n":N}`, each with its newline. H is the BLAKE2b-128, in
hexadecimal, of the hash before (nothing for the first) and of the body's bytes.
"""

from hashlib import blake2b

HASH = 32
"""Length of a hash, in hexadecimal digits."""


def chain(before: bytes, body: bytes) -> bytes:
    """Return the hash of a line, from the hash before it and its body."""
    return blake2b(before + body, digest_size=HASH // 2).hexdigest().encode()


def put_together(body: bytes, digest: bytes, number: int) -> bytes:
    """Return line `number`, newline included."""
    if number == 0:
        return b'{"hash":"%s","header":%s,"n":0}\n' % (digest, body)
    return b'{"event":%s,"hash":"%s","n":%d}\n' % (body, digest, number)


def take_apart(line: bytes, number: int) -> tuple[bytes, bytes]:
    """Cut a line into body and hash where line `number` has them, whatever stands around them."""
    if number == 0:
        return line[52:-8], line[9:41]
    end = len(line) - len(b'","n":%d}\n' % number)
    return line[9 : max(9, end - HASH - 9)], line[max(0, end - HASH) : max(0, end)]


def is_sound(line: bytes, number: int, before: bytes) -> bool:
    """Tell whether a line is as it was written after a line of hash `before`."""
    body, _ = take_apart(line, number)
    return put_together(body, chain(before, body), number) == line
