"""Pace, contracts and faults: what was given, and what holds then."""

from typing import Any

import pytest

from hocket.commands.arguments import Paces
from hocket.commands.terms import Agreed, Given, agree, read_contracts, read_incidents
from hocket.games import registry
from hocket.replays.fault_file import read_profile
from hocket.replays.trace import Terms
from hocket.runtime.contract import PATIENT, Contract
from hocket.runtime.drawn import Drawn
from hocket.runtime.errors import SeatError, SettingError, UnknownNameError, UsageError
from hocket.runtime.fault_profile import FaultProfile
from hocket.runtime.incident import Incident
from hocket.runtime.listed import Listed
from hocket.runtime.pace import Live, Lockstep, Simulated

PANTRY = registry.make("pantry")
LIBRARY = registry.library(PANTRY)
TEN = Contract(deadline=10)


def agreed(pace: str, **given: Any) -> Agreed:
    """What holds at a pantry of two seats."""
    return agree(Given(pace=Paces(pace), **given), PANTRY, LIBRARY, seed=3, steps=60, fallback="idle")


def test_terms_are_for_every_seat_or_for_one() -> None:
    """What is said of one seat goes before what is said of all, wherever it stands."""
    one = Contract(deadline=40, misses=2)

    assert read_contracts([], PANTRY, LIBRARY, PATIENT) == {0: PATIENT, 1: PATIENT}
    assert read_contracts(["deadline:10"], PANTRY, LIBRARY, PATIENT) == {0: TEN, 1: TEN}
    assert read_contracts(["1=misses:2"], PANTRY, LIBRARY, PATIENT) == {0: PATIENT, 1: one}
    assert read_contracts(["1=misses:2", "deadline:10"], PANTRY, LIBRARY, PATIENT) == {
        0: TEN,
        1: Contract(deadline=10, misses=2),
    }
    assert read_contracts(["deadline:never"], PANTRY, LIBRARY, PATIENT) == {0: Contract(), 1: Contract()}


@pytest.mark.parametrize("entry", ["ada=deadline:3", "=deadline:3", "-1=deadline:3", "1234567890=deadline:3"])
def test_terms_of_no_seat_are_refused(entry: str) -> None:
    """With the form that they should have."""
    with pytest.raises(SettingError, match="must be TERMS for every seat or N=TERMS for one"):
        read_contracts([entry], PANTRY, LIBRARY, PATIENT)


@pytest.mark.parametrize("entry", ["meanwhile:dance", "1=meanwhile:wate", "meanwhile:serv@1,2"])
def test_an_option_that_there_is_not_is_refused(entry: str) -> None:
    """A late seat would stand still in silence."""
    with pytest.raises(UnknownNameError, match=r"there is no option '(dance|wate|serv)'"):
        read_contracts([entry], PANTRY, LIBRARY, PATIENT)


@pytest.mark.parametrize(
    ("entries", "problem"),
    [(["2=deadline:3"], "seat 2 is not there"), (["0=deadline:3", "0=misses:1"], "seat 0 is named twice")],
)
def test_terms_of_a_seat_are_given_once_and_for_a_seat_that_is_there(entries: list[str], problem: str) -> None:
    """As agents are."""
    with pytest.raises(SeatError, match=f"{problem}: pantry has seats 0 to 1"):
        read_contracts(entries, PANTRY, LIBRARY, PATIENT)


def test_faults_are_for_seats_that_are_there() -> None:
    """The fault itself is named, since there may be many."""
    assert read_incidents(["drop:1:12:choice"], PANTRY) == (Incident("drop", 1, 12, "choice"),)

    with pytest.raises(SeatError, match="seat 2 of hold:2:0:5 is not there: pantry has seats 0 to 1"):
        read_incidents(["drop:1:12:choice", "hold:2:0:5"], PANTRY)


def test_plain_lockstep_has_no_terms() -> None:
    """So that its traces are those of before."""
    plain = agreed("lockstep")

    assert isinstance(plain.pace, Lockstep)
    assert plain.terms == Terms("lockstep")
    assert (plain.contracts, plain.faults) == ((Contract(), Contract()), None)


def test_lockstep_under_contract_names_its_fallback() -> None:
    """Whoever takes a seat is part of what the episode depends on."""
    bound = agreed("lockstep", contract=["0=misses:2"])

    assert bound.terms == Terms("lockstep", (Contract(misses=2), Contract()), "idle")


def test_live_pace_has_a_rate_and_a_fallback() -> None:
    """Eight ticks a second where nothing is said."""
    usual, quick = agreed("live"), agreed("live", hz=50.0)

    assert isinstance(usual.pace, Live)
    assert isinstance(quick.pace, Live)
    assert (usual.pace.hz, quick.pace.hz) == (8.0, 50.0)
    assert usual.terms == Terms("live", (), "idle")


def test_virtual_time_is_patient_and_ideal_unless_it_is_told_otherwise() -> None:
    """Forty ticks an offer, since what is lost must lapse some time; and nothing goes wrong."""
    usual = agreed("simulated")

    assert isinstance(usual.pace, Simulated)
    assert usual.contracts == (PATIENT, PATIENT)
    assert usual.terms == Terms("simulated", (PATIENT, PATIENT), "idle", FaultProfile())
    assert isinstance(usual.faults, Drawn)
    assert usual.faults.windows == ()


def test_a_profile_is_drawn_from_by_the_seed_and_stands_in_the_header() -> None:
    """Pace and agents have the same draw."""
    hostile = agreed("simulated", faults="hostile")

    assert isinstance(hostile.pace, Simulated)
    assert isinstance(hostile.faults, Drawn)
    assert hostile.pace.faults is hostile.faults
    assert hostile.terms.faults == read_profile("hostile")
    expected = Drawn(read_profile("hostile"), seed=3, seats=2, steps=60)
    decisions = range(60)
    assert hostile.faults.windows == expected.windows
    assert [hostile.faults.answer(0, each) for each in decisions] == [expected.answer(0, each) for each in decisions]


def test_faults_of_ones_own_take_the_place_of_a_profile() -> None:
    """They stand in the header as they were given."""
    listed = agreed("simulated", fault=["drop:0:1:offer", "hold:1:4:3"])

    assert isinstance(listed.faults, Listed)
    assert listed.faults.incidents == (Incident("drop", 0, 1, "offer"), Incident("hold", 1, 4, ticks=3))
    assert listed.terms == Terms("simulated", (PATIENT, PATIENT), "idle", None, ("drop:0:1:offer", "hold:1:4:3"))


def test_terms_of_no_consequence_are_none() -> None:
    """An empty list of contracts says that nobody owes anything."""
    assert agreed("lockstep", contract=[]).terms.contracts == ()


@pytest.mark.parametrize(
    ("pace", "given", "said"),
    [
        (
            "lockstep",
            {"faults": "hostile"},
            "--faults is 'hostile', but must be left out, or given with --pace simulated",
        ),
        ("live", {"faults": "ideal"}, "--faults is 'ideal', but must be left out, or given with --pace simulated"),
        ("lockstep", {"fault": ["hold:0:0:1"]}, "but must be left out, or given with --pace simulated"),
        ("live", {"fault": ["hold:0:0:1"]}, "but must be left out, or given with --pace simulated"),
        ("simulated", {"hz": 8.0}, "--hz is 8.0, but must be left out in virtual time"),
        ("simulated", {"limit": -1.0}, "limit is -1.0, but must be a number of seconds above 0"),
        ("simulated", {"faults": "ideal", "fault": ["hold:0:0:1"]}, "left out with --faults: one or the other"),
        ("lockstep", {"hz": 8.0}, "--hz is 8.0, but must be left out in lockstep"),
        ("live", {"limit": 1.0}, "--limit is 1.0, but must be left out at live pace"),
        ("simulated", {"faults": "hostil"}, "there is no fault profile 'hostil' (nearest: hostile)"),
    ],
)
def test_what_does_not_go_together_is_refused(pace: str, given: dict[str, Any], said: str) -> None:
    """Rather than left out in silence."""
    with pytest.raises(UsageError) as refused:
        agreed(pace, **given)

    assert said in str(refused.value)
