"""What a game offers: a Dec-POMDP step and the facts of its state.

A game knows nothing of options running. It moves by one joint primitive action
a tick, reports what happened as game events, and hands out *facts*: an immutable
snapshot of its whole symbolic state, which options and effects read. What a seat
may see of those facts is an observation, a function of facts and seat alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

import msgspec
import numpy as np
from numpy.typing import NDArray

from hocket.runtime.errors import SettingError
from hocket.runtime.events import Cell, GameEvent
from hocket.runtime.option import Library
from hocket.runtime.words import Words

F = TypeVar("F")
"""A game's facts, immutable and hashable."""
F_contra = TypeVar("F_contra", contravariant=True)


class GameSpec(msgspec.Struct, frozen=True):
    """All that is needed to build a game again, without any file."""

    kind: str
    """Name in the table of games, e.g. `overcooked`."""
    name: str
    """Full name, e.g. `overcooked:cramped_room`."""
    settings: dict[str, Any]
    """Every parameter as JSON values, a whole layout included."""


class Game(Protocol[F]):
    """One world, at one moment."""

    @property
    def spec(self) -> GameSpec:
        """What it takes to build it again."""
        ...

    @property
    def seats(self) -> int:
        """How many seats it has, numbered from 0."""
        ...

    @property
    def actions(self) -> tuple[str, ...]:
        """Names of the primitive actions, the same for every seat."""
        ...

    @property
    def noop(self) -> int:
        """Index of the action that does nothing."""
        ...

    @property
    def steps(self) -> int:
        """Usual length of an episode, in ticks."""
        ...

    def reset(self, seed: int, starts: str) -> None:
        """Go to the start of an episode.

        Args:
            seed: the episode's seed; the game draws from its own named streams.
            starts: where from, as `read_starts` has it.

        Raises:
            SettingError: `starts` is no such thing.
        """
        ...

    def step(self, joint: Sequence[int]) -> tuple[tuple[float, ...], tuple[GameEvent, ...]]:
        """Carry out one primitive action a seat; return rewards by seat and game events."""
        ...

    def facts(self) -> F:
        """Return the whole symbolic state."""
        ...

    def landmarks(self) -> dict[str, tuple[Cell, ...]]:
        """Return every place that options may be aimed at, by what stands there; they never move."""
        ...

    def observe(self, facts: F, seat: int) -> msgspec.Struct:
        """Return what `seat` may see of `facts`."""
        ...

    def array(self, facts: F, seat: int) -> NDArray[np.float32]:
        """Return what `seat` may see as numbers, always of one shape."""
        ...

    def picture(self, facts: F) -> str:
        """Draw `facts` as lines of text."""
        ...

    @property
    def words(self) -> Words[F]:
        """Rules and states as text, for agents that read."""
        ...


@runtime_checkable
class Pictured(Protocol):
    """What a game offers beside that where it has a picture of its own, in colours; see `hocket play --gif`."""

    def rgb(self) -> NDArray[np.uint8]:
        """Return a picture of this moment, shape [height, width, 3], always of one size."""
        ...


@runtime_checkable
class Placed(Protocol[F_contra]):
    """What a game offers beside that where its seats stand on a grid; audits of territory read it."""

    @property
    def size(self) -> Cell:
        """Width and height of the grid, in cells."""
        ...

    def apart(self) -> bool:
        """Tell whether walls keep some seat from places that another can go to."""
        ...

    def places(self, facts: F_contra) -> tuple[Cell | None, ...]:
        """Return where each seat stands; None while it is out of the game."""
        ...


STARTS = ("standard", "varied", "scattered")


def read_starts(starts: str, seed: int) -> tuple[str, int]:
    """Tell how a start is made, and the seed that it is drawn from.

    Args:
        starts: `standard`, the game's usual one, `varied`, drawn from all that there may be, or `scattered`, the usual
            one with each seat anywhere in its own room; with a number behind it (`varied:7`), drawn from that, so
            that episodes of several seeds begin alike.
        seed: of the episode.

    Raises:
        SettingError: `starts` is neither, or its number is no seed.
    """
    kind, colon, number = starts.partition(":")
    if kind not in STARTS or (
        colon and not (number.isascii() and number.isdecimal() and len(number) < 20 and int(number) < 2**63)
    ):
        raise SettingError(
            setting="starts", value=starts, right=f"{', '.join(STARTS)}, or one of these with a seed: varied:7"
        )
    return kind, int(number) if colon else seed


class Kind(Protocol):
    """A family of games as the table of games lists it."""

    @property
    def name(self) -> str:
        """The part of a game's name before the colon."""
        ...

    @property
    def about(self) -> str:
        """One line for people."""
        ...

    def variants(self) -> tuple[str, ...]:
        """Return what may stand behind the colon, the default first where there is one."""
        ...

    def make(self, variant: str, settings: Mapping[str, object]) -> Game[Any]:
        """Build a game by name.

        Raises:
            UnknownNameError: no such variant.
            SettingError: a setting that the game does not have, or a value that it cannot take.
        """
        ...

    def rebuild(self, spec: GameSpec) -> Game[Any]:
        """Build the game that `spec` was taken from."""
        ...

    def rules(self, spec: GameSpec) -> GameSpec:
        """Return a spec of the same rules, with whatever changes nothing but the speed at its fastest."""
        ...

    def guards(self, game: Game[Any], library: str) -> bytes | None:
        """Return the guard file that comes with the game for one of its libraries, None where none does."""
        ...

    def library(self, game: Game[Any], name: str) -> Library[Any]:
        """Return one of the game's option libraries.

        Raises:
            UnknownNameError: no such library.
        """
        ...
