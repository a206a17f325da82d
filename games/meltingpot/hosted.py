"""A world in another process, as this one sees it.

There is one host for each substrate and number of seats, started when it is first
needed and again when it has died; every episode is a copy of it, so that many can run
at a time.
"""

import atexit
import os
import socket
import subprocess
import sys
from functools import cache
from multiprocessing.connection import Connection
from tempfile import TemporaryFile
from threading import Lock
from typing import BinaryIO

import msgspec
import numpy as np
from numpy.typing import NDArray

from hocket.games.meltingpot.facts import Moment
from hocket.games.meltingpot.messages import BEGIN, ERRAND, FORK, PICTURE, PREPARE, READY, STEP
from hocket.games.meltingpot.order import Order, Start
from hocket.runtime.errors import WorldError

_TOLD = 400
"""Characters of what a process wrote before it died that are told."""


class Hosted:
    """One episode's world."""

    def __init__(self, link: Connection, host: "Host") -> None:
        self._link, self._host, self._since = link, host, host.written()
        self._moment = msgspec.msgpack.Decoder(Moment).decode

    def begin(self, start: Start) -> Moment:
        """Place everything and throw the dice; see `Lab.begin`.

        Raises:
            WorldError: its process has ended.
        """
        return self._moment(self._ask(BEGIN + msgspec.msgpack.encode(start)))

    def step(self, joint: bytes) -> Moment:
        """Carry out one action a seat, each checked before.

        Raises:
            WorldError: its process has ended.
        """
        return self._moment(self._ask(STEP + joint))

    def rgb(self) -> NDArray[np.uint8]:
        """Return the substrate's own picture, shape [height, width, 3].

        Raises:
            WorldError: its process has ended.
        """
        height, width, pixels = msgspec.msgpack.decode(self._ask(PICTURE), type=tuple[int, int, bytes])
        return np.frombuffer(pixels, dtype=np.uint8).reshape(height, width, 3)

    def run(self, errand: bytes) -> bytes:
        """Have an errand run beside the world; see errands.py.

        Raises:
            WorldError: its process has ended.
        """
        return self._ask(ERRAND + errand)

    def close(self) -> None:
        """Let its process end."""
        self._link.close()

    def _ask(self, message: bytes) -> bytes:
        try:
            self._link.send_bytes(message)
            return self._link.recv_bytes()
        except (EOFError, OSError) as error:
            words = self._host.last_words(self._since)
            raise WorldError(problem=f"its process has ended in mid-episode{words}") from error


class Host:
    """One process that forks worlds of one kind."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._words: BinaryIO | None = None
        self._lock = Lock()
        self._prepared: set[str] = set()

    def world(self) -> Hosted:
        """Return a fresh world.

        Raises:
            WorldError: the process cannot be started, or dies at once.
        """
        with self._lock:
            control = self._control or self._start()
            here, there = socket.socketpair()
            try:
                with there:
                    try:
                        socket.send_fds(control, [FORK], [there.fileno()])
                    except OSError:  # it has died since
                        self._end()
                        socket.send_fds(self._start(), [FORK], [there.fileno()])
            except BaseException:
                here.close()
                raise
            return Hosted(Connection(here.detach()), self)

    def prepare(self, name: str, errand: bytes) -> None:
        """Have what an errand needs at hand before worlds are forked for it; once by name.

        Raises:
            WorldError: the process cannot be started, or has ended.
        """
        with self._lock:
            control = self._control or self._start()
            if name in self._prepared:
                return
            try:
                control.sendall(PREPARE + errand)
            except OSError:  # it has died since
                self._end()
                control = self._start()
                control.sendall(PREPARE + errand)
            try:
                ready = control.recv(1)
            except OSError:
                ready = b""
            if ready != READY:
                self._end()
                raise WorldError(problem=f"its process has ended{self.last_words()}")
            self._prepared.add(name)

    @property
    def pid(self) -> int:
        """The process; 0 while there is none."""
        return self._process.pid if self._process is not None else 0

    def written(self) -> int:
        """Return how much the process has written by now, in bytes."""
        return 0 if self._words is None else os.fstat(self._words.fileno()).st_size

    def last_words(self, since: int = 0) -> str:
        """Return the end of what the process wrote, for an error; nothing from before `since`."""
        if self._words is None:
            return ""
        size = self._words.seek(0, os.SEEK_END)
        self._words.seek(min(size, max(since, size - 4096)))
        lines = self._words.read().decode(errors="replace").strip().splitlines()
        told = [line for line in lines if "Check failed" in line or "Error" in line]
        return f": {' '.join((told or lines)[-1].split())[:_TOLD]}" if lines else ""

    def close(self) -> None:
        """End the process; worlds that it has forked live on until they are closed."""
        with self._lock:
            self._end()
            if self._words is not None:
                self._words.close()
                self._words = None

    def _start(self) -> socket.socket:
        here, there = socket.socketpair()
        if self._words is not None:
            self._words.close()
        self._words = TemporaryFile()  # noqa: SIM115 -- is read as long as there is a process
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-P",
                "-m",
                "hocket.games.meltingpot.host",
                str(there.fileno()),
                msgspec.json.encode(self.order).decode(),
            ],
            pass_fds=[there.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._words,
            process_group=0,
        )
        there.close()
        if here.recv(1) != READY:
            here.close()
            self._process.wait()
            self._process = None
            raise WorldError(problem=f"cannot be built{self.last_words()}")
        self._control = here
        return here

    def _end(self) -> None:
        self._prepared.clear()
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            self._process.wait()
            self._process = None


def host(order: Order) -> Host:
    """Return this process's host of one kind of world."""
    return _host(os.getpid(), order)


@cache
def _host(process: int, order: Order) -> Host:
    made = Host(order)
    atexit.register(made.close)
    return made
