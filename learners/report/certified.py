"""The chapter of a certificate of cooperation."""

from collections.abc import Callable, Iterator
from pathlib import Path

from hocket.learners.certify.certificate import Certificate, Measured, SeatPart
from hocket.learners.certify.evidence import Check
from hocket.learners.report.parts import Chapter, Table, Words
from hocket.replays.audits.told import NOTHING
from hocket.runtime.struct_file import read_json


def certified(path: Path, number: int, where: str) -> Chapter:
    """Write the chapter of a certificate.

    Args:
        path: of its file.
        number: of it among those of the page, from 1.
        where: its folder is, as the page has it.

    Raises:
        FileError: it does not read.
    """
    found = read_json(path, Certificate, "certificate")
    parts = (
        Words((f"{found.verdict[:1].upper()}{found.verdict[1:]}: {found.sentence}.",), strong=True),
        Words(tuple(_opening(found, where))),
        _conditions(found),
        _checks(found),
        _thresholds(found),
    )
    return Chapter(f"certificate-{number}", f"Certificate: {found.game}", parts)


def _opening(found: Certificate, where: str) -> Iterator[str]:
    first, last = found.seeds[0], found.seeds[-1]
    played = f"{len(found.seeds)} episodes of {found.steps} ticks in each condition, seeds {first} to {last}"
    yield f"{where}: {played}, library {found.library}."
    yield f"Starts are {found.starts}: {found.why}."
    if found.partner.agent is None:
        yield f"No condition with a scripted partner: {found.partner.why}."
    if found.deliveries is not None:
        hands = f"{found.shared} of {found.deliveries} deliveries went through the hands of several"
        yield f"Things handed over and used: {found.handoffs}; {hands}."
    holds = "it is among them" if found.expected else "it is not among them"
    yield f"Verdicts that hold: {', '.join(found.thresholds.expect)}; {holds}."


def _conditions(found: Certificate) -> Table:
    rows: list[tuple[str, ...]] = [("the team", *(_told(found.team) for _ in found.seats))]

    def add(name: str, cell: Callable[[SeatPart], str]) -> None:
        rows.append((name, *map(cell, found.seats)))

    add("alone, the others idle", lambda part: _told(part.alone))
    add("the others random", lambda part: _told(part.beside_random))
    if found.partner.agent is not None:
        add(f"the others {found.partner.agent}", lambda part: _told(part.beside_scripted))
    add("adds after half time", lambda part: _told(part.added))
    add("of what the team earns there", lambda part: f"{_told(part.after)}{_share(part.added_share, ': {:.0%}')}")
    add("share of the work", lambda part: _share(part.work_share, "{:.0%}") or NOTHING)
    columns = ("team return, 95% bootstrap interval", *(f"seat {part.seat}\n{part.name}" for part in found.seats))
    return Table("What the team earns, and each seat without it", columns, tuple(rows))


def _checks(found: Certificate) -> Table:
    rows = [(_who(each), each.what, str(each.margin), _holds(each)) for each in found.checks]
    return Table(
        "What the verdict hangs on", ("who", "what", "beyond its line", "does it hold?"), tuple(rows), plain=True
    )


def _thresholds(found: Certificate) -> Table:
    lines = found.thresholds
    rows = (
        ("idle", f"{lines.idle:g}", "part of an equal share below which a seat neither works nor adds anything"),
        ("able", f"{lines.able:g}", "part of the team's return below which a seat cannot do the task alone"),
        ("shared", f"{lines.shared:g}", "part of all deliveries from which on seats work together"),
    )
    return Table("Thresholds", ("line", "value", "meaning"), rows, plain=True)


def _who(check: Check) -> str:
    return "the team" if check.seat is None else f"seat {check.seat}"


def _holds(check: Check) -> str:
    if check.holds is None:
        return f"cannot be told: {check.why or 'the interval lies across'}"
    return "yes" if check.holds else "no"


def _told(measured: Measured | None) -> str:
    if measured is None:
        return NOTHING
    return str(measured.estimate) + (f"\nfailed {measured.failed} times" if measured.failed else "")


def _share(share: float | None, form: str) -> str:
    return "" if share is None else form.format(share)
