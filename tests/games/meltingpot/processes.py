"""The processes behind Melting Pot worlds, as the system sees them."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from hocket.games.meltingpot.order import Order

needs_proc = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc to see processes")


def _stat(pid: int) -> list[str]:
    """State, parent and more of a process; nothing where there is none, or only what has to be buried of it."""
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
        return fields if fields[0] not in "ZX" else []
    return []


def alive(pid: int) -> bool:
    """Whether a process runs."""
    return bool(_stat(pid))


def children(parent: int) -> list[int]:
    """The processes that one has started and that still run."""
    found = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]
    return sorted(pid for pid in found if (fields := _stat(pid)) and int(fields[1]) == parent)


def hosts(order: Order, parent: int | None = None) -> list[int]:
    """The hosts of one kind of world that a process has started, by default this one."""
    told = msgspec.json.encode(order)
    return [
        pid
        for pid in children(os.getpid() if parent is None else parent)
        if told in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    ]


def resident(pid: int) -> int:
    """Memory of a process, in bytes."""
    return int(Path(f"/proc/{pid}/statm").read_text("utf-8").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def until(true: Callable[[], bool], seconds: float = 20) -> bool:
    """Wait for something to come about; tell whether it has."""
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    return true()
