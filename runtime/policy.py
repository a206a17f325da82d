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
from hocket.runtime.words import Situation, Words

_DECISION_BITS = 32
"""Bits that are kept for the number of a decision where a stream gives it several draws."""
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
    steps: int = 0
    """Length of the episode, in ticks."""

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

    def draw_again(self, number: int) -> float:
        """Another such number, for an agent that has to sample more than once; number 0 is `draw` itself."""
        return self._stream.uniform(self.decision + (number << _DECISION_BITS))

    @property
    def words(self) -> Words[Any]:
        """The words of the game: its rules, the same for every offer of an episode."""
        return self._game.words

    def situation(self, *, brief: bool = False) -> Situation:
        """Return what the seat may see, as text."""
        words = self._game.words
        return (words.brief if brief else words.full)(self._facts, self.seat)


class Choice(msgspec.Struct, frozen=True):
    """An agent's answer to an offer."""

    index: int
    """Position on the offered menu, from 0."""
    receipt: Receipt | None = None
    offer: tuple[int, int] | None = None
    """Seat and decision that it answers, where the agent says so: one that is meant for another offer is rejected."""


class NoChoice(msgspec.Struct, frozen=True):
    """An agent's word that what it came up with is no choice: a reply that could not be read.

    It ends the offer in every pace: to be asked the same again would bring the same.
    """

    reason: str
    """`malformed` or `not on the menu`."""
    detail: str
    receipt: Receipt | None = None


@runtime_checkable
class Policy(Protocol):
    """Answers one offer at a time, and may take its time."""

    async def choose(self, offer: Offer) -> Choice | NoChoice:
        """Pick from the offered menu."""
        ...


@runtime_checkable
class Chooser(Protocol):
    """Answers every offer of one tick at once."""

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice | NoChoice | Exception]:
        """Pick from each menu; offers come in seat order, choices go back in the same.

        An exception in the place of a choice is the failure of that seat alone.
        """
        ...


Agent: TypeAlias = Policy | Chooser


class _OneByOne:
    def __init__(self, chooser: Chooser) -> None:
        self._chooser = chooser

    async def choose(self, offer: Offer) -> Choice | NoChoice:
        """Ask the chooser for this offer alone."""
        answer = self._chooser.choose_many((offer,))[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def misplaced(choice: Choice, offer: Offer, adapter: str | None) -> tuple[str, str] | None:
    """Say why a choice cannot be the answer to an offer: reason and detail, or None where it can.

    Args:
        choice: a sound one.
        offer: that is open.
        adapter: digest of the adapter that the seat's receipts must name, empty for a base; None where nobody knows.
    """
    if choice.offer is not None and tuple(choice.offer) != (offer.seat, offer.decision):
        seat, decision = choice.offer
        return "another offer", f"it is for decision {_shown(decision)} of seat {_shown(seat)}"
    receipt = choice.receipt
    if adapter is not None and receipt is not None and receipt.adapter_digest != adapter:
        return "another model", f"it is from {receipt.adapter or 'the base'}, of another digest"
    return None


def as_policy(chooser: Chooser) -> Policy:
    """Let a chooser answer one offer at a time."""
    return _OneByOne(chooser)


def objection(answer: object, menu: Menu) -> tuple[str, str] | None:
    """Say why `answer` is no choice from `menu`: reason and detail, or None where it is one.

    Types are taken literally: what passes goes into a trace, which holds nothing but JSON.
    """
    if type(answer) is NoChoice:
        return _refused(answer)
    if type(answer) is not Choice:
        return "malformed", f"a {type(answer).__name__}, not a Choice"
    if type(answer.index) is not int:
        return "malformed", f"index is a {type(answer.index).__name__}"
    if answer.receipt is not None:
        problem = _unsound(answer.receipt)
        if problem is not None:
            return "malformed", problem
    if answer.offer is not None and not _is_pair(answer.offer):
        return "malformed", "offer is not a seat and a decision"
    if not 0 <= answer.index < len(menu):
        return "not on the menu", f"index {_shown(answer.index)} of {len(menu)}"
    return None


def _is_pair(offer: object) -> bool:
    return isinstance(offer, tuple | list) and [type(each) for each in offer] == [int, int]


def _shown(number: int) -> str:
    return str(number) if abs(number) < 10**9 else "far off"


REASONS = ("malformed", "not on the menu")
_ENCODER, _DECODER = msgspec.json.Encoder(), msgspec.json.Decoder(Receipt)


def _refused(answer: NoChoice) -> tuple[str, str]:
    if type(answer.reason) is not str or answer.reason not in REASONS or type(answer.detail) is not str:
        return "malformed", "a NoChoice without a reason"
    return answer.reason, answer.detail.encode("utf-8", "backslashreplace").decode()


def _unsound(receipt: object) -> str | None:
    """Say why a receipt could not be read back from a trace."""
    if type(receipt) is not Receipt:
        return f"receipt is a {type(receipt).__name__}"
    chance = receipt.log_prob
    if chance is not None and not (type(chance) is float and isfinite(chance)):
        return f"log_prob is {chance if type(chance) is float else 'a ' + type(chance).__name__}"
    try:
        written = _ENCODER.encode(receipt)
        read = _DECODER.decode(written)
        sound = read == receipt and _ENCODER.encode(read) == written
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError) as error:
        return f"receipt cannot be written down: {error}"
    return None if sound else "receipt does not read back as it was"


def receipt_of(answer: object) -> Receipt | None:
    """Return the receipt of a refused answer, if it has a sound one."""
    receipt = answer.receipt if type(answer) is NoChoice else None
    return receipt if receipt is not None and _unsound(receipt) is None else None
