"""What became of every delivery on the bus.

A delivery is one message for one mailbox; a message that no mailbox wants is one
delivery to nobody. Each is in one of three places at any time, so that

    deliveries = received + waiting + dead

holds between any two calls into the bus. What an actor has in hand counts as
received until its handler fails; then it is dead.
"""

from collections import deque
from collections.abc import Callable
from typing import Literal, TypeAlias

import msgspec

Reason: TypeAlias = Literal[
    "no subscriber",
    "dropped oldest",
    "mailbox full",
    "mailbox closed",
    "publisher cancelled",
    "handler raised",
    "handler cancelled",
    "handler cut off",
    "left at the stop",
    "after the stop",
]


class DeadLetter(msgspec.Struct, frozen=True):
    """A message that one mailbox, or nobody at all, has had no use of."""

    message: object
    mailbox: str
    """Name of the mailbox; empty where the message had none."""
    reason: Reason
    detail: str = ""
    """Class of the error that a handler raised."""


class Counts(msgspec.Struct, frozen=True):
    """How many deliveries there were, and where they are."""

    deliveries: int
    received: int
    waiting: int
    dead: dict[Reason, int]
    """By reason; a reason that never came up is absent."""


class Ledger:
    """Exact counts, and the last of the dead letters."""

    def __init__(self, announce: Callable[[DeadLetter], None], *, keep: int) -> None:
        """Open the ledger.

        Args:
            announce: called with each dead letter once it is counted.
            keep: how many dead letters to keep in full.
        """
        self.deliveries = 0
        self.received = 0
        self.dead: dict[Reason, int] = {}
        self.last: deque[DeadLetter] = deque(maxlen=keep)
        self._announce = announce

    def bury(self, message: object, mailbox: str, reason: Reason, detail: str = "") -> None:
        """Count a delivery as dead, keep it, and say so."""
        letter = DeadLetter(message, mailbox, reason, detail)
        self.dead[reason] = self.dead.get(reason, 0) + 1
        self.last.append(letter)
        self._announce(letter)
