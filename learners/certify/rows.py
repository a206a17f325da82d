"""A certificate as rows of text, with a number of every seat in each."""

from collections.abc import Iterator

from hocket.learners.certify.certificate import Certificate, Measured
from hocket.replays.audits.text import NOTHING


def rows(found: Certificate) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each row, and a text of every seat."""
    parts = found.seats
    yield "alone, the others idle", [told(part.alone) for part in parts]
    yield "the others random", [told(part.beside_random) for part in parts]
    if found.partner.agent is not None:
        yield f"the others {found.partner.agent}", [told(part.beside_scripted) for part in parts]
    yield "adds after half time", [told(part.added) for part in parts]
    yield "of what the team earns there", [_of(told(part.after), part.added_share) for part in parts]
    yield "share of the work", [_share(part.work_share) for part in parts]


def told(measured: Measured | None) -> str:
    """Write a number of each episode: its mean with an interval, and how often an agent failed."""
    if measured is None:
        return NOTHING
    return str(measured.estimate) + (f", failed {measured.failed} times" if measured.failed else "")


def handed(found: Certificate) -> str:
    """Say what went from hand to hand; nothing where nothing is carried."""
    if found.deliveries is None:
        return ""
    hands = f"{found.shared} of {found.deliveries} deliveries went through the hands of several"
    return f"hand-offs: {found.handoffs}; {hands}"


def _of(after: str, share: float | None) -> str:
    return after if share is None else f"{after}: {_share(share)}"


def _share(share: float | None) -> str:
    return NOTHING if share is None else f"{share:.0%}"
