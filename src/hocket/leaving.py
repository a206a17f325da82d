"""The end of a command whose agents may have left something running."""

import os
import sys
import threading
from collections.abc import Collection
from typing import NoReturn


def lingering(before: Collection[threading.Thread]) -> bool:
    """Whether threads run on that were not there before, and that the end of the process would wait for."""
    return any(not each.daemon and each not in before for each in threading.enumerate())


def leave(code: int, before: Collection[threading.Thread]) -> int:
    """Return an exit code, or end the process with it at once where its end would have to wait for an agent."""
    if lingering(before):
        leave_at_once(code)
    return code


def leave_at_once(code: int) -> NoReturn:
    """End the process, whatever runs on in it."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
