"""Faults that are given one by one: nothing else goes wrong."""

from collections.abc import Iterable

from hocket.runtime.fault_profile import SPOILS, WINDOWS
from hocket.runtime.incident import MESSAGES, THINK, Incident


class Listed:
    """Nothing but these incidents."""

    def __init__(self, incidents: Iterable[Incident] = ()) -> None:
        self.incidents = tuple(incidents)
        self.windows = tuple(
            sorted((each for each in self.incidents if each.kind in WINDOWS), key=lambda each: each.at)
        )
        self._messages: dict[tuple[str, int, int], tuple[Incident, ...]] = {}
        self._thinking: dict[tuple[int, int], Incident] = {}
        self._answers: dict[tuple[int, int], Incident] = {}
        for each in self.incidents:
            if each.kind in MESSAGES:
                key = each.message, each.seat, each.at
                self._messages[key] = (*self._messages.get(key, ()), each)
            elif each.kind == THINK:
                self._thinking[each.seat, each.at] = each
            elif each.kind in SPOILS:
                self._answers[each.seat, each.at] = each

    def message(self, message: str, seat: int, decision: int) -> tuple[Incident, ...]:
        """What was listed for a message."""
        return self._messages.get((message, seat, decision), ())

    def thinking(self, seat: int, decision: int) -> Incident | None:
        """What was listed for a thought."""
        return self._thinking.get((seat, decision))

    def answer(self, seat: int, decision: int) -> Incident | None:
        """What was listed for an answer."""
        return self._answers.get((seat, decision))
