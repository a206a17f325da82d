"""Replies of models, recorded by seat and decision, and played where there is no model.

A cassette is either recorded anew or played; there is nothing in between. A reply is played to
the seat that it was recorded for, at the same decision, if it is asked the same, word for word.
Anything else is a miss. The runtime takes what an agent raises for the seat's own fault and goes
on, so a miss is kept as well, and raised again where the `with` block of the cassette ends.
A recording whose block ends with an error leaves the file as it was, and stands beside it.

    with Cassette.record("ada.cassette.jsonl", seats=2) as cassette:
        cassette.put(0, 0, "which way?", "left")
    with Cassette.play("ada.cassette.jsonl") as cassette:
        cassette.get(0, 0, "which way?")

It knows no model. A reply is any JSON value, and what was asked is a text or several.
"""

import os
from collections import Counter
from difflib import unified_diff
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from hocket.replays.tape import Exchange, Tape, encode_tape, read_tape
from hocket.runtime.errors import CassetteError, CassetteMissError
from hocket.runtime.whole_file import write_whole

_LONGEST = 30
"""Lines of a difference that are shown."""


class Cassette:
    """Recorded, or played; `record` and `play` make one."""

    def __init__(self, path: Path | str, tape: Tape, *, recording: bool) -> None:
        self.path, self.seats, self.recording = Path(path), tape.seats, recording
        self.digest = tape.digest
        """Of the file that is played; empty for one that is being recorded."""
        self.misses: list[CassetteMissError] = []
        """What was asked in vain so far."""
        self._exchanges = {(each.seat, each.decision, each.question): each for each in tape.exchanges}
        self._questions: Counter[tuple[int, int]] = Counter()
        """By seat and decision: how often it was asked here."""

    @classmethod
    def record(cls, path: Path | str, *, seats: int) -> Self:
        """Begin a new cassette; it takes the place of what stands at `path` when it is closed.

        Raises:
            CassetteError: it could not be written there.
        """
        folder = Path(path).parent
        if Path(path).is_dir():
            raise CassetteError(path=path, problem="is a folder; name a file")
        if not folder.is_dir():
            raise CassetteError(path=path, problem=f"the folder {folder} is not there")
        if not os.access(folder, os.W_OK):
            raise CassetteError(path=path, problem=f"the folder {folder} cannot be written to")
        return cls(path, Tape(seats, ()), recording=True)

    @classmethod
    def play(cls, path: Path | str, *, seats: int | None = None) -> Self:
        """Open a cassette.

        Args:
            path: of the file.
            seats: how many play, where that is known.

        Raises:
            CassetteError: it is no whole cassette, or one of another number of seats.
        """
        tape = read_tape(path)
        if seats is not None and seats != tape.seats:
            raise CassetteError(path=path, problem=f"was recorded for {tape.seats} seats, not for {seats}")
        return cls(path, tape, recording=False)

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """What it holds."""
        return tuple(self._exchanges.values())

    def get(self, seat: int, decision: int, asked: str | tuple[str, ...]) -> Any:
        """Return the recorded reply. Where a decision is asked again, the next one.

        Raises:
            CassetteMissError: this was not asked of this seat at this decision.
            CassetteError: the cassette is being recorded.
        """
        if self.recording:
            raise CassetteError(path=self.path, problem="is being recorded, so nothing can be played from it")
        texts, question = _texts(asked), self._count(seat, decision)
        found = self._exchanges.get((seat, decision, question))
        if found is not None and found.asked == texts:
            return found.reply
        self.misses.append(self._miss(seat, decision, question, texts))
        raise self.misses[-1]

    def put(self, seat: int, decision: int, asked: str | tuple[str, ...], reply: object) -> None:
        """Record a reply.

        Raises:
            CassetteError: there is no such seat, the reply cannot be written as JSON, or the cassette is being played.
        """
        if not self.recording:
            raise CassetteError(path=self.path, problem="is being played, so nothing can be recorded on it")
        if not 0 <= seat < self.seats:
            raise CassetteError(path=self.path, problem=f"there is no seat {seat}: it is recorded for {self.seats}")
        try:
            texts, kept = msgspec.json.decode(msgspec.json.encode((_texts(asked), reply)))
        except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError) as error:
            problem = f"decision {decision} of seat {seat} cannot be written as JSON: {error}"
            raise CassetteError(path=self.path, problem=problem) from error
        question = self._count(seat, decision)
        self._exchanges[seat, decision, question] = Exchange(seat, decision, question, tuple(texts), kept)

    def check(self) -> None:
        """Raise the first miss, if there was one.

        Raises:
            CassetteMissError: something was asked that was not recorded.
        """
        if self.misses:
            raise self.misses[0]

    def close(self) -> None:
        """Write what was recorded, all of it or nothing; of one that was played, raise the first miss.

        Raises:
            CassetteMissError: as `check`.
            CassetteError: it cannot be written.
        """
        if self.recording:
            self._write(self.path)
        else:
            self.check()

    def __enter__(self) -> Self:
        """Record or play within a `with` block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        """Close it. An error that is on its way goes on, with the first miss as a note: it may well be the reason.

        What was recorded until then is kept as `NAME.partial`, for it may have been dear; what stands at NAME is whole.
        """
        if error is None:
            self.close()
        elif self.recording and self._exchanges:
            error.add_note(self._set_aside())
        elif self.misses and error is not self.misses[0]:
            error.add_note(str(self.misses[0]))

    def _set_aside(self) -> str:
        """Keep an interrupted recording beside its place, and say so."""
        partial = self.path.with_name(f"{self.path.name}.partial")
        try:
            self._write(partial)
        except CassetteError as unwritten:
            return str(unwritten)
        return f"cassette {self.path} was not finished: what was recorded is kept as {partial}"

    def _write(self, path: Path) -> None:
        try:
            write_whole(path, encode_tape(Tape(self.seats, self.exchanges)))
        except OSError as error:
            problem = f"cannot be written: {(error.strerror or str(error)).lower()}"
            raise CassetteError(path=path, problem=problem) from error

    def _count(self, seat: int, decision: int) -> int:
        question = self._questions[seat, decision]
        self._questions[seat, decision] += 1
        return question

    def _miss(self, seat: int, decision: int, question: int, asked: tuple[str, ...]) -> CassetteMissError:
        own = [each for each in self._exchanges.values() if each.seat == seat]
        problem, nearest = _explained(own, decision, question, asked)
        difference = "" if nearest is None else _difference(nearest, asked)
        return CassetteMissError(path=self.path, seat=seat, decision=decision, problem=problem, difference=difference)


def _texts(asked: str | tuple[str, ...]) -> tuple[str, ...]:
    return (asked,) if isinstance(asked, str) else tuple(asked)


def _explained(
    own: list[Exchange], decision: int, question: int, asked: tuple[str, ...]
) -> tuple[str, Exchange | None]:
    """Say what is missing among a seat's exchanges, and which of them comes nearest."""
    if not own:
        return "nothing was recorded for this seat", None
    at = [each for each in own if each.decision == decision]
    if len(at) > question:
        return "something else was asked when it was recorded", at[question]
    if at:
        return f"it is asked for reply {question + 1}, and {len(at)} recorded", at[-1]
    nearest = min(own, key=lambda each: (each.asked != asked, abs(each.decision - decision), each.decision))
    return f"that decision was not recorded, the nearest is decision {nearest.decision}", nearest


def _difference(nearest: Exchange, asked: tuple[str, ...]) -> str:
    if nearest.asked == asked:
        return "(what was asked there is the same, word for word)"
    was, now = ("\n".join(each).splitlines() for each in (nearest.asked, asked))
    name = f"recorded: seat {nearest.seat}, decision {nearest.decision}"
    lines = list(unified_diff(was, now, name, "asked now", n=1, lineterm=""))
    left = len(lines) - _LONGEST
    return "\n".join([*lines[:_LONGEST], f"... and {left} more lines"] if left > 0 else lines)
