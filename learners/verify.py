"""The certificate: each guard counted again, on its own log and on fresh ones.

A guard may hide no logged success of the class of records that it was mined from.
Team "successes" of an option with no private effect may be a partner's; they are
counted apart, as information.
"""

from collections.abc import Sequence
from typing import Any, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from hocket.learners.burn_log import EFFECT_FAIL, EXPLICIT, SUCCESS, Columns, Log, LoggedOption, RunningDigest
from hocket.learners.counts import SOLO, TEAM, at_once, mined_from
from hocket.learners.guard_file import GuardFile, game_digest
from hocket.runtime.errors import GuardError, LogError
from hocket.runtime.guard import REASON, Guard, check
from hocket.runtime.option import Library

SHOWN = 3
"""Records that are kept of each finding."""


class Record(msgspec.Struct, frozen=True):
    """One logged option, in words."""

    episode: int
    step: int
    seat: int
    solo: bool
    target: str
    features: dict[str, str]
    outcome: str


class Check(msgspec.Struct, frozen=True):
    """What one log says of one guard."""

    guard: Guard
    log: str
    support: int
    """Failures that it explains here."""
    hidden: int
    """Successes that it hides here, of the class that it was mined from: 0, or it does not hold."""
    forged: int
    """Team successes that it hides, of an option whose effect a partner may have brought about."""
    examples: tuple[Record, ...]
    """The first hidden successes; where there are none, the first failures."""
    own: bool
    """Whether the guard was mined from this very log."""

    @property
    def holds(self) -> bool:
        """Whether it hides no success and, on its own log, explains as many failures as it says."""
        return not self.hidden and (not self.own or self.support == self.guard.support)


def verify(file: GuardFile, logs: Sequence[Log]) -> list[Check]:
    """Count every guard again on every log.

    Raises:
        LogError: a log of another game or library, or one that is not whole.
        GuardError: an option or feature that the log does not know.
    """
    checks: list[Check] = []
    for log in logs:
        same_source(file, log)
        mark = log.manifest.library
        logged = Library(
            name=mark.name, version=mark.version, digest=mark.digest, options=cast(Any, log.manifest.options)
        )
        for guard in file.guards:
            check(guard, logged)
        running = RunningDigest(log.manifest)
        tallies = [_Tally(guard, log) for guard in file.guards]
        for columns in map(running.add, log.chunks()):
            for tally in tallies:
                tally.add(columns)
        own = running.digits == file.log.digest
        checks += [tally.check(own) for tally in tallies]
    return checks


def same_source(file: GuardFile, log: Log) -> None:
    """Refuse a log that guards cannot be held against.

    Raises:
        LogError: it is of another game or library.
    """
    plan = log.manifest
    if game_digest(plan.game) != file.game_digest:
        raise LogError(log=log.path, problem=f"is of {plan.game.name}, but the guards are of {file.game}")
    if plan.library != file.library:
        mine, theirs = plan.library, file.library
        problem = (
            f"is of the library {mine.name!r} ({mine.digest}), but the guards of {theirs.name!r} ({theirs.digest})"
        )
        raise LogError(log=log.path, problem=problem)


class _Tally:
    """One guard on one log."""

    def __init__(self, guard: Guard, log: Log) -> None:
        self._guard, self._log = guard, log
        names = [option.name for option in log.manifest.options]
        if guard.option not in names:
            raise GuardError(guard=guard.option, problem=f"{log.path} knows no such option")
        if guard.channel == "explicit" and set(guard.when) != {REASON}:
            raise GuardError(guard=guard.option, problem=f"an explicit guard has {REASON} and nothing else")
        self._number = names.index(guard.option)
        self._option: LoggedOption = log.manifest.options[self._number]
        values = self._option.read_values()
        self._codes = [code for code, each in enumerate(values) if guard.when.items() <= each.items()]
        if guard.channel == "inferred" and not self._codes:
            raise GuardError(
                guard=guard.option, problem=f"{log.path} knows no {' and '.join(guard.when)} of that value"
            )
        self._support = self._hidden = self._forged = 0
        self._failures: list[Record] = []
        self._successes: list[Record] = []

    def add(self, columns: Columns) -> None:
        classes = np.where(columns["episode"] < self._log.manifest.solo, SOLO, TEAM)
        speaks = (columns["option"] == self._number) & np.isin(classes, mined_from(self._option))
        if self._guard.channel == "explicit":
            reasons = columns["reasons"].tolist()
            reason = self._guard.when[REASON]
            code = EXPLICIT + reasons.index(reason) if reason in reasons else -1
            failed = speaks & (columns["outcome"] == code) & at_once(columns)
            self._note(columns, failed, self._failures)
            self._support += int(failed.sum())
            return
        covered = (columns["option"] == self._number) & np.isin(columns["read"], self._codes)
        failed = covered & speaks & (columns["outcome"] == EFFECT_FAIL)
        succeeded = covered & (columns["outcome"] == SUCCESS)
        self._support += int(failed.sum())
        self._hidden += int((succeeded & speaks).sum())
        self._forged += int((succeeded & ~speaks).sum())
        self._note(columns, failed, self._failures)
        self._note(columns, succeeded & speaks, self._successes)

    def check(self, own: bool) -> Check:
        examples = tuple(self._successes or self._failures)
        return Check(self._guard, str(self._log.path), self._support, self._hidden, self._forged, examples, own)

    def _note(self, columns: Columns, rows: NDArray[Any], kept: list[Record]) -> None:
        for row in np.flatnonzero(rows)[: SHOWN - len(kept)].tolist():
            kept.append(record(self._log, columns, row))


def record(log: Log, columns: Columns, row: int) -> Record:
    """Put one row of a chunk into words."""
    option = log.manifest.options[int(columns["option"][row])]
    outcome = int(columns["outcome"][row])
    known = ("success", "effect_fail", "timeout")
    return Record(
        int(columns["episode"][row]),
        int(columns["step"][row]),
        int(columns["seat"][row]),
        bool(columns["episode"][row] < log.manifest.solo),
        str(columns["targets"][columns["target"][row]]),
        option.read_values()[int(columns["read"][row])] | option.sense_values()[int(columns["sense"][row])],
        known[outcome] if outcome < EXPLICIT else f"explicit:{columns['reasons'][outcome - EXPLICIT]}",
    )
