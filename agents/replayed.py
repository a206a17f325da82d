"""The agent that repeats what was chosen in its seat in a recorded episode."""

from collections.abc import Sequence

from hocket.replays.trace import Trace
from hocket.runtime.errors import AgentError
from hocket.runtime.events import OptionChosen
from hocket.runtime.policy import Choice, Offer


class Replayed:
    """Looks each decision up by its number and picks the same option, wherever it stands on the menu.

    Where the recording has no choice for a decision, as after its end, it waits. It repeats choices, not
    delays: to see an episode again as it was, run it again. Nor does it repeat receipts: a recorded one is of
    whoever chose, of their prompt and of the order of their menu.
    """

    def __init__(self, trace: Trace, seat: int) -> None:
        """Take one seat's choices out of a trace.

        Raises:
            AgentError: the recorded episode had no such seat.
        """
        if seat >= len(trace.header.seats):
            seats = len(trace.header.seats)
            raise AgentError(agent=f"replayed:{trace.path}", problem=f"it has {seats} seats, so none for seat {seat}")
        self._choices: dict[int, str] = {
            event.decision: event.option
            for event in trace.events
            if isinstance(event, OptionChosen) and event.seat == seat
        }

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        """Repeat the recorded choices.

        Raises:
            LookupError: the recorded option is not on offer: the episode has taken another course.
        """
        return [self._choose(offer) for offer in offers]

    def _choose(self, offer: Offer) -> Choice:
        option = self._choices.get(offer.decision, "wait")
        if option not in offer.menu.keys:
            raise LookupError(f"{option} was chosen in decision {offer.decision}, but is not on its menu")
        return Choice(offer.menu.keys.index(option))
