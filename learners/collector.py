"""From what happened in an episode to a rollout that can be learned from.

It hears events, wherever they come from: a bus, the tight driver, a trace. So
learning from a folder of traces is learning from the rollouts themselves.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from hocket.agents.style import Style
from hocket.agents.tokens import Tokens
from hocket.learners.cohort import Played
from hocket.learners.decision import Credit, Decision, Reader
from hocket.replays.trace import AgentMark, Header
from hocket.runtime.errors import ReceiptError
from hocket.runtime.events import (
    AgentFailed,
    ChoiceRejected,
    EpisodeEnded,
    Event,
    MenuOffered,
    OptionChosen,
    Receipt,
    Stepped,
)
from hocket.runtime.words import Words


class Collector:
    """Collects one rollout."""

    def __init__(self, header: Header, tokens: Tokens, words: Words[Any], credit: Credit) -> None:
        """Begin with nothing.

        Args:
            header: of the episode; its language models are those whose decisions are collected.
            tokens: of their base.
            words: of the game.
            credit: which tokens of a written reply are credited.
        """
        self._seed, self._starts = header.seed, header.starts
        self._readers = {
            name: Reader(tokens, _style(mark), words.stages, mark.prefix, credit)
            for name, mark in header.agents.items()
        }
        self._holders = list(header.seats)
        self._menus: dict[int, tuple[str, ...]] = {}
        self._rewards: list[float] = []
        self._decisions: list[Decision] = []
        self._happened: list[tuple[int, str, str]] = []
        self._problem = ""
        self.over = False
        """Whether the episode went on to its end."""

    def hear(self, events: Iterable[Event]) -> None:
        """Take in what happened, in order.

        Raises:
            ReceiptError: a choice of a language model without a receipt.
        """
        for event in events:
            match event:
                case MenuOffered():
                    self._menus[event.seat] = event.menu
                case OptionChosen():
                    self._decide(event, event.receipt, event.holder, event.index)
                case ChoiceRejected() if event.receipt is not None:
                    self._decide(event, event.receipt, self._holders[event.seat], None)
                case Stepped():
                    self._happened += [(len(self._rewards), each.kind, each.what) for each in event.events]
                    self._rewards.append(sum(event.rewards))
                case AgentFailed():
                    self._problem = self._problem or f"seat {event.seat} failed at tick {event.tick}: {event.error}"
                case EpisodeEnded():
                    self.over = event.reason == "horizon"
                case _:
                    pass

    def played(self) -> Played:
        """Return the rollout."""
        problem = self._problem or ("" if self.over else "it did not go on to its end")
        return Played(
            self._seed, self._starts, tuple(self._rewards), tuple(self._decisions), tuple(self._happened), problem
        )

    def _decide(
        self, event: OptionChosen | ChoiceRejected, receipt: Receipt | None, holder: str, index: int | None
    ) -> None:
        reader = self._readers.get(holder)
        if reader is None:
            return
        if receipt is None or not receipt.base:
            raise ReceiptError(
                seat=event.seat, decision=event.decision, seed=self._seed, problem="has no receipt of a language model"
            )
        menu = self._menus[event.seat]
        self._decisions.append(reader.read(menu, receipt, index, seat=event.seat, tick=event.tick))


def _style(mark: AgentMark) -> Style:
    return msgspec.convert({name: mark.style[name] for name in Style.__struct_fields__ if name in mark.style}, Style)


def check_receipts(
    played: Played, expected: Mapping[int, str], base: str, temperature: float, seats: Sequence[int]
) -> None:
    """Hold every decision against who should have made it.

    Args:
        played: the rollout.
        expected: digest of the adapter of each seat that a model holds; empty for the base itself.
        base: digest of the base.
        temperature: at which choices should have been sampled.
        seats: that learn, and so should have decided something.

    Raises:
        ReceiptError: somebody else made one, or a seat made no decision.
    """
    for decision in played.decisions:
        receipt = decision.receipt
        problem = ""
        if receipt.base != base:
            problem = f"was made on base {receipt.base}, not on {base}"
        elif receipt.adapter_digest != expected.get(decision.seat):
            who = f"{receipt.adapter} ({receipt.adapter_digest})" if receipt.adapter else "the base itself"
            problem = f"was made by {who}, not by the adapter that learns ({expected.get(decision.seat)})"
        elif receipt.temperature != temperature:
            problem = f"was sampled at temperature {receipt.temperature:g}, not {temperature:g}"
        if problem:
            raise ReceiptError(seat=decision.seat, decision=decision.number, seed=played.seed, problem=problem)
    decided = {decision.seat for decision in played.decisions}
    for seat in seats:
        if seat not in decided:
            raise ReceiptError(seat=seat, decision=0, seed=played.seed, problem="is missing: the seat decided nothing")
