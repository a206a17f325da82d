"""Agents whose answers go wrong on purpose, a fault at a time, in whole episodes."""

from collections.abc import Sequence

import pytest
from tests.runtime.simulated import Slow, Waiting, changes, course, injected, simulated

from hocket.agents.idle import Idle
from hocket.runtime.events import ChoiceRejected, FaultInjected, OptionChosen, Receipt
from hocket.runtime.fault_profile import SPOILS
from hocket.runtime.incident import Incident
from hocket.runtime.listed import Listed
from hocket.runtime.policy import Choice, Chooser, NoChoice, Offer, Policy
from hocket.runtime.seats import Holder
from hocket.runtime.spoiled import faulty

DIGEST = "a" * 16


class Tuned(Waiting):
    """Has an adapter, and says so."""

    def __init__(self, adapter: str = "ada@v3", digest: str = DIGEST) -> None:
        super().__init__()
        self._receipt = Receipt(adapter=adapter, adapter_digest=digest)

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        return [Choice(choice.index, self._receipt) for choice in super().choose_many(offers)]


class Mumbling(Waiting):
    """Says nothing that is a choice."""

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[NoChoice]:  # type: ignore[override]
        super().choose_many(offers)
        return [NoChoice("malformed", "hm", Receipt(reply=(7,))) for _ in offers]


def refused(*faults: str, agent: Waiting | None = None) -> list[ChoiceRejected]:
    """What of ada's answers was refused."""
    recording = simulated(*faults, agents=[agent or Waiting(), Waiting()], terms="deadline:4")
    return [event for event in recording.trace.events if isinstance(event, ChoiceRejected)]


def test_a_late_answer_takes_so_much_longer() -> None:
    """Beyond what the agent thinks and its message takes anyway."""
    recording = simulated("late:0:1:3", "think:0:1:1", "delay:0:1:choice:2")

    assert course(recording, 0, 1) == ["offered at 2", "chosen at 8"]
    assert injected(recording) == [FaultInjected(2, 0, "late", "choice", 1, 3)]


def test_an_answer_that_is_never_sent_leaves_its_offer_to_lapse() -> None:
    """The agent has been asked, and will be again."""
    ada = Waiting()

    recording = simulated("never:0:1", agents=[ada, Waiting()], terms="deadline:3")

    assert course(recording, 0)[2:6] == ["1 offered at 2", "1 timeout at 5", "2 offered at 6", "2 chosen at 6"]
    assert ada.asked.count((0, 1)) == 1
    assert injected(recording) == [FaultInjected(2, 0, "never", "choice", 1)]


def test_an_answer_that_is_sent_twice_counts_once() -> None:
    """The second comes so much later, and too late."""
    recording = simulated("twice:0:1:3")

    assert course(recording, 0, 1) == ["offered at 2", "chosen at 2", "refused (late) at 5"]


def test_an_answer_that_is_malformed_ends_its_offer() -> None:
    """As that of an agent which knows that it has said nothing; its receipt is kept."""
    recording = simulated("malformed:0:1")

    assert course(recording, 0)[2:6] == [
        *("1 offered at 2", "1 refused (malformed) at 2", "1 rejected at 2", "2 offered at 3"),
    ]
    [event] = [event for event in recording.trace.events if isinstance(event, ChoiceRejected)]
    assert event.detail == "an injected fault: nothing that can be read"
    assert event.receipt == Receipt(prompt=(0, 1), reply=(1, 2, 3, 4, 5))


def test_an_answer_that_is_cut_off_leaves_the_beginning_of_its_reply() -> None:
    """As a server does that runs into a limit; nothing but the reply is shorter."""
    [event] = refused("cut_off:0:1")

    assert (event.reason, event.detail) == ("malformed", "an injected fault: the reply was cut off")
    assert event.receipt == Receipt(prompt=(0, 1), reply=(1, 2, 3))


def test_an_answer_without_a_receipt_can_be_cut_off_too() -> None:
    """Scripts have none."""
    recording = simulated("cut_off:0:0", agents=[Idle()])

    assert course(recording, 0)[1:3] == ["0 refused (malformed) at 0", "0 rejected at 0"]


@pytest.mark.parametrize(
    ("fault", "detail"),
    [
        ("other_menu:0:2", "it is for decision 1 of seat 0"),
        ("other_menu:0:0", "it is for decision -1 of seat 0"),
        ("other_seat:0:2", "it is for decision 2 of seat 1"),
    ],
)
def test_an_answer_to_another_offer_is_refused_and_asked_for_again(fault: str, detail: str) -> None:
    """It says itself what it is for, so that no choice is taken from the wrong menu."""
    decision = int(fault[-1])
    recording = simulated(fault)

    [event] = [event for event in recording.trace.events if isinstance(event, ChoiceRejected)]
    assert (event.reason, event.detail) == ("another offer", detail)
    at = 2 * decision
    assert course(recording, 0, decision) == [
        f"offered at {at}",
        f"refused (another offer) at {at}",
        f"chosen at {at + 1}",
    ]


def test_the_offer_before_is_the_last_that_the_agent_has_seen() -> None:
    """It has never heard of one that was lost; and what bo saw in between is nothing to ada."""
    both = Waiting()

    recording = simulated("drop:0:1:offer", "other_menu:0:2", agents=[both, both], terms="deadline:1")

    [event] = [event for event in recording.trace.events if isinstance(event, ChoiceRejected)]
    assert event.detail == "it is for decision 0 of seat 0"


@pytest.mark.parametrize(
    ("fault", "detail"),
    [("base:0:1", "it is from the base, of another digest"), ("stale:0:1", "it is from ada@v2, of another digest")],
)
@pytest.mark.parametrize("digest", [DIGEST, "0123456789abcdef"])
def test_an_answer_of_another_model_is_refused_and_asked_for_again(fault: str, detail: str, digest: str) -> None:
    """The holder's adapter is known by its digest, whatever that looks like."""
    holders = [Holder("ada", Tuned(digest=digest), digest), Holder("bo", Waiting())]

    recording = simulated(fault, holders=holders)

    [event] = [event for event in recording.trace.events if isinstance(event, ChoiceRejected)]
    assert (event.reason, event.detail) == ("another model", detail)
    assert course(recording, 0, 1)[2:] == ["chosen at 3"]
    chosen = [event for event in recording.trace.events if isinstance(event, OptionChosen) and event.seat == 0]
    assert {event.receipt.adapter_digest for event in chosen if event.receipt} == {digest}


@pytest.mark.parametrize("name", ["ada@v0", "ada", "ada@vX"])
def test_a_stale_answer_is_told_from_the_first_version_too(name: str) -> None:
    """There is none before it, and its digest is another all the same."""
    holders = [Holder("ada", Tuned(name), DIGEST)]

    recording = simulated("stale:0:0", holders=holders, steps=4)

    assert course(recording, 0)[1:3] == ["0 refused (another model) at 0", "0 chosen at 1"]


@pytest.mark.parametrize("kind", ["base", "stale"])
@pytest.mark.parametrize("agent", [Waiting, Idle, Mumbling])
def test_an_agent_without_an_adapter_answers_as_ever(kind: str, agent: type) -> None:
    """Nothing is done to its answer, and so nothing stands on record."""
    spoiled, sound = (simulated(*faults, agents=[agent(), Waiting()]) for faults in ((f"{kind}:0:1",), ()))

    assert spoiled.trace.events == sound.trace.events


@pytest.mark.parametrize("kind", SPOILS)
def test_a_failure_is_left_as_it_is(kind: str) -> None:
    """An agent that raises has failed, whatever else was to go wrong with its answer."""

    class Failing(Waiting):
        def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
            raise ValueError("salt")

    recording = simulated(f"{kind}:0:0" + (":3" if kind in ("late", "twice") else ""), agents=[Failing()])

    assert [type(event).__name__ for event in changes(recording)] == ["AgentFailed", "SeatChanged"]
    assert injected(recording) == []


def test_a_chooser_of_two_seats_is_spoiled_in_the_one_that_it_is_spoiled_in() -> None:
    """It is asked for both at once, and what one seat was asked before is not the other's."""
    both = Waiting()

    recording = simulated("other_menu:1:1", "malformed:0:2", agents=[both, both])

    assert course(recording, 0, 1) == ["offered at 2", "chosen at 2"]
    assert course(recording, 1, 1) == ["offered at 2", "refused (another offer) at 2", "chosen at 3"]
    assert course(recording, 0, 2)[1:] == ["refused (malformed) at 4", "rejected at 4"]
    assert both.batches[:2] == [[0, 1], [0, 1]]


@pytest.mark.parametrize("kind", SPOILS)
def test_a_wrapper_has_the_form_of_its_agent_and_spoils_both_alike(kind: str) -> None:
    """A chooser stays a chooser, a policy a policy."""
    incident = Incident(kind, 0, 1, ticks=3 if kind in ("late", "twice") else 0)
    listed = Listed([incident])

    chooser, policy = (simulated(str(incident), agents=[agent], terms="deadline:5") for agent in (Waiting(), Slow()))

    assert isinstance(faulty(Waiting(), listed), Chooser)
    assert not isinstance(faulty(Slow(), listed), Chooser)
    assert isinstance(faulty(Slow(), listed), Policy)
    assert chooser.trace.events == policy.trace.events


def test_an_agent_that_says_too_little_still_fails_by_itself() -> None:
    """The wrapper does not mend what is wrong with its agent."""

    class Short(Waiting):
        def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
            return super().choose_many(offers)[:-1]

    recording = simulated(agents=[Short()])

    assert [type(event).__name__ for event in changes(recording)] == ["AgentFailed", "SeatChanged"]
