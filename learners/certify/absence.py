"""What a team would have earned with one seat idle in the second half.

It is a fork: all that came before is as it was, and the others play on. They are made anew and
are asked again, so an agent that remembers more than an offer tells it begins without that.
"""

from hashlib import blake2b
from pathlib import Path

import msgspec

from hocket.agents.idle import Idle
from hocket.learners.contest import cast
from hocket.learners.match import Match
from hocket.replays.branch import Branch
from hocket.replays.decisions import Decision, decisions
from hocket.replays.fork import fork
from hocket.replays.trace import Trace, read_trace
from hocket.runtime.errors import TraceError
from hocket.runtime.seats import Holder
from hocket.runtime.whole_file import writable, write_whole


class Absence(msgspec.Struct, frozen=True):
    """One episode, with and without one seat in its second half; team returns, in game points."""

    seat: int
    tick: int
    """From which on it stands idle."""
    so_far: float
    """Up to then."""
    recorded: float
    """Of the whole episode, as it was."""
    without: float
    """Of the whole episode, as it went on with that seat idle."""

    @property
    def added(self) -> float:
        """What the seat has added."""
        return self.recorded - self.without

    @property
    def after(self) -> float:
        """What the team has earned from then on, with the seat."""
        return self.recorded - self.so_far


class Question(msgspec.Struct, frozen=True):
    """Which seat of which episode is to stand idle: data, so it travels to another process."""

    match: Match
    trace: str
    seat: int
    kept: str = ""
    """Folder of answers, which is there; empty where none are kept."""


def absence(question: Question) -> Absence:
    """Play the second half of an episode without one seat, unless the answer is kept.

    Raises:
        UsageError: the trace is not whole, or does not run again; an agent that cannot be loaded.
        FileError: the answer cannot be kept.
        HocketError: the game, the options or the scheduler failed.
    """
    trace = read_trace(question.trace)
    path = _path(question, trace)
    known = None if path is None else _read(path)
    if known is not None:
        return known
    found = _played(question, trace)
    if path is not None:
        _write(path, found)
    return found


def _played(question: Question, trace: Trace) -> Absence:
    """Play the second half without the seat.

    Raises:
        TraceError: the trace has no end, or does not run again.
        UsageError: an agent that cannot be loaded.
        HocketError: the game, the options or the scheduler failed.
    """
    if not trace.ended:
        raise TraceError(path=trace.path, problem="has no end: its episode did not finish")
    branch = Branch(trace, _middle(trace, question.seat))
    if branch.difference is not None:
        told = branch.difference.sentence("in the trace", "in the rerun")
        raise TraceError(path=trace.path, problem=f"does not run again: {told}")
    idle = Holder("idle", Idle())
    team = zip(cast(question.match), branch.scheduler.holders, strict=True)
    holders = [holder if holder.name == name else idle for holder, name in team]
    found = fork(trace, branch, holders, {question.seat: idle}, idle)
    assert found.recorded is not None
    return Absence(question.seat, found.tick, found.so_far, found.recorded, found.fork)


def _middle(trace: Trace, seat: int) -> Decision:
    """Return a seat's first decision in the second half; its last where it has none there."""
    own = [each for each in decisions(trace) if each.seat == seat]
    late = (each for each in own if 2 * each.tick >= trace.header.steps)
    return next(late, own[-1])


def _path(question: Question, trace: Trace) -> Path | None:
    """Return where the answer is kept: under the digest of the trace, which tells its agents and versions."""
    if not question.kept:
        return None
    said = msgspec.json.encode([trace.digest, question.match.agents, question.seat])
    return Path(question.kept) / f"{blake2b(said, digest_size=8).hexdigest()}.json"


def _read(path: Path) -> Absence | None:
    """Return the answer that is kept; None where there is none, or it does not read: then it is played anew."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Absence)
    except (OSError, msgspec.MsgspecError):
        return None


def _write(path: Path, found: Absence) -> None:
    """Keep an answer.

    Raises:
        FileError: it cannot be written.
    """
    with writable(path.parent):
        write_whole(path, msgspec.json.format(msgspec.json.encode(found)))
