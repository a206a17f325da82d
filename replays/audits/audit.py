"""All audits over traces in one pass, with one trace in memory."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from hocket.replays.audits.beams import beams
from hocket.replays.audits.calls import calls
from hocket.replays.audits.certainty import certainty
from hocket.replays.audits.collapse import collapse
from hocket.replays.audits.deeds import deeds
from hocket.replays.audits.finding import Absent, Finding, Row, listed
from hocket.replays.audits.handoffs import handoffs
from hocket.replays.audits.idleness import idleness
from hocket.replays.audits.letters import letters
from hocket.replays.audits.record import Record
from hocket.replays.audits.shares import shares
from hocket.replays.audits.sign import Sign, signs
from hocket.replays.audits.social import social
from hocket.replays.audits.specialisation import specialisation
from hocket.replays.audits.sustainability import sustainability
from hocket.replays.audits.territory import territory
from hocket.replays.audits.trouble import trouble
from hocket.replays.audits.work import work
from hocket.replays.trace import Header, Trace
from hocket.runtime.errors import MissingError, TraceError, UnknownNameError

AUDITS: dict[str, Callable[[Record], Finding | Absent]] = {
    "shares": shares,
    "work": work,
    "idleness": idleness,
    "handoffs": handoffs,
    "deeds": deeds,
    "specialisation": specialisation,
    "territory": territory,
    "sustainability": sustainability,
    "social": social,
    "calls": calls,
    "collapse": collapse,
    "letters": letters,
    "beams": beams,
    "certainty": certainty,
    "trouble": trouble,
}
"""By name, in the order in which they are told; each makes a `Finding` of a record, or says why it is `Absent`."""


class Audited(msgspec.Struct, frozen=True):
    """What all audits found."""

    header: Header
    """Of the first trace; the game is that of all, and notes say in what else they differ."""
    returns: tuple[float, ...]
    """Of the team, a trace each, in game points."""
    holders: tuple[dict[str, int], ...]
    """Who held each seat at the start, and in how many traces, shape [seats]."""
    findings: dict[str, Any]
    """By name of the audit, each a `Finding`: `shares` a `Shares`, and so on."""
    absent: dict[str, str]
    """Why the other audits have nothing to say."""
    notes: tuple[str, ...] = ()
    """What is worth knowing of the traces."""
    cut: int = 0
    """Traces that are torn or have no end; they count as far as they go."""

    def signs(self) -> list[Sign]:
        """Return what the numbers come to in words, where they leave no doubt."""
        return signs(self.findings.values())

    def rows(self) -> dict[str, list[Row]]:
        """Return the numbers of each audit."""
        return {name: list(finding.rows()) for name, finding in self.findings.items()}


def audit(traces: Iterable[Trace], names: Sequence[str] = ()) -> Audited:
    """Go through traces of one game.

    Args:
        traces: at least one; read one after the other.
        names: of the audits; empty for all.

    Raises:
        UnknownNameError: no such audit.
        TraceError: a trace of another game than the first.
        MissingError: there is no trace.
    """
    for name in names:
        if name not in AUDITS:
            raise UnknownNameError(kind="audit", name=name, known=AUDITS)
    asked = {name: look for name, look in AUDITS.items() if not names or name in names}
    tally: Tally | None = None
    for trace in traces:
        tally = Tally(trace, asked) if tally is None else tally
        tally.take(trace)
    if tally is None:
        raise MissingError(argument="TRACE", what="there is nothing to audit")
    return tally.audited()


class Tally:
    """What is found of one game, trace by trace; none of them is kept."""

    def __init__(self, first: Trace, asked: Mapping[str, Callable[[Record], Finding | Absent]] = AUDITS) -> None:
        """Begin with nothing.

        Args:
            first: of the game that all traces are of; it is not taken yet.
            asked: audits by name.
        """
        self._header, self._path, self._asked = first.header, first.path, asked
        self._findings: dict[str, Finding] = {}
        self._absent: dict[str, dict[str, int]] = {}
        self._returns: list[float] = []
        self._holders: list[dict[str, int]] = [{} for _ in first.header.seats]
        self._digests: set[str] = set()
        self._terms: dict[str, dict[str, None]] = {}
        self._torn, self._unfinished, self._copies = 0, 0, 0

    def take(self, trace: Trace) -> None:
        """Add a trace; one that is there already counts once, since a copy is no further episode.

        Raises:
            TraceError: it is of another game than the first, or has a step that its game cannot have made.
        """
        self._check(trace)
        if trace.digest and trace.digest in self._digests:
            self._copies += 1
            return
        self._digests.add(trace.digest)
        for name, term in _terms(trace.header):
            self._terms.setdefault(name, {})[term] = None
        record = Record(trace)
        for name, look in self._asked.items():
            found = look(record)
            if isinstance(found, Absent):
                reasons = self._absent.setdefault(name, {})
                reasons[found.reason] = reasons.get(found.reason, 0) + 1
            else:
                self._findings[name] = self._findings[name] + found if name in self._findings else found
        for seat, holder in enumerate(trace.header.seats):
            self._holders[seat][holder] = self._holders[seat].get(holder, 0) + 1
        self._returns.append(sum(record.returns))
        self._torn += trace.torn
        self._unfinished += not (trace.torn or trace.ended)

    def audited(self) -> Audited:
        """Return what was found, of at least one trace."""
        return Audited(
            self._header,
            tuple(self._returns),
            tuple(self._holders),
            self._findings,
            {name: "; ".join(reasons) for name, reasons in self._absent.items() if name not in self._findings},
            tuple(self._notes()),
            self._torn + self._unfinished,
        )

    def _notes(self) -> Iterable[str]:
        count = len(self._returns)
        for name, reasons in self._absent.items():
            if name in self._findings:
                for reason, times in reasons.items():
                    yield f"{name}: {times} of {count} traces are left out: {reason}"
        if self._torn:
            yield f"{self._torn} of {count} traces are torn: they count as far as they go"
        if self._unfinished:
            yield f"{self._unfinished} of {count} traces have no end: they count as far as they go"
        for name, terms in self._terms.items():
            if len(terms) > 1:
                yield f"several {name} are counted together: {', '.join(terms)}"
        if self._copies:
            many = "1 copy of a trace is" if self._copies == 1 else f"{self._copies} copies of traces are"
            yield f"{many} left out: a copy is no further episode"
        mixed = [seat for seat, holders in enumerate(self._holders) if len(holders) > 1]
        if mixed:
            who = f"seat {mixed[0]} was" if len(mixed) == 1 else f"seats {listed(mixed)} were"
            yield f"{who} not held by the same agent in all traces: these numbers are of several teams together"

    def _check(self, trace: Trace) -> None:
        first, this = self._header, trace.header
        if this.game != first.game or len(this.seats) != len(first.seats):
            same = this.game.name == first.game.name
            what = f"{this.game.name} with other settings" if same else this.game.name
            problem = f"is of {what}, but {self._path} is of {first.game.name}: an audit is of one game"
            raise TraceError(path=trace.path, problem=problem)


def _terms(header: Header) -> Iterator[tuple[str, str]]:
    """Yield what episodes of one game can differ in, so that a number over them is of nothing in particular."""
    yield "lengths", f"{header.steps} ticks"
    yield "option libraries", header.library.name
    yield "kinds of starts", header.kind_of_start
    yield "paces", header.pace
    yield "sets of guards", f"{len(header.guards)} guards"
