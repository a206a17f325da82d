"""The process that builds a substrate once and forks a copy for each episode.

Started as `python -m hocket.games.meltingpot.host SOCKET ORDER`. Each message on the
socket brings the end of a connection; the copy that is forked for it answers there:
`begin` first, then a step at a time, or a whole errand that is run beside the world.
A copy ends when the other end closes, and the host when the socket does, however the
process at the other end went. An abort in dmlab2d takes one copy with it and no more.
"""

import os
import signal
import socket
import sys
import traceback
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

import msgspec

from hocket.games.meltingpot import errands
from hocket.games.meltingpot.messages import BEGIN, MOST_BYTES, PICTURE, PREPARE, READY, STEP
from hocket.games.meltingpot.order import Order, Start

if TYPE_CHECKING:
    from hocket.games.meltingpot.lab import Lab


def main() -> None:
    """Build, then fork until the socket closes."""
    control = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    from hocket.games.meltingpot.lab import Lab  # its packages may be missing, which is told by how this process ends

    lab = Lab(msgspec.json.decode(sys.argv[2], type=Order))
    control.sendall(READY)
    while True:
        message, ends, _, _ = socket.recv_fds(control, MOST_BYTES, 1)
        if not message:
            return
        if message[:1] == PREPARE:
            errands.prepare(message[1:])
            control.sendall(READY)
        elif os.fork() == 0:
            control.close()
            try:
                _answer(Connection(ends[0]), lab)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(0)
        else:
            os.close(ends[0])


def _answer(link: Connection, lab: "Lab") -> None:
    encode, start = msgspec.msgpack.Encoder().encode, msgspec.msgpack.Decoder(Start)
    while True:
        try:
            message = link.recv_bytes()
        except (EOFError, OSError):
            return
        kind, rest = message[:1], message[1:]
        if kind == STEP:
            answer = encode(lab.step(rest))
        elif kind == BEGIN:
            answer = encode(lab.begin(start.decode(rest)))
        elif kind == PICTURE:
            picture = lab.rgb()
            answer = encode((picture.shape[0], picture.shape[1], picture.tobytes()))
        else:
            answer = errands.run(lab, rest)
        link.send_bytes(answer)


if __name__ == "__main__":
    main()
