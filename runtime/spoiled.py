"""An agent whose answers go wrong on purpose, as those of language models do.

One wrapper of any agent, of the type of what it wraps. It answers with a `Spoiled`,
which the driver takes apart: what is sent, how often and how late, and the name of
the fault for the record. Each decision is spoiled once; asked again, the agent
answers as it would have.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from hocket.runtime.events import Receipt
from hocket.runtime.incident import Faults
from hocket.runtime.policy import Agent, Choice, Chooser, NoChoice, Offer, Policy

_CUT_AT = 3
"""Letters that are left of the receipt's reply, and of the word for it, where a reply is cut off."""


class Spoiled(msgspec.Struct, frozen=True):
    """What a faulty agent sends in place of its answer."""

    answer: object
    fault: str
    after: tuple[int, ...] = (0,)
    """A copy each, with the ticks that it is late; empty where nothing is sent."""


class _Spoiler:
    """What was asked before, and what is to go wrong now."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._done: set[tuple[int, int]] = set()
        self._before: dict[int, tuple[int, object]] = {}
        """By seat: number of the decision before, and the answer to it."""

    def spoil(self, offer: Offer, answer: object) -> object:
        key = offer.seat, offer.decision
        incident = None if key in self._done else self._faults.answer(*key)
        self._done.add(key)
        before = self._before.get(offer.seat)
        self._before[offer.seat] = offer.decision, answer
        if incident is None or not isinstance(answer, Choice | NoChoice):
            return answer
        match incident.kind:
            case "never":
                return Spoiled(answer, "never", ())
            case "late":
                return Spoiled(answer, "late", (incident.ticks,))
            case "twice":
                return Spoiled(answer, "twice", (0, incident.ticks))
            case kind:
                changed = _changed(kind, offer, answer, before)
                return answer if changed is answer else Spoiled(changed, kind)


class _FaultyPolicy:
    def __init__(self, policy: Policy, faults: Faults) -> None:
        self._policy, self._spoiler = policy, _Spoiler(faults)

    async def choose(self, offer: Offer) -> Any:
        """Ask the agent, and spoil its answer."""
        return self._spoiler.spoil(offer, await self._policy.choose(offer))


class _FaultyChooser:
    def __init__(self, chooser: Chooser, faults: Faults) -> None:
        self._chooser, self._spoiler = chooser, _Spoiler(faults)

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Any]:
        """Ask the agent, and spoil its answers."""
        answers = self._chooser.choose_many(offers)
        return [self._spoiler.spoil(offer, answer) for offer, answer in zip(offers, answers, strict=True)]


def faulty(agent: Agent, faults: Faults) -> Agent:
    """Wrap an agent so that its answers go wrong as `faults` says; the wrapper has the type of the agent."""
    if isinstance(agent, Chooser):
        return _FaultyChooser(agent, faults)
    return _FaultyPolicy(agent, faults)


def _changed(kind: str, offer: Offer, answer: Choice | NoChoice, before: tuple[int, object] | None) -> object:
    receipt = answer.receipt
    match kind:
        case "malformed":
            return NoChoice("malformed", "an injected fault: nothing that can be read", receipt)
        case "cut_off":
            cut = None if receipt is None else msgspec.structs.replace(receipt, reply=receipt.reply[:_CUT_AT])
            return NoChoice("malformed", "an injected fault: the reply was cut off", cut)
        case "other_menu":
            decision, said = before if before is not None else (offer.decision - 1, answer)
            index = said.index if isinstance(said, Choice) else 0
            return Choice(index, receipt, (offer.seat, decision))
        case "other_seat":
            index = answer.index if isinstance(answer, Choice) else 0
            return Choice(index, receipt, (offer.seat + 1, offer.decision))
        case _:
            if not isinstance(answer, Choice) or receipt is None or not receipt.adapter:
                return answer
            return msgspec.structs.replace(answer, receipt=_other_model(kind, receipt))


def _other_model(kind: str, receipt: Receipt) -> Receipt:
    if kind == "base":
        return msgspec.structs.replace(receipt, adapter="", adapter_digest="")
    name, _, version = receipt.adapter.rpartition("@v")
    older = f"{name}@v{max(0, int(version) - 1)}" if name and version.isdecimal() else receipt.adapter
    digest = receipt.adapter_digest[::-1]
    other = digest if digest != receipt.adapter_digest else "stale"
    return msgspec.structs.replace(receipt, adapter=older, adapter_digest=other)
