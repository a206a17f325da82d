"""The simulated network: offers on their way to agents, and choices on their way back.

Everything happens in virtual time. What happens to a message is a list of incidents
(`incident.py`), drawn from a profile or given; a partition, a hold or a crash is asked
about when a message is sent, and when it would arrive. A link keeps its messages in
order, but for those that are reordered. What was done on purpose goes on the record.
"""

from collections.abc import Callable
from typing import Protocol

from hocket.runtime.clock import Clock
from hocket.runtime.incident import Faults, Incident
from hocket.runtime.player import Answer
from hocket.runtime.policy import Agent, Offer


class Note(Protocol):
    """Puts a fault on the record."""

    def __call__(self, seat: int, fault: str, message: str = "", decision: int = -1, ticks: int = 0) -> None:
        """Say what was done to which message; of a window that begins, no message."""
        ...


class Network:
    """The links of one episode, one each way for each seat."""

    def __init__(self, faults: Faults, clock: Clock, note: Note) -> None:
        """Lay the links.

        Args:
            faults: what goes wrong.
            clock: on which messages arrive.
            note: is told of each fault as it happens.
        """
        self._faults, self._clock, self._note = faults, clock, note
        self._last: dict[tuple[str, int], int] = {}
        """By link: when the message before arrives."""
        self._sent: dict[tuple[str, int, int], int] = {}
        """By message: how long its first copy took; what is sent again takes as long, and nothing else befalls it."""
        self._held: dict[tuple[str, int], list[tuple[int, Callable[[], object]]]] = {}
        """By link: decision and delivery of messages that a hold has stopped."""
        self._offers: list[tuple[Offer, Agent]] = []
        self._answers: list[Answer] = []
        self._windows: dict[tuple[str, int], list[Incident]] = {}
        """Partitions, holds and crashes, by kind and seat."""
        for window in faults.windows:
            self._windows.setdefault((window.kind, window.seat), []).append(window)
            clock.at(window.at, lambda window=window: note(window.seat, window.kind, ticks=window.ticks))  # type: ignore[misc]

    def offer(self, offer: Offer, agent: Agent) -> None:
        """Send an offer to an agent."""
        self._send("offer", offer.seat, offer.decision, lambda: self._offers.append((offer, agent)))

    def answer(self, answer: Answer, after: int = 0) -> None:
        """Send an answer back, once its agent has thought for as long as it does.

        Args:
            answer: to an offer.
            after: ticks that it takes beyond that.
        """
        seat, now = answer.seat, self._clock.now
        thinking = self._faults.thinking(seat, answer.decision)
        ready = now + after + (thinking.ticks if thinking is not None else 0)
        crash = next((each for each in self._windows.get(("crash", seat), ()) if now < each.at <= ready), None)
        if crash is not None:
            self._clock.at(crash.at, lambda: self._note(seat, "crash", "choice", answer.decision))
        else:
            self._clock.at(ready, lambda: self._send("choice", seat, answer.decision, lambda: self._take(answer)))

    def take_offers(self) -> list[tuple[Offer, Agent]]:
        """Return offers that have arrived, one a seat, those that came first, in seat order; the rest wait."""
        first: dict[int, tuple[Offer, Agent]] = {}
        rest: list[tuple[Offer, Agent]] = []
        for each in self._offers:
            if first.setdefault(each[0].seat, each) is not each:
                rest.append(each)
        self._offers = rest
        return [first[seat] for seat in sorted(first)]

    def take_answers(self) -> list[Answer]:
        """Return answers that have arrived, in seat order, those of one seat as they came."""
        answers, self._answers = self._answers, []
        return sorted(answers, key=lambda answer: answer.seat)

    def _take(self, answer: Answer) -> None:
        self._answers.append(answer)

    def _send(self, message: str, seat: int, decision: int, deliver: Callable[[], object]) -> None:
        now = self._clock.now
        lost = self._window("crash", seat, now) or self._window("partition", seat, now)
        if lost is not None:
            self._note(seat, lost.kind, message, decision)
            return
        key = message, seat, decision
        again = self._sent.get(key)
        if again is not None:
            self._arrive(message, seat, decision, now + again, deliver)
            return
        delay, late, copy = 0, 0, -1
        for incident in self._faults.message(message, seat, decision):
            match incident.kind:
                case "drop":
                    self._note(seat, "drop", message, decision)
                    return
                case "delay":
                    delay = incident.ticks
                case "reorder":
                    late = incident.ticks
                case "duplicate":
                    copy = incident.ticks
        self._sent[key] = delay
        if late:
            self._note(seat, "reorder", message, decision, late)
        if copy >= 0:
            self._note(seat, "duplicate", message, decision, copy)
        at = self._arrive(message, seat, decision, now + delay, deliver, late)
        if copy >= 0:
            self._arrive(message, seat, decision, at, deliver, copy)

    def _arrive(
        self, message: str, seat: int, decision: int, at: int, deliver: Callable[[], object], late: int = 0
    ) -> int:
        """Have a message arrive, in order with those before unless it is `late`, and so holds none up; return when."""
        link = message, seat
        if late:
            at += late
        else:
            at = self._last[link] = max(at, self._last.get(link, 0))
        self._clock.at(at, lambda: self._delivered(message, seat, decision, deliver))
        return at

    def _delivered(self, message: str, seat: int, decision: int, deliver: Callable[[], object]) -> None:
        now = self._clock.now
        hold = self._window("hold", seat, now)
        if hold is not None:
            self._note(seat, "hold", message, decision, hold.at + hold.ticks - now if hold.ticks else 0)
            held = self._held.setdefault((message, seat), [])
            held.append((decision, deliver))
            if hold.ticks and len(held) == 1:
                self._clock.at(hold.at + hold.ticks, lambda: self._release(message, seat))
            return
        self._release(message, seat)
        if message == "offer" and self._window("crash", seat, now) is not None:
            self._note(seat, "crash", message, decision)
        else:
            deliver()

    def _release(self, message: str, seat: int) -> None:
        """Deliver what was held on a link, before anything that arrives as the hold ends."""
        for decision, deliver in self._held.pop((message, seat), ()):
            self._delivered(message, seat, decision, deliver)

    def _window(self, kind: str, seat: int, tick: int) -> Incident | None:
        """The window of a kind that a seat is in at a tick."""
        return next((each for each in self._windows.get((kind, seat), ()) if each.at <= tick < each.until), None)
