"""A seat at somebody else's table, held by an agent of this process.

What comes is the header of a trace and then its events, so the episode is simulated here
as well, and the agent is asked what it would be asked there: the same offer, to the draw.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from hocket.agents.web.messages import Choose, Seen, Started, encode
from hocket.replays.course import Course
from hocket.replays.rebuilt import Rebuilt
from hocket.replays.trace import Header, Trace
from hocket.runtime.errors import AgentError
from hocket.runtime.events import EpisodeEnded
from hocket.runtime.game import Game
from hocket.runtime.policy import NoChoice, Offer, Policy


class _Offered(msgspec.Struct, frozen=True, tag="offer"):
    """As much of an offer as cannot be worked out here."""

    seat: int
    decision: int


class _Other(msgspec.Struct, frozen=True):
    """Any message, to see of which type it is."""

    type: str


_started, _seen = msgspec.json.Decoder(Started), msgspec.json.Decoder(Seen)
_offered, _type = msgspec.json.Decoder(_Offered), msgspec.json.Decoder(_Other)


class Joined:
    """Follows an episode, and answers for one seat."""

    def __init__(self, name: str, seat: int, cast: Callable[[Game[Any]], Policy]) -> None:
        """Sit down.

        Args:
            name: of the agent, for errors.
            seat: at the table.
            cast: makes the agent for a game.
        """
        self._name, self._seat, self._cast = name, seat, cast
        self._course: Course | None = None
        self._policy: Policy | None = None
        self._spec: object = None
        self._number = 0
        self._asked = -1
        """Decision that is waiting for an answer of ours; -1 for none."""

    async def take(self, message: str, say: Callable[[bytes], Awaitable[object]]) -> None:
        """Take a message of the table, and answer where it is our turn.

        Raises:
            AgentError: the episode goes another way here than there, so the agent would be asked something else, or
                the agent has no choice to make.
            UsageError: its game cannot be built here.
        """
        match _type.decode(message).type:
            case "started":
                self._begin(msgspec.json.decode(_started.decode(message).header, type=Header))
            case "event" if self._course is not None:
                self._follow(self._course, _seen.decode(message))
            case "offer":
                self._asked = _offered.decode(message).decision
            case _:
                return
        offer = None if self._course is None else self._course.scheduler.open_offer(self._seat)
        if offer is not None and offer.decision == self._asked:
            self._asked = -1
            await say(encode(await self._choice(offer)))

    def _begin(self, header: Header) -> None:
        trace = Trace(header, ())
        rebuilt = Rebuilt(trace)
        difference = rebuilt.difference()
        if difference is not None:
            self._fail(difference.sentence("there", "here"))
        self._course, self._number, self._asked = Course(trace, rebuilt), 0, -1
        if self._policy is None or header.game != self._spec:
            self._policy, self._spec = self._cast(rebuilt.game), header.game

    def _follow(self, course: Course, seen: Seen) -> None:
        if isinstance(seen.event, EpisodeEnded):  # why it has ended does not follow from what came before
            self._course = None
            return
        self._number += 1
        difference = course.follow(self._number, seen.event)
        if difference is not None:
            self._fail(difference.sentence("there", "here"))

    async def _choice(self, offer: Offer) -> Choose:
        assert self._policy is not None
        try:
            choice = await self._policy.choose(offer)
        except Exception as error:
            raise AgentError(agent=self._name, problem=f"it failed: {type(error).__name__}: {error}") from error
        if isinstance(choice, NoChoice):
            raise AgentError(agent=self._name, problem=f"it has no choice to make: {choice.detail}")
        return Choose(offer.decision, choice.index)

    def _fail(self, problem: str) -> None:
        raise AgentError(agent=self._name, problem=f"the episode goes another way here than at its table: {problem}")
