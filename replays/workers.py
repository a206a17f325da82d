"""Processes that share work, and end when whoever started them does."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from hocket.runtime.errors import EpisodeError

A = TypeVar("A")
B = TypeVar("B")


def shared(work: Callable[[A], B], shares: Iterable[A], processes: int) -> Generator[B, None, None]:
    """Do work on each share in one of several processes; yield what comes of them, in order.

    Where the reader stops, by an error or Ctrl-C, the processes are ended at once, whatever they are at.

    Raises:
        EpisodeError: a process ended by itself: something in it made it exit.
    """
    before = multiprocessing.active_children()
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), _begin)
    done = False
    try:
        yield from pool.map(work, shares)
        done = True
    except BrokenProcessPool as error:
        sentence = "a process that played episodes ended by itself: an agent or an invariant has made it exit"
        raise EpisodeError(part="process", tick=-1, problem="it ended", sentence=sentence) from error
    finally:
        pool.shutdown(wait=done, cancel_futures=True)
        for child in multiprocessing.active_children():
            if child not in before:
                child.terminate()


def _begin() -> None:
    """Leave Ctrl-C to the process that shares the work out, and end with it however it ends.

    What agents print goes to stderr: stdout is for what the command says, and in that process.
    """
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
