"""Packages that only an optional extra installs, imported when they are needed."""

from importlib import import_module
from typing import Any

from hocket.runtime.errors import MissingExtraError


def imported(module: str, *, extra: str, needed_for: str) -> Any:
    """Return a module.

    Args:
        module: its full name.
        extra: that installs it.
        needed_for: what cannot be done without it, in words.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        import_module(module.partition(".")[0])  # a part that was imported before does not tell that the whole is there
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(extra=extra, needed_for=needed_for) from error
