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

OPTIONS_KEPT, REWARD_TICKS = 5, 100
"""How far `Recent` looks back: in options, and in ticks."""


class Recent(msgspec.Struct, frozen=True):
    """What a seat did of late, and what came of it."""

    options: tuple[str, ...]
    """Keys of its last options, at most `OPTIONS_KEPT`, the latest last."""
    reward: float
    """Team reward of the last `REWARD_TICKS` ticks, in game points."""


class Offer(msgspec.Struct, frozen=True, eq=False):
    """One decision of one seat.

    Observation, recent and draw are worked out when they are first asked for, from
    the state in which the offer was made; an agent that looks at nothing costs
    nothing. What they are worked out from is the runtime's own, and more than a seat may see.
    """

    seat: int
    decision: int
    """Running number of the seat's decisions, from 0."""
    tick: int
    menu: Menu
    _game: Game[Any]
    _facts: Any
    _stream: Stream
    _latest: tuple[str, ...] = ()
    _totals: Sequence[float] = (0.0,)

    @property
    def observation(self) -> Any:
        """What the seat may see, a frozen struct of the game's own."""
        return self._game.observe(self._facts, self.seat)

    @property
    def recent(self) -> Recent:
        """The seat's last options, and the team's reward of the last 100 ticks."""
        return Recent(self._latest, self._totals[self.tick] - self._totals[max(0, self.tick - REWARD_TICKS)])

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
    if type(answer) is not Choice:
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
