"""All audits over a folder."""

import msgspec
import pytest
from tests.replays.audits.played import pair, play

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.replays.audits.audit import AUDITS, audit
from hocket.runtime.errors import MissingError, TraceError, UnknownNameError


def test_an_audit_is_of_one_game() -> None:
    """The second game is named, and so is another kitchen of the same name."""
    one = msgspec.structs.replace(pair(Random(), Random()), path="one.jsonl")
    other = msgspec.structs.replace(play("pantry", [Random()] * 2, seed=0), path="other.jsonl")
    cheap = msgspec.structs.replace(pair(Random(), Random(), settings={"delivery_reward": 5}), path="cheap.jsonl")

    with pytest.raises(TraceError, match=r"^other.jsonl: is of pantry, but one.jsonl is of overcooked:cramped_room: "):
        audit([one, other])
    with pytest.raises(TraceError, match=r"^cheap.jsonl: is of overcooked:cramped_room with other settings, but"):
        audit([one, cheap])


def test_there_must_be_something_to_audit() -> None:
    """An unknown audit and no trace at all are told in one sentence each."""
    with pytest.raises(UnknownNameError, match="there is no audit 'hands' \\(nearest: handoffs"):
        audit([], ["hands"])
    with pytest.raises(MissingError, match="TRACE is missing"):
        audit([])


def test_torn_and_mixed_traces_count_and_are_told() -> None:
    """As far as they go; seats that changed hands between traces are named."""
    whole, other = pair(Random(), Random()), pair(Random(), Idle(), seed=4)
    torn = msgspec.structs.replace(other, events=other.events[:200], torn=True)

    found = audit([whole, torn])

    assert found.notes == (
        "1 of 2 traces are torn: they count as far as they go",
        "seat 1 was not held by the same agent in all traces: these numbers are of several teams together",
    )
    assert list(found.findings) == [name for name in AUDITS if name in found.findings]


def test_a_trace_of_nothing_is_no_fault() -> None:
    """A header alone, as after a crash in the first tick."""
    bare = msgspec.structs.replace(pair(Random(), Random()), events=())

    found = audit([bare])

    assert found.returns == (0,)
    assert found.absent["shares"] == "nobody has chosen an option"
    assert all(list(finding.rows()) for name, finding in found.findings.items() if name != "deeds")


def test_a_copy_is_no_further_episode() -> None:
    """Twice the same trace would make intervals too narrow."""
    traces = [msgspec.structs.replace(pair(Random(), Random(), seed=seed), digest=f"{seed}") for seed in (1, 2)]

    found = audit([*traces, traces[0]])

    assert len(found.returns) == 2
    assert found.notes == ("1 copy of a trace is left out: a copy is no further episode",)


def test_episodes_of_several_kinds_are_told() -> None:
    """A number over two lengths is of neither."""
    found = audit([pair(Random(), Random()), pair(Random(), Random(), steps=60, seed=4, starts="varied")])

    assert found.notes == (
        "several lengths are counted together: 120 ticks, 60 ticks",
        "several kinds of starts are counted together: standard, varied",
    )
