"""How sure models were."""

import msgspec
from tests.replays.audits.played import Told, pair

from hocket.agents.random import Random
from hocket.replays.audits.certainty import Certainty, certainty
from hocket.replays.audits.finding import Absent, Row
from hocket.replays.audits.record import Record
from hocket.replays.audits.trouble import trouble
from hocket.runtime.events import OptionChosen


def test_receipts_tell_how_sure_a_model_was() -> None:
    """One certain, one that might as well draw."""
    found = certainty(Record(pair(Told(certain=True), Told(certain=False))))

    assert isinstance(found, Certainty)
    entropy, sure = found.rows()
    assert sure.seats == (1, 0)
    assert entropy.seats[0] is not None
    assert entropy.seats[1] is not None
    assert entropy.seats[0] < 0.3 < entropy.seats[1]


def test_without_receipts_nothing_is_said_of_models() -> None:
    """Scripts and people leave none; that is no parse failure rate of nought."""
    record = Record(pair(Random(), Random()))

    found, replies = certainty(record), next(trouble(record).rows())

    assert found == Absent("no receipt has a distribution: scripts, people and replayed agents leave none")
    assert replies == Row("replies that could not be read", "share", (None, None), words=("no receipts",) * 2)


def test_a_probability_above_one_counts_as_one() -> None:
    """A receipt is whatever an agent said of itself."""
    trace = pair(Told(certain=True), Told(certain=True))
    events = [
        msgspec.structs.replace(event, receipt=msgspec.structs.replace(event.receipt, menu=(1000.0, 0.5)))
        if isinstance(event, OptionChosen) and event.receipt is not None
        else event
        for event in trace.events
    ]

    found = certainty(Record(msgspec.structs.replace(trace, events=tuple(events))))

    assert isinstance(found, Certainty)
    assert found.sure == found.decisions
