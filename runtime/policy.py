"""An offered menu in, a choice out: what an agent is to the runtime.

There are two forms. A `Policy` answers one offer, in its own time: people, remote
agents, model servers. A `Chooser` answers all offers that are due on one tick at
once and without waiting: scripts, random play, models in this process.
"""

from collections.abc import Sequence
from math import isfinite
from typing import Any, Protocol, TypeAlias, runtime_checkable

import msgspec

from hocket.runtime.events import Receipt
from hocket.runtime.game import Game
from hocket.runtime.menu import Menu
from hocket.runtime.seed import Stream


class Memory(msgspec.Struct, frozen=True):
    """What a seat remembers of its own episode."""

    options: tuple[str, ...]
    """Keys of its last options, at most five, the latest last."""
    reward: float
    """Team reward of the last 100 ticks, in game points."""


class Offer:
    """One decision of one seat.

    Observation, memory and draw are worked out when they are first asked for, from
    the state in which the offer was made; an agent that looks at nothing costs
    nothing.
    """

    __slots__ = ("_facts", "_game", "_recent", "_stream", "_totals", "deadline", "decision", "menu", "seat", "tick")

    def __init__(
        self,
        *,
        seat: int,
        decision: int,
        tick: int,
        menu: Menu,
        game: Game[Any],
        facts: Any,
        stream: Stream,
        recent: tuple[str, ...] = (),
        totals: Sequence[float] = (0.0,),
        deadline: int | None = None,
    ) -> None:
        self.seat, self.decision, self.tick, self.menu = seat, decision, tick, menu
        self.deadline = deadline
        """Tick at which the offer lapses; none where the world waits."""
        self._game, self._facts, self._stream = game, facts, stream
        self._recent, self._totals = recent, totals

    @property
    def observation(self) -> Any:
        """What the seat may see, a frozen struct of the game's own."""
        return self._game.observe(self._facts, self.seat)

    @property
    def memory(self) -> Memory:
        """The seat's last options, and the team's reward of the last 100 ticks."""
        return Memory(self._recent, self._totals[self.tick] - self._totals[max(0, self.tick - 100)])

    @property
    def draw(self) -> float:
        """A number in [0, 1), the same for the same seed, seat and decision: sample with it."""
        return self._stream.uniform(self.decision)


class Choice(msgspec.Struct, frozen=True):
    """An agent's answer to an offer."""

    index: int
    """Position on the offered menu, from 0."""
    receipt: Receipt | None = None


@runtime_checkable
class Policy(Protocol):
    """Answers one offer at a time, and may take its time."""

    async def choose(self, offer: Offer) -> Choice:
        """Pick from the offered menu."""
        ...


@runtime_checkable
class Chooser(Protocol):
    """Answers every offer of one tick at once."""

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        """Pick from each menu; offers come in seat order, choices go back in the same."""
        ...


Agent: TypeAlias = Policy | Chooser


class _OneByOne:
    def __init__(self, chooser: Chooser) -> None:
        self._chooser = chooser

    async def choose(self, offer: Offer) -> Choice:
        """Ask the chooser for this offer alone."""
        return self._chooser.choose_many((offer,))[0]


def as_policy(chooser: Chooser) -> Policy:
    """Let a chooser answer one offer at a time."""
    return _OneByOne(chooser)


def objection(answer: object, menu: Menu) -> tuple[str, str] | None:
    """Say why `answer` is no choice from `menu`: reason and detail, or None where it is one.

    Types are taken literally: what passes goes into a trace, which holds nothing but JSON.
    """
    if not isinstance(answer, Choice):
        return "malformed", f"a {type(answer).__name__}, not a Choice"
    if type(answer.index) is not int:
        return "malformed", f"index is a {type(answer.index).__name__}"
    if answer.receipt is not None:
        if type(answer.receipt) is not Receipt:
            return "malformed", f"receipt is a {type(answer.receipt).__name__}"
        chance = answer.receipt.log_prob
        if chance is not None and not (type(chance) is float and isfinite(chance)):
            return "malformed", f"log_prob is {chance if type(chance) is float else 'a ' + type(chance).__name__}"
    if not 0 <= answer.index < len(menu):
        index = str(answer.index) if abs(answer.index) < 10**9 else "far off"
        return "not on the menu", f"index {index} of {len(menu)}"
    return None
