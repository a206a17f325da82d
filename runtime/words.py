"""A game as text, for agents that read.

There are two renderings of one state: `full` in sentences, for language models that know
the language, and `brief` in a few fixed words a line, for a small model that knows those
words alone.
"""

from typing import Protocol, TypeVar

import msgspec

F_contra = TypeVar("F_contra", contravariant=True)


class Situation(msgspec.Struct, frozen=True):
    """A state as one seat reads it."""

    own: tuple[str, ...]
    """The seat itself: place, heading, what it holds."""
    partners: tuple[str, ...]
    """The other seats, one a line, in seat order."""
    world: tuple[str, ...]
    """Everything else that it may see."""


class Words(Protocol[F_contra]):
    """The words of one game; text is a function of facts and seat alone."""

    @property
    def rules(self) -> tuple[str, ...]:
        """Goal and rules in sentences: the same for every seat and every state, so a constant prefix."""
        ...

    @property
    def brief_rules(self) -> str:
        """The game in a few words, for a model that could make nothing of sentences."""
        ...

    @property
    def stages(self) -> tuple[str, ...]:
        """Words for how far the work has come, one of which a reply may name before its choice."""
        ...

    def full(self, facts: F_contra, seat: int) -> Situation:
        """Tell in sentences what `seat` may see of `facts`."""
        ...

    def brief(self, facts: F_contra, seat: int) -> Situation:
        """Tell the same in a few fixed words."""
        ...
