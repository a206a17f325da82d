"""Agents whose choices are recorded on a cassette, or come from one without any model.

What goes on the cassette as asked: the style, the two chat messages that `prompt.py` makes in
that style, and the menu where those leave its order out. So whatever changes what a language
model would read is a miss. An agent of another kind counts as asked in the usual style, which
tells rules, situation, recent options and menu.

What comes back is the recorded choice with its receipt, or the recorded `NoChoice`. An agent that
raised has made no choice, and leaves nothing on the cassette.
"""

from collections.abc import Sequence
from itertools import islice
from typing import overload

import msgspec

from hocket.agents.prompt import make_prompt
from hocket.agents.style import Style
from hocket.replays.cassette import Cassette
from hocket.runtime.errors import CassetteError, CassetteMissError, SettingError, UsageError
from hocket.runtime.policy import Agent, Choice, Chooser, NoChoice, Offer, Policy


class TapedChooser:
    """A chooser on a cassette: one that is recorded, or a recording."""

    def __init__(self, side: "_Side", chooser: Chooser | None) -> None:
        self._side, self._chooser = side, chooser

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice | NoChoice | Exception]:
        """Answer as the chooser does, or as it did; a miss is the failure of its seat alone."""
        if self._chooser is None:
            return [self._tried(offer) for offer in offers]
        answers = tuple(islice(self._chooser.choose_many(offers), len(offers) + 1))
        if len(answers) == len(offers):
            for offer, answer in zip(offers, answers, strict=True):
                self._side.keep(offer, answer)
        return answers

    def _tried(self, offer: Offer) -> Choice | NoChoice | Exception:
        try:
            return self._side.played(offer)
        except CassetteMissError as miss:
            return miss


class TapedPolicy:
    """A policy on a cassette: one that is recorded, or a recording."""

    def __init__(self, side: "_Side", policy: Policy | None) -> None:
        self._side, self._policy = side, policy

    async def choose(self, offer: Offer) -> Choice | NoChoice:
        """Answer as the policy does, or as it did.

        Raises:
            CassetteMissError: this was not recorded.
        """
        if self._policy is None:
            return self._side.played(offer)
        answer = await self._policy.choose(offer)
        self._side.keep(offer, answer)
        return answer


@overload
def taped(cassette: Cassette, agent: Chooser | None = None, *, style: Style | None = None) -> TapedChooser: ...
@overload
def taped(cassette: Cassette, agent: Policy, *, style: Style | None = None) -> TapedPolicy: ...
def taped(cassette: Cassette, agent: Agent | None = None, *, style: Style | None = None) -> TapedChooser | TapedPolicy:
    """Put an agent on a cassette.

    Args:
        cassette: is recorded, or played.
        agent: to be recorded. Where the cassette is played it is not asked, and says no more than whether the
            recording is to be a policy; without one it is a chooser, which every driver takes.
        style: in which the agent is asked. By default the usual one; of a recording, the one of each seat.

    Raises:
        SettingError: nobody to record.
        CassetteError: a recording that is none of an agent's choice.
    """
    if cassette.recording and agent is None:
        raise SettingError(setting="agent", value=None, right="an agent, for the cassette is recorded")
    side, kept = _Side(cassette, style), cassette.recording
    if agent is None or isinstance(agent, Chooser):
        return TapedChooser(side, agent if kept else None)
    return TapedPolicy(side, agent if kept else None)


class _Answer(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """An answer as it stands on a cassette."""

    choice: Choice | None = None
    no_choice: NoChoice | None = None


_encode = msgspec.json.Encoder().encode


class _Side:
    """A cassette as agents use it: offers in, answers out."""

    def __init__(self, cassette: Cassette, style: Style | None) -> None:
        self._cassette, self._style = cassette, style
        self._styles: dict[int, Style] = {}
        """By seat: how it was asked when it was recorded."""
        for each in cassette.exchanges:
            try:
                _read(each.reply)
                self._styles.setdefault(each.seat, msgspec.json.decode(each.asked[0], type=Style))
            except (IndexError, ValueError, msgspec.MsgspecError, UsageError) as error:
                problem = f"decision {each.decision} of seat {each.seat} is no choice of an agent: {error}"
                raise CassetteError(path=cassette.path, problem=problem) from error

    def played(self, offer: Offer) -> Choice | NoChoice:
        return _read(self._cassette.get(offer.seat, offer.decision, self._asked(offer)))

    def keep(self, offer: Offer, answer: object) -> None:
        """Record an answer; what the runtime would not take for one, or could not write, is left out."""
        kept = _written(answer)
        if kept is not None:
            self._cassette.put(offer.seat, offer.decision, self._asked(offer), kept)

    def _asked(self, offer: Offer) -> tuple[str, ...]:
        style = self._style or self._styles.get(offer.seat) or Style()
        prompt = make_prompt(offer, style)
        menu = ("\n".join(offer.menu.keys),) if style.scorer == "json" else ()
        return (msgspec.json.format(_encode(style), indent=1).decode(), prompt.system, prompt.user, *menu)


def _written(answer: object) -> _Answer | None:
    if type(answer) is Choice:
        kept = _Answer(choice=answer)
    elif type(answer) is NoChoice:
        kept = _Answer(no_choice=answer)
    else:
        return None
    try:
        written = _encode(kept)
        read = msgspec.json.decode(written, type=_Answer)
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError):
        return None
    return kept if read == kept and _encode(read) == written else None


def _read(reply: object) -> Choice | NoChoice:
    answer = msgspec.convert(reply, _Answer)
    found = answer.choice or answer.no_choice
    if found is None:
        raise ValueError("neither choice nor no_choice")
    return found
