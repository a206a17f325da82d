"""What may go wrong and how often: bounds, and whom an entry concerns."""

import msgspec
import pytest

from hocket.runtime.fault_profile import SPOILS, WINDOWS, AgentFaults, FaultProfile, Link, Window
from hocket.runtime.latency import Uniform


def test_a_profile_of_nothing_is_nothing() -> None:
    """And takes no room in the header of a trace."""
    assert msgspec.json.encode(FaultProfile()) == b"{}"
    assert FaultProfile().seats() == ()


def test_an_entry_concerns_every_seat_unless_it_says_which() -> None:
    """None at all is none, not all."""
    assert [Link().concerns(seat) for seat in (0, 7)] == [True, True]
    assert [Link(seats=(1,)).concerns(seat) for seat in (0, 1)] == [False, True]
    assert not Window(seats=()).concerns(0)


def test_the_seats_of_a_profile_are_those_that_any_entry_names() -> None:
    """In order, each once, so that one that the game has not can be told before it is played."""
    profile = FaultProfile(
        link=(Link(seats=(3,)), Link()),
        partition=(Window(seats=(1, 0)),),
        hold=(Window(seats=(4,)),),
        crash=(Window(seats=(5,)),),
        agent=(AgentFaults(seats=(1, 2)),),
    )

    assert profile.seats() == (0, 1, 2, 3, 4, 5)


def test_a_profile_comes_back_from_a_header_as_it_was() -> None:
    """It is written down with the episode that it was for."""
    profile = FaultProfile(
        about="an evening",
        link=(Link(carries=("choice",), latency=Uniform(1, 4), drop=0.02),),
        partition=(Window(seats=(1,), start=50, ticks=20),),
        agent=(AgentFaults(malformed=0.05),),
    )

    assert msgspec.json.decode(msgspec.json.encode(profile), type=FaultProfile) == profile


def test_chances_of_an_agent_may_add_up_to_one_and_to_no_more() -> None:
    """Each answer has one fault at most; whatever way the sum is rounded."""
    msgspec.convert({spoil: 1 / len(SPOILS) for spoil in SPOILS}, AgentFaults)

    with pytest.raises(ValueError, match=r"the chances of its faults add up to 1.1, which is more than 1"):
        AgentFaults(late=0.6, stale=0.5)


@pytest.mark.parametrize("spoil", SPOILS)
def test_every_fault_of_an_agent_has_its_chance(spoil: str) -> None:
    """By the name under which it stands in a trace."""
    assert getattr(msgspec.convert({spoil: 0.25}, AgentFaults), spoil) == 0.25


@pytest.mark.parametrize("window", WINDOWS)
def test_every_window_has_its_table(window: str) -> None:
    """The same."""
    assert getattr(msgspec.convert({window: [{"start": 3}]}, FaultProfile), window) == (Window(start=3),)


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"link": [{"drop": 1.01}]}, r"Expected `float` <= 1.0 - at `\$.link\[0\].drop`"),
        ({"link": [{"drop": -0.01}]}, r"Expected `float` >= 0.0 - at `\$.link\[0\].drop`"),
        ({"link": [{"drop": float("nan")}]}, r"Expected `float` >= 0.0 - at `\$.link\[0\].drop`"),
        ({"link": [{"carries": ["gossip"]}]}, r"Invalid enum value 'gossip' - at `\$.link\[0\].carries\[0\]`"),
        ({"link": [{"behind": 0}]}, r"Expected `int` >= 1 - at `\$.link\[0\].behind`"),
        ({"partition": [{"ticks": 0}]}, r"Expected `int` >= 1 - at `\$.partition\[0\].ticks`"),
        ({"crash": [{"every": 0}]}, r"Expected `int` >= 1 - at `\$.crash\[0\].every`"),
        ({"hold": [{"start": -1}]}, r"Expected `int` >= 0 - at `\$.hold\[0\].start`"),
        ({"agent": [{"seats": [-1]}]}, r"Expected `int` >= 0 - at `\$.agent\[0\].seats\[0\]`"),
        ({"agent": [{"late": 0.7, "never": 0.7}]}, r"add up to 1.4, which is more than 1 - at `\$.agent\[0\]`"),
        ({"agent": [{"maleformed": 0.1}]}, r"unknown field `maleformed` - at `\$.agent\[0\]`"),
        ({"agents": []}, "unknown field `agents`"),
    ],
)
def test_what_makes_no_sense_is_refused_by_its_place(entry: dict[str, object], problem: str) -> None:
    """A chance that is none, a window of no length, a word that means nothing."""
    with pytest.raises(msgspec.ValidationError, match=problem):
        msgspec.convert(entry, FaultProfile)
