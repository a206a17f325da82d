"""One connection: what goes out is kept in order, what comes in is counted."""

import asyncio
from collections import deque
from typing import Literal

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

RATE, BURST = 20.0, 40.0
"""Messages a second that a client may send, and at once."""
PATIENCE = 200
"""Messages beyond that which are refused before the connection is closed."""
MOST_WAITING = 2000
"""Messages that may wait for a client that is slow to take them."""
TOO_SLOW, TOO_MUCH = 4008, 4029

Role = Literal["seat", "watcher", "host"]


class Line:
    """A client that is connected."""

    def __init__(self, socket: WebSocket, role: Role, seat: int | None, *, events: bool) -> None:
        """Note a connection.

        Args:
            socket: accepted.
            role: of its link.
            seat: of its link, None but for a seat's.
            events: whether it wants every event of the episode, from the first on.
        """
        self.role: Role = role
        self.seat, self.events, self._socket = seat, events, socket
        self._waiting: deque[bytes] = deque()
        self._state: bytes | None = None
        self._wake = asyncio.Event()
        self._allowance, self._counted = BURST, 0.0
        self._refused = 0
        self._closing: tuple[int, str] | None = None

    def send(self, message: bytes) -> None:
        """Send a message, after those before it; nothing, once the connection is to be closed."""
        if self._closing is not None:
            return
        self._waiting.append(message)
        if len(self._waiting) > MOST_WAITING:
            self.close(TOO_SLOW, "this page could not keep up")
        self._wake.set()

    def show(self, state: bytes) -> None:
        """Send how things stand, unless it stands otherwise before that can be sent."""
        self._state = state
        self._wake.set()

    def close(self, code: int, reason: str) -> None:
        """End the connection, with a sentence for whoever is at its other end."""
        self._closing = self._closing or (code, reason)
        self._wake.set()

    def admits(self, now: float) -> bool:
        """Count a message that has come in; tell whether it is one too many for its time."""
        self._allowance = min(BURST, self._allowance + (now - self._counted) * RATE)
        self._counted = now
        if self._allowance >= 1:
            self._allowance -= 1
            return True
        self._refused += 1
        if self._refused > PATIENCE:
            self.close(TOO_MUCH, "too many messages")
        return False

    async def pump(self) -> None:
        """Send what is to be sent, until the connection ends."""
        try:
            while self._closing is None:
                await self._wake.wait()
                self._wake.clear()
                while self._waiting and self._closing is None:
                    await self._socket.send_text(self._waiting.popleft().decode())
                state, self._state = self._state, None
                if state is not None and self._closing is None:
                    await self._socket.send_text(state.decode())
            code, reason = self._closing
            if self._socket.client_state is WebSocketState.CONNECTED:
                await self._socket.close(code, reason)
        except (WebSocketDisconnect, RuntimeError, OSError):
            return
