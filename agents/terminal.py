"""A person at the terminal, who is shown a menu and types a letter.

Everything is written to stderr, so that stdout stays what it is. A line is read in a
thread that nobody waits for, so that an episode can end while a person still thinks.
"""

import asyncio
import contextlib
import sys
import threading
from typing import TextIO

from hocket.runtime.policy import Choice, Offer


class Terminal:
    """Asks one person for one or several seats, one after the other."""

    def __init__(self, asks: TextIO | None = None, answers: TextIO | None = None) -> None:
        """Say where it is asked and answered; by default on stderr and stdin."""
        self._asks, self._answers = asks, answers
        self._turn = asyncio.Lock()

    async def choose(self, offer: Offer) -> Choice:
        """Show the menu and read a letter, until one is on it.

        Raises:
            EOFError: there is nothing more to be read.
        """
        async with self._turn:
            self._say(_shown(offer))
            while True:
                self._say(f"seat {offer.seat}, a letter: ", end="")
                line = await self._line()
                if not line:
                    raise EOFError("nobody is at the terminal any more")
                letter = line.strip().upper()
                if letter in offer.menu.letters:
                    return Choice(offer.menu.letters.index(letter))
                self._say(f"{letter!r} is not on the menu")

    async def _line(self) -> str:
        loop = asyncio.get_running_loop()
        read: asyncio.Future[str] = loop.create_future()

        def settle(line: str) -> None:
            if not read.done():
                read.set_result(line)

        def wait() -> None:
            line = ""
            stream = self._answers or sys.stdin
            with contextlib.suppress(OSError, ValueError):  # nobody can answer there
                line = stream.readline() if stream is not None else ""
            with contextlib.suppress(RuntimeError):  # the loop is gone, and with it the question
                loop.call_soon_threadsafe(settle, line)

        threading.Thread(target=wait, name="terminal", daemon=True).start()
        return await read

    def _say(self, text: str, end: str = "\n") -> None:
        print(text, end=end, file=self._asks or sys.stderr, flush=True)


def _shown(offer: Offer) -> str:
    situation = offer.situation()
    return "\n".join(
        (
            "",
            f"tick {offer.tick} of {offer.steps}, points of the last 100 ticks: {offer.recent.reward:g}",
            *situation.own,
            *situation.partners,
            *situation.world,
            "",
            *offer.menu.lines(),
        )
    )
