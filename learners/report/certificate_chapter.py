"""The chapter of a certificate of cooperation."""

from collections.abc import Iterator
from pathlib import Path

from hocket.learners.certify.certificate import Certificate
from hocket.learners.certify.evidence import Check
from hocket.learners.certify.rows import handed, rows, told
from hocket.learners.report.parts import Chapter, Table, Words, sentence
from hocket.runtime.struct_file import read_json


def certificate_chapter(path: Path, number: int, where: str) -> Chapter:
    """Write the chapter of a certificate.

    Args:
        path: of its file.
        number: of it among those of the page, from 1.
        where: its folder is, as the page has it.

    Raises:
        FileError: it does not read.
    """
    found = read_json(path, Certificate, "certificate")
    team = ", ".join(dict.fromkeys(part.name for part in found.seats))
    parts = (
        Words((sentence(f"{found.verdict}: {found.sentence}"),), strong=True),
        Words(tuple(_opening(found, where))),
        _conditions(found),
        _checks(found),
        _thresholds(found),
    )
    return Chapter(f"certificate-{number}", f"Certificate: {team} in {found.game}", parts)


def _opening(found: Certificate, where: str) -> Iterator[str]:
    first, last = found.seeds[0], found.seeds[-1]
    played = f"{len(found.seeds)} episodes of {found.steps} ticks in each condition, seeds {first} to {last}"
    yield f"{where}: {played}, library {found.library}."
    yield f"Starts are {found.starts}: {found.why}."
    if found.partner.agent is None:
        yield f"No condition with a scripted partner: {found.partner.why}."
    if hands := handed(found):
        yield sentence(hands)
    holds = "it is among them" if found.expected else "it is not among them"
    yield f"Verdicts that hold: {', '.join(found.thresholds.expect)}; {holds}."


def _conditions(found: Certificate) -> Table:
    team = ("the team", [told(found.team)] * len(found.seats))
    columns = ("team return, 95% bootstrap interval", *(f"seat {part.seat}\n{part.name}" for part in found.seats))
    written = tuple((name, *texts) for name, texts in [team, *rows(found)])
    return Table("What the team earns, and each seat without it", columns, written)


def _checks(found: Certificate) -> Table:
    held = [(_who(each), each.what, str(each.margin), _holds(each)) for each in found.checks]
    return Table(
        "What the verdict hangs on", ("who", "what", "beyond its line", "does it hold?"), tuple(held), plain=True
    )


def _thresholds(found: Certificate) -> Table:
    lines = found.thresholds
    meanings = (
        ("idle", f"{lines.idle:g}", "part of an equal share below which a seat neither works nor adds anything"),
        ("able", f"{lines.able:g}", "part of the team's return below which a seat cannot do the task alone"),
        ("shared", f"{lines.shared:g}", "part of all deliveries from which on seats work together"),
    )
    return Table("Thresholds", ("line", "value", "meaning"), meanings, plain=True)


def _who(check: Check) -> str:
    return "the team" if check.seat is None else f"seat {check.seat}"


def _holds(check: Check) -> str:
    if check.holds is None:
        return f"cannot be told: {check.why or 'the interval lies across'}"
    return "yes" if check.holds else "no"
