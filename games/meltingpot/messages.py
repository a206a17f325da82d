"""Messages to the process of a world: a letter, then what belongs to it."""

FORK, PREPARE = b"f", b"p"
"""To a host: fork a copy, or have a game and the code of an errand at hand before that."""
BEGIN, STEP, PICTURE, ERRAND = b"b", b"s", b"p", b"e"
"""To a copy."""
READY = b"+"
MOST_BYTES = 1 << 20
"""Of a message to a host."""
