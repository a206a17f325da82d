"""Everybody who is connected to a table, and what they are told."""

from collections.abc import Callable

from hocket.agents.web.line import Line


class Audience:
    """Connections, in the order in which they came."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self._story: list[bytes] = []
        """Header and events of the episode, for those who want them."""

    def begin(self) -> None:
        """Forget the last episode."""
        self._story = []

    def catch_up(self, line: Line) -> None:
        """Tell a newcomer what has happened, if it wants to know."""
        for message in self._story if line.events else ():
            line.send(message)

    def narrate(self, message: bytes) -> None:
        """Tell of something that happened in the episode."""
        self._story.append(message)
        for line in self.lines:
            if line.events:
                line.send(message)

    def tell(self, message: bytes) -> None:
        """Tell everybody."""
        for line in self.lines:
            line.send(message)

    def show(self, state: Callable[[int | None], bytes]) -> None:
        """Show everybody how things stand, as each seat may see it; `state` says it for a seat, or for all."""
        states: dict[int | None, bytes] = {}
        for line in self.lines:
            if line.seat not in states:
                states[line.seat] = state(line.seat)
            line.show(states[line.seat])
