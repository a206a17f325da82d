"""What is said of two traces: first what an agent did differently."""

from collections.abc import Sequence

import msgspec

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.replays.behaviour import behaviour
from hocket.replays.episodes import Episodes
from hocket.replays.trace import Trace
from hocket.runtime.events import EpisodeEnded, OptionChosen, Stepped
from hocket.runtime.policy import Agent, Choice, Offer

COOKS = ("ada", "bo")


class Fickle:
    """Waits, but for one decision."""

    def __init__(self, decision: int) -> None:
        self._decision = decision

    def choose_many(self, offers: Sequence[Offer]) -> list[Choice]:
        return [Choice(self._pick(offer)) for offer in offers]

    def _pick(self, offer: Offer) -> int:
        keys = offer.menu.keys
        wait = keys.index("wait")
        return (wait + 1) % len(keys) if offer.decision == self._decision else wait


class Broken:
    """Fails when it is first asked."""

    def choose_many(self, offers: Sequence[Offer]) -> list[Choice]:
        raise ZeroDivisionError("no onions")


def _played(ada: Agent, bo: Agent, **setup: int) -> Trace:
    return Episodes()("pantry", [ada, bo], seed=setup.get("seed", 1), steps=40, names=COOKS)


def _with_reward(trace: Trace, tick: int, reward: float) -> Trace:
    """The same choices in a world that pays otherwise."""
    events = [
        msgspec.structs.replace(event, rewards=(reward, reward))
        if isinstance(event, Stepped) and event.tick == tick
        else event
        for event in trace.events
    ]
    return msgspec.structs.replace(trace, events=tuple(events))


def test_the_first_sentence_names_the_decision_that_was_another() -> None:
    """Tick, decision, seat, agent, and both options; then the return, then how often each option was chosen."""
    was, now = _played(Fickle(3), Idle()), _played(Fickle(99), Idle())
    choice = next(event for event in was.events if isinstance(event, OptionChosen) and event.decision == 3)

    told = list(behaviour(was, now))

    assert told[0] == f"at tick {choice.tick}, decision 3, seat 0 (ada) chose `wait` instead of `{choice.option}`"
    assert told[1] == "return 0 as before"
    assert any(sentence.startswith("seat 0 chose ") and "instead of 1" in sentence for sentence in told)
    assert not any(sentence.startswith("seat 1 chose") for sentence in told)


def test_what_came_of_it_is_the_return() -> None:
    """A team that has delivered is told from one that has not."""
    was, now = _played(Random(), Random()), _played(Random(), Idle())
    returns = [sum(end.returns) for trace in (was, now) if isinstance(end := trace.events[-1], EpisodeEnded)]

    told = list(behaviour(was, now))

    assert returns[0] != returns[1]
    assert f"return {returns[1]:g} instead of {returns[0]:g}" in told


def test_an_agent_that_fails_is_said_to_have_failed() -> None:
    """It chose nothing, and why; then another held its seat."""
    told = list(behaviour(_played(Idle(), Idle()), _played(Idle(), Broken())))

    assert told[0] == (
        "at tick 0, decision 0, seat 1 (bo) chose nothing (failed, ZeroDivisionError: no onions) instead of `wait`"
    )


def test_other_rules_are_not_blamed_on_an_agent() -> None:
    """Where all seats chose alike, it is the event of the world that is named."""
    was = _played(Idle(), Idle())

    told = list(behaviour(was, _with_reward(was, 7, 5.0)))

    assert told[0] == "return 0 as before"
    assert told[1].startswith("every seat chose the same; what differs first is event ")
    assert told[1].endswith("(tick 7), field rewards.0: 0.0 in the snapshot, 5.0 now")


def test_a_choice_that_came_later_is_the_same_choice() -> None:
    """Where an option has taken a tick longer, all that follows it has moved, and no agent is to blame."""
    was = _played(Random(), Random())
    moved = [msgspec.structs.replace(event, tick=event.tick + (event.tick > 9)) for event in was.events]

    told = list(behaviour(was, msgspec.structs.replace(was, events=tuple(moved))))

    assert [sentence.partition(";")[0] for sentence in told[1:]] == ["every seat chose the same"]


def test_a_world_that_parted_before_the_choice_is_named_behind_it() -> None:
    """So that nobody looks for the fault in an agent which only saw another world."""
    was, now = _played(Fickle(9), Idle()), _with_reward(_played(Idle(), Idle()), 0, 5.0)

    told = list(behaviour(was, now))

    assert told[0].startswith("at tick ")
    assert any(sentence.startswith("what differs before that choice is event ") for sentence in told)
    assert not any(sentence.startswith("what differs before") for sentence in behaviour(was, _played(Idle(), Idle())))


def test_a_header_that_differs_alone_is_named_by_its_field() -> None:
    """Two idle cooks do the same from every seed."""
    was = _played(Idle(), Idle())
    header = msgspec.structs.replace(was.header, seed=2)

    told = list(behaviour(was, msgspec.structs.replace(was, header=header)))

    assert told == ["every event is the same; the header is not", "the header, field seed: 1 in the snapshot, 2 now"]


def test_versions_are_no_difference_but_a_note() -> None:
    """A snapshot holds on another machine; where it does not, its versions may be the reason."""
    was = _played(Idle(), Idle())
    library = msgspec.structs.replace(was.header.library, digest="other")
    header = msgspec.structs.replace(was.header, versions={**was.header.versions, "python": "3.99"}, library=library)
    elsewhere = msgspec.structs.replace(was, header=header)

    alike, parted = list(behaviour(was, elsewhere)), list(behaviour(was, _with_reward(elsewhere, 7, 5.0)))

    assert alike == []
    assert parted[-1].startswith("note: ")
    assert "python was" in parted[-1]
    assert "is 3.99" in parted[-1]
    assert "the source of the library 'default' was" in parted[-1]
