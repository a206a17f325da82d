"""The file of a cassette: what was asked, and what was replied.

A line is one JSON object with sorted keys: a header, then texts and replies. What was asked
is a few texts, such as the messages of a chat. Each stands in the file once, with its BLAKE2b-128
digest, above the first reply that names it. Replies stand in the order of seat, decision and
question, so that the order in which they came leaves no mark.

A reply may be edited by hand. A text may not: its digest gives it away.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from hocket.runtime.errors import CassetteError

SCHEMA = 1


class Exchange(msgspec.Struct, frozen=True):
    """What was asked once, and what was replied."""

    seat: int
    decision: int
    """Running number of the seat's decisions, from 0."""
    question: int
    """Running number of what was asked within the decision, from 0."""
    asked: tuple[str, ...]
    reply: Any
    """A JSON value."""


class Tape(msgspec.Struct, frozen=True):
    """A whole file in memory."""

    seats: int
    exchanges: tuple[Exchange, ...]
    digest: str = ""
    """Of the file; empty where there is none yet."""


class _Header(msgspec.Struct, frozen=True, tag="cassette", forbid_unknown_fields=True):
    schema: int
    seats: int


class _Text(msgspec.Struct, frozen=True, tag="text", forbid_unknown_fields=True):
    digest: str
    text: str


class _Reply(msgspec.Struct, frozen=True, tag="reply", forbid_unknown_fields=True):
    seat: int
    decision: int
    question: int
    asked: tuple[str, ...]
    """Digests."""
    reply: Any


_Line: TypeAlias = _Header | _Text | _Reply
_encode = msgspec.json.Encoder(order="sorted").encode
_decode = msgspec.json.Decoder(_Line, strict=True).decode


def encode_tape(tape: Tape) -> bytes:
    """Return a tape as the bytes of its file."""
    return b"".join(_encode(line) + b"\n" for line in _lines(tape))


def _lines(tape: Tape) -> Iterator[_Line]:
    yield _Header(SCHEMA, tape.seats)
    digests: dict[str, str] = {}
    for each in sorted(tape.exchanges, key=_place):
        for text in each.asked:
            if text not in digests:
                digests[text] = _digest(text.encode())
                yield _Text(digests[text], text)
        yield _Reply(each.seat, each.decision, each.question, tuple(digests[text] for text in each.asked), each.reply)


def _place(exchange: Exchange) -> tuple[int, int, int]:
    return exchange.seat, exchange.decision, exchange.question


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()


def read_tape(path: Path | str) -> Tape:
    """Read and check a file.

    Raises:
        CassetteError: nothing can be read there, or it is no whole cassette: names the line.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise CassetteError(path=path, problem=(error.strerror or "cannot be read").lower()) from error
    if not content:
        raise CassetteError(path=path, problem="is empty")
    lines = _decoded(content, path)
    header = next(lines, None)
    if not isinstance(header, _Header):
        raise CassetteError(path=path, problem="is no cassette: its first line is no header")
    if header.schema > SCHEMA:
        problem = f"is of schema {header.schema}, but this version reads up to {SCHEMA}"
        raise CassetteError(path=path, line=1, problem=problem)
    return Tape(header.seats, tuple(_exchanges(lines, header.seats, path)), _digest(content))


def _decoded(content: bytes, path: Path | str) -> Iterator[_Line]:
    lines = content.split(b"\n")
    torn = lines.pop()
    for number, line in enumerate([*lines, torn] if torn else lines, 1):
        try:
            yield _decode(line)
        except (msgspec.DecodeError, RecursionError) as error:
            if number == 1:
                raise CassetteError(path=path, problem="is no cassette: its first line is no header") from error
            whole = number <= len(lines)
            problem = f"does not read: {error}" if whole else "the file ends in the middle of it; record it anew"
            raise CassetteError(path=path, line=number, problem=problem) from error


def _exchanges(lines: Iterable[_Line], seats: int, path: Path | str) -> Iterator[Exchange]:
    texts: dict[str, str] = {}
    questions: Counter[tuple[int, int]] = Counter()
    for number, line in enumerate(lines, 2):
        if isinstance(line, _Text):
            if _digest(line.text.encode()) != line.digest:
                problem = "its text is not the one of its digest: what was asked cannot be edited, record it anew"
                raise CassetteError(path=path, line=number, problem=problem)
            texts[line.digest] = line.text
            continue
        if isinstance(line, _Header):
            raise CassetteError(path=path, line=number, problem="is a second header")
        wrong = _objection(line, seats, texts, questions[line.seat, line.decision])
        if wrong is not None:
            raise CassetteError(path=path, line=number, problem=wrong)
        questions[line.seat, line.decision] += 1
        asked = tuple(texts[digest] for digest in line.asked)
        yield Exchange(line.seat, line.decision, line.question, asked, line.reply)


def _objection(line: _Reply, seats: int, texts: dict[str, str], due: int) -> str | None:
    if not 0 <= line.seat < seats:
        return f"there is no seat {line.seat}: the cassette is of {seats}"
    if line.question != due:
        return f"question {line.question} of decision {line.decision} of seat {line.seat} stands where {due} is due"
    unknown = [digest for digest in line.asked if digest not in texts]
    return f"no text above it has the digest {unknown[0]!r}" if unknown else None
