"""What a failed agent leaves in place of a choice, and how a chooser is asked."""

import re
from collections.abc import Sequence
from itertools import islice
from traceback import extract_tb

import msgspec
import structlog

from hocket.runtime.policy import Chooser, Offer

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")
_PATH = re.compile(r"(?<![\w.~:/-])/(?:[^/\s'\"]+/)+([^/\s'\"]*)")
_log = structlog.get_logger(__name__)


class Fault(msgspec.Struct, frozen=True):
    """What a failed agent leaves in place of a choice."""

    error: str


def fault(error: BaseException) -> Fault:
    """Describe a failure in one line, and log where it happened.

    The trace gets type and message, without addresses in memory or the folders of paths: nothing
    that changes from machine to machine.
    """
    text = one_line(error)
    line = f"{type(error).__name__}: {text}" if text else type(error).__name__
    frames = extract_tb(error.__traceback__)
    _log.warning("an agent failed", error=line, at=f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "?")
    return Fault(line)


def one_line(error: BaseException) -> str:
    """Return the message of an error on one line, such that it fits into a trace whatever the error is like."""
    try:
        text = " ".join(str(error).split())
    except Exception as inner:
        text = f"its message cannot be read: {type(inner).__name__}"
    text = _PATH.sub(r"\1", _ADDRESS.sub("0x?", text))
    return text.encode("utf-8", "backslashreplace").decode()[:1000]


def ask(chooser: Chooser, offers: Sequence[Offer]) -> Sequence[object]:
    """Ask a chooser; where it fails, a Fault stands for each answer, and where it fails for one offer, for that."""
    asked = tuple(offers)
    try:
        answers = tuple(islice(chooser.choose_many(asked), len(asked) + 1))
        if len(answers) == len(asked):
            return [fault(answer) if isinstance(answer, Exception) else said(answer) for answer in answers]
        raise ValueError(f"{len(asked)} offers, but {'more' if len(answers) > len(asked) else len(answers)} choices")
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        failed: Fault = fault(error)
        return [failed] * len(asked)


def said(answer: object) -> object:
    """Return what an agent answered; a Fault of its own making is nonsense like any other."""
    return "a Fault" if isinstance(answer, Fault) else answer
