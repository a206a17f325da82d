"""Rows of a certificate: the same numbers for the terminal and for the page."""

from pathlib import Path

from tests.learners.report.made import certified

from hocket.learners.certify.certificate import Certificate, Measured
from hocket.learners.certify.rows import handed, rows, told
from hocket.replays.statistics import estimate
from hocket.runtime.struct_file import read_json


def test_failures_are_told_beside_the_number() -> None:
    """An agent that failed has left its seat to nobody; without a partner there is no number."""
    assert told(Measured((1.0, 1.0), estimate([1.0, 1.0]), failed=2)) == "1 (no spread), failed 2 times"
    assert told(None) == "-"


def test_every_row_has_a_text_of_every_seat(tmp_path: Path) -> None:
    """Without a scripted partner there is no row of one."""
    found = read_json(certified(tmp_path / "kept") / "certificate.json", Certificate, "certificate")

    written = dict(rows(found))

    assert list(written) == [
        "alone, the others idle",
        "the others random",
        "adds after half time",
        "of what the team earns there",
        "share of the work",
    ]
    assert written["alone, the others idle"] == [str(part.alone.estimate) for part in found.seats]
    assert written["share of the work"] == [f"{part.work_share:.0%}" for part in found.seats]
    assert handed(found) == f"hand-offs: 0; 0 of {found.deliveries} deliveries went through the hands of several"
