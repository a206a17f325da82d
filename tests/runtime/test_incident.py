"""One thing that goes wrong, as text and as a list."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hocket.runtime.errors import SettingError
from hocket.runtime.fault_profile import SPOILS, WINDOWS
from hocket.runtime.incident import KINDS, MESSAGES, THINK, TIMED, Incident, read_incident
from hocket.runtime.listed import Listed

NUMBERS = st.integers(0, 10**9 - 1)


@st.composite
def incidents(draw: st.DrawFn) -> Incident:
    """Any incident."""
    kind = draw(st.sampled_from(KINDS))
    message = draw(st.sampled_from(["offer", "choice"])) if kind in MESSAGES else ""
    return Incident(kind, draw(NUMBERS), draw(NUMBERS), message, draw(NUMBERS) if kind in TIMED else 0)


@given(incidents())
def test_an_incident_reads_back_as_it_was_written(incident: Incident) -> None:
    """What a search prints can be played again."""
    assert read_incident(str(incident)) == incident


@pytest.mark.parametrize(
    ("text", "incident"),
    [
        ("drop:1:12:offer", Incident("drop", 1, 12, "offer")),
        ("delay:1:12:choice:7", Incident("delay", 1, 12, "choice", 7)),
        ("think:1:12:3", Incident("think", 1, 12, ticks=3)),
        ("malformed:1:12", Incident("malformed", 1, 12)),
        ("late:1:12:30", Incident("late", 1, 12, ticks=30)),
        ("partition:1:50:20", Incident("partition", 1, 50, ticks=20)),
    ],
)
def test_the_examples_of_its_module_are_read(text: str, incident: Incident) -> None:
    """They are what a stranger copies."""
    assert (read_incident(text), str(incident)) == (incident, text)


@pytest.mark.parametrize(
    "text",
    [
        *("", ":", "drop", "drop:1", "drop:1:12", "drop:1:12:gossip", "drop:1:12:offer:3", "drop:x:12:offer"),
        *("delay:1:12:offer", "delay:1:12:offer:", "delay:1:12:offer:-3", "delay:1:12:offer:1.5", "delay:1:12:7"),
        *("malformed:1", "malformed:1:12:3", "malformed:1:12:offer", "late:1:12", "think:1:12:choice:3"),
        *(
            "partition:1:50",
            "partition:1:50:offer:20",
            "Drop:1:12:offer",
            " drop:1:12:offer",
            "drop:1:1234567890:offer",
        ),
        "drop:\N{ARABIC-INDIC DIGIT ONE}:12:offer",
    ],
)
def test_what_is_no_incident_is_refused(text: str) -> None:
    """In one sentence with the form that it should have."""
    with pytest.raises(SettingError) as refused:
        read_incident(text)

    assert str(refused.value) == (
        f"fault is {text!r}, but must be KIND:SEAT:DECISION[:offer or choice][:TICKS], "
        "or KIND:SEAT:START:TICKS for partition, hold and crash"
    )


def test_a_window_is_over_after_its_ticks_and_never_where_it_has_none() -> None:
    """0 ticks stand for good."""
    assert Incident("hold", 0, 5, ticks=3).until == 8
    assert Incident("hold", 0, 5).until == float("inf")


def test_a_list_answers_for_what_it_names_alone() -> None:
    """Another seat, decision or message has nothing to fear."""
    drop, delay = Incident("drop", 0, 3, "offer"), Incident("delay", 0, 3, "choice", 2)
    think, late = Incident(THINK, 1, 4, ticks=2), Incident("late", 1, 5, ticks=9)

    listed = Listed([drop, delay, think, late])

    assert listed.message("offer", 0, 3) == (drop,)
    assert listed.message("choice", 0, 3) == (delay,)
    assert listed.message("offer", 1, 3) == listed.message("offer", 0, 4) == ()
    assert (listed.thinking(1, 4), listed.thinking(0, 4), listed.thinking(1, 5)) == (think, None, None)
    assert (listed.answer(1, 5), listed.answer(1, 4), listed.answer(0, 5)) == (late, None, None)
    assert listed.windows == ()


def test_several_things_can_happen_to_one_message() -> None:
    """In the order in which they are listed."""
    both = [Incident("delay", 0, 3, "choice", 2), Incident("duplicate", 0, 3, "choice", 1)]

    assert Listed(both).message("choice", 0, 3) == tuple(both)


def test_windows_are_listed_by_their_beginnings() -> None:
    """Those of one tick as they were given."""
    late, one, other = Incident("hold", 0, 9, ticks=1), Incident("crash", 1, 2, ticks=1), Incident("hold", 0, 2)

    assert Listed([late, one, other]).windows == (one, other, late)


def test_every_kind_belongs_somewhere() -> None:
    """A kind that nobody asks about would be a fault that never happens."""
    found = Listed(Incident(kind, 0, 0, "offer" if kind in MESSAGES else "", 1) for kind in KINDS)

    assert {each.kind for each in found.message("offer", 0, 0)} == set(MESSAGES)
    assert {each.kind for each in found.windows} == set(WINDOWS)
    assert set(KINDS) == {*MESSAGES, THINK, *SPOILS, *WINDOWS}
