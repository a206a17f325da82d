"""The simulated network, a fault at a time, in whole episodes; waiting takes two ticks.

Long, since much can happen to a message.
"""

from collections.abc import Sequence

import anyio
import pytest
from tests.runtime.simulated import Slow, Waiting, changes, course, injected, simulated

from hocket.agents.random import Random
from hocket.games import registry
from hocket.replays.rerun import rerun
from hocket.runtime.events import AgentFailed, ChoiceRejected, Event, FaultInjected, OptionChosen, SeatChanged
from hocket.runtime.policy import Agent, Choice, Offer
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

UNDISTURBED = [f"{decision} {what} at {2 * decision}" for decision in range(6) for what in ("offered", "chosen")]
MANY = (
    "delay:0:1:offer:3",
    "duplicate:1:1:choice:2",
    "hold:1:4:3",
    "crash:0:7:2",
    "twice:1:2:1",
    "reorder:0:0:choice:2",
)


class Failing(Waiting):
    """Raises at one decision."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self._at = at

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        if any(offer.decision == self._at for offer in offers):
            raise ValueError("salt")
        return super().choose_many(offers)


class Astray(Waiting):
    """Points beyond the menu."""

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        return [Choice(99) for _ in super().choose_many(offers)]


class Hanging:
    """Never answers."""

    async def choose(self, offer: Offer) -> Choice:
        await anyio.sleep_forever()
        raise AssertionError


def test_where_nothing_goes_wrong_it_is_the_episode_that_waits() -> None:
    """Virtual time without latency is lockstep, event for event."""
    events: list[Event] = []
    game = registry.make("pantry")
    scheduler = Scheduler(game, registry.library(game), seed=5, holders=("ada", "bo"), steps=40)
    seats = Seats([Holder("ada", Random()), Holder("bo", Random())], Holder("idle", Random()))

    play([Rollout(scheduler, seats, events.extend)])
    recording = simulated(agents=[Random(), Random()], seed=5, steps=40)

    assert list(recording.trace.events) == events


@pytest.mark.parametrize(
    ("faults", "chosen"),
    [
        (("delay:0:1:offer:3",), 5),
        (("delay:0:1:choice:4",), 6),
        (("think:0:1:1",), 3),
        (("delay:0:1:offer:3", "think:0:1:1", "delay:0:1:choice:4"), 10),
    ],
)
def test_a_choice_takes_effect_when_offer_thought_and_choice_have_taken_their_time(
    faults: tuple[str, ...], chosen: int
) -> None:
    """To the tick; bo does not notice, and a delay is nothing to put on record."""
    recording = simulated(*faults)

    assert course(recording, 0, 1) == ["offered at 2", f"chosen at {chosen}"]
    assert course(recording, 1) == UNDISTURBED
    assert injected(recording) == []


@pytest.mark.parametrize(("message", "asked"), [("offer", 0), ("choice", 1)])
def test_what_is_dropped_never_arrives(message: str, asked: int) -> None:
    """The offer lapses at its deadline, the next is none the worse, and the loss is on record."""
    ada = Waiting()

    recording = simulated(f"drop:0:1:{message}", agents=[ada, Waiting()], terms="deadline:3")

    assert course(recording, 0)[2:6] == ["1 offered at 2", "1 timeout at 5", "2 offered at 6", "2 chosen at 6"]
    assert course(recording, 1) == UNDISTURBED
    assert ada.asked.count((0, 1)) == asked
    assert injected(recording) == [FaultInjected(2, 0, "drop", message, 1)]


def test_an_offer_without_a_deadline_stays_open_to_the_end() -> None:
    """What is lost stalls its own seat and no other, and not the episode."""
    recording = simulated("drop:0:1:offer")

    assert course(recording, 0, 1) == ["offered at 2", "cancelled at 12"]
    assert course(recording, 1) == UNDISTURBED


def test_the_second_copy_of_a_choice_is_late() -> None:
    """One offer has one end, however often it is answered."""
    recording = simulated("duplicate:0:1:choice:3")

    assert course(recording, 0, 1) == ["offered at 2", "chosen at 2", "refused (late) at 5"]
    assert injected(recording) == [FaultInjected(2, 0, "duplicate", "choice", 1, 3)]


def test_the_second_copy_of_an_offer_is_answered_as_well() -> None:
    """An agent cannot know that it has answered; its second answer is late."""
    ada = Waiting()

    recording = simulated("duplicate:0:1:offer:3", agents=[ada, Waiting()])

    assert ada.asked.count((0, 1)) == 2
    assert course(recording, 0, 1) == ["offered at 2", "chosen at 2", "refused (late) at 5"]


def test_a_link_keeps_its_messages_in_order() -> None:
    """What was sent later waits behind what takes long, and arrives with it."""
    recording = simulated("delay:0:1:choice:6", terms="deadline:2")

    assert course(recording, 0)[2:9] == [
        "1 offered at 2",
        "1 timeout at 4",
        "2 offered at 5",
        "2 timeout at 7",
        "3 offered at 8",
        "1 refused (late) at 8",
        "2 refused (late) at 8",
    ]
    assert course(recording, 0, 3) == ["offered at 8", "chosen at 8"]


def test_what_is_reordered_is_overtaken() -> None:
    """The choice that was sent later takes effect at once, and the earlier one comes after it."""
    recording = simulated("reorder:0:1:choice:6", terms="deadline:2")

    assert course(recording, 0, 1) == ["offered at 2", "timeout at 4", "refused (late) at 8"]
    assert course(recording, 0, 2) == ["offered at 5", "chosen at 5"]
    assert injected(recording) == [FaultInjected(2, 0, "reorder", "choice", 1, 6)]


def test_a_partition_loses_what_is_sent_and_heals() -> None:
    """Both what is sent to the agent and what it sends, from its first tick to its last."""
    recording = simulated("partition:0:2:5", terms="deadline:1")

    assert course(recording, 0)[2:] == [
        *("1 offered at 2", "1 timeout at 3", "2 offered at 4", "2 timeout at 5", "3 offered at 6", "3 timeout at 7"),
        *("4 offered at 8", "4 chosen at 8", "5 offered at 10", "5 chosen at 10"),
    ]
    assert injected(recording) == [
        FaultInjected(2, 0, "partition", ticks=5),
        *(FaultInjected(tick, 0, "partition", "offer", decision) for tick, decision in ((2, 1), (4, 2), (6, 3))),
    ]
    assert course(recording, 1) == UNDISTURBED


@pytest.mark.parametrize("first", ["think:0:1:1", "delay:0:1:offer:1"])
def test_a_partition_loses_a_choice_that_is_sent_in_it(first: str) -> None:
    """The tick at which it is sent counts, not that of its offer."""
    recording = simulated(first, "partition:0:3:1", terms="deadline:4")

    assert course(recording, 0, 1) == ["offered at 2", "timeout at 6"]
    assert injected(recording)[1:] == [FaultInjected(3, 0, "partition", "choice", 1)]


def test_what_is_on_its_way_passes_a_partition() -> None:
    """It was sent before; what is lost is what is sent."""
    recording = simulated("delay:0:1:choice:3", "partition:0:3:4", terms="deadline:4")

    assert course(recording, 0, 1) == ["offered at 2", "chosen at 5"]


def test_a_hold_lets_go_of_everything_together_and_in_order() -> None:
    """Offers of long ago are answered in vain, those of now as ever."""
    ada = Waiting()

    recording = simulated("hold:0:2:6", agents=[ada, Waiting()], terms="deadline:1")

    assert ada.asked[1:5] == [(0, 1), (0, 2), (0, 3), (0, 4)]
    assert course(recording, 0)[8:13] == [
        "4 offered at 8",
        *(f"{decision} refused (late) at 8" for decision in (1, 2, 3)),
        "4 chosen at 8",
    ]
    assert injected(recording) == [
        FaultInjected(2, 0, "hold", ticks=6),
        FaultInjected(2, 0, "hold", "offer", 1, 6),
        FaultInjected(4, 0, "hold", "offer", 2, 4),
        FaultInjected(6, 0, "hold", "offer", 3, 2),
    ]
    assert course(recording, 1) == UNDISTURBED


def test_what_arrives_as_a_hold_ends_comes_behind_what_it_held() -> None:
    """Also where it was on its way before the hold began: nothing overtakes on a link."""
    ada = Waiting()

    simulated(
        "delay:0:0:offer:3", "delay:0:1:offer:7", "hold:0:3:5", agents=[ada, Waiting()], terms="deadline:0", steps=10
    )

    assert ada.asked[:3] == [(0, 0), (0, 1), (0, 2)]
    assert ada.asked == sorted(ada.asked)


def test_what_one_hold_lets_go_the_next_may_catch() -> None:
    """Each message is held once by each, whoever else is held with it, and arrives once."""
    ada = Waiting()

    recording = simulated("hold:0:2:2", "hold:0:3:4", agents=[ada, Waiting()], terms="deadline:0", steps=8)

    held = [(each.tick, each.decision, each.ticks) for each in injected(recording) if each.message]
    assert held == [(2, 1, 2), (3, 2, 1), (4, 1, 3), (4, 2, 3), (4, 3, 3), (5, 4, 2), (6, 5, 1)]
    assert ada.asked == [(0, decision) for decision in range(7)]
    assert course(recording, 0, 6) == ["offered at 7", "chosen at 7"]


def test_a_hold_that_never_ends_costs_the_seat_and_nothing_else() -> None:
    """The fallback stands beside the runtime, so that no network is between them."""
    recording = simulated("hold:0:2:0", terms="deadline:1,misses:2")

    assert course(recording, 0)[2:8] == [
        *("1 offered at 2", "1 timeout at 3", "2 offered at 4", "2 timeout at 5"),
        *("3 offered at 6", "3 chosen at 6"),
    ]
    assert changes(recording) == [SeatChanged(5, 0, "idle", "ada", "missed 2 offers in a row")]
    assert course(recording, 1) == UNDISTURBED


def test_a_crash_loses_what_is_sent_to_the_agent() -> None:
    """It is not asked while it is not there, and asked again when it is back."""
    ada = Waiting()

    recording = simulated("crash:0:2:5", agents=[ada, Waiting()], terms="deadline:1")

    assert ada.asked == [(0, 0), (0, 4), (0, 5)]
    assert [each.decision for each in injected(recording)] == [-1, 1, 2, 3]
    assert course(recording, 0, 4) == ["offered at 8", "chosen at 8"]


def test_a_crash_loses_an_offer_that_arrives_in_it() -> None:
    """It was sent before, but nobody is there to take it."""
    ada = Waiting()

    recording = simulated("delay:0:1:offer:2", "crash:0:3:4", agents=[ada, Waiting()], terms="deadline:5")

    assert (0, 1) not in ada.asked
    assert injected(recording) == [FaultInjected(3, 0, "crash", ticks=4), FaultInjected(4, 0, "crash", "offer", 1)]
    assert course(recording, 0, 1) == ["offered at 2", "timeout at 7"]


def test_a_crash_loses_what_the_agent_was_thinking_about() -> None:
    """Its answer would have been ready within the crash, or after it: either way it is gone."""
    within, after = (simulated("think:0:1:3", f"crash:0:3:{ticks}", terms="deadline:6") for ticks in (4, 1))

    for recording in (within, after):
        assert course(recording, 0, 1) == ["offered at 2", "timeout at 8"]
        assert injected(recording)[1:] == [FaultInjected(3, 0, "crash", "choice", 1)]


def test_a_choice_that_was_sent_before_a_crash_arrives() -> None:
    """It is on its way, and needs its agent no more."""
    recording = simulated("delay:0:1:choice:3", "crash:0:3:4", terms="deadline:6")

    assert course(recording, 0, 1) == ["offered at 2", "chosen at 5"]


def test_a_crash_from_the_first_tick_on_is_over_as_well() -> None:
    """An agent may come late; the seat stands still until it is there."""
    recording = simulated("crash:0:0:3", terms="deadline:0")

    ends = [line for line in course(recording, 0) if "offered" not in line]
    assert ends[:4] == ["0 timeout at 0", "1 timeout at 1", "2 timeout at 2", "3 chosen at 3"]
    assert injected(recording)[0] == FaultInjected(0, 0, "crash", ticks=3)


def test_a_crash_goes_before_a_partition() -> None:
    """Two windows at once lose a message once."""
    recording = simulated("partition:0:2:4", "crash:0:2:4", terms="deadline:1")

    lost = [(each.fault, each.decision) for each in injected(recording) if each.message]
    assert lost == [("crash", 1), ("crash", 2)]


@pytest.mark.parametrize(
    ("fault", "end"),
    [("crash:0:0:1", "timeout at 0"), ("delay:0:0:choice:5", "timeout at 0"), ("delay:1:0:offer:1", "chosen at 0")],
)
def test_an_episode_may_be_over_before_a_message_arrives(fault: str, end: str) -> None:
    """One tick is an episode too; what is under way at its end is gone."""
    recording = simulated(fault, terms="deadline:0", steps=1)

    assert course(recording, 0) == ["0 offered at 0", f"0 {end}"]
    assert recording.trace.ended


def test_an_answer_that_was_refused_is_asked_for_again_over_the_same_way() -> None:
    """It takes as long as the first time, and has no copies of its own."""
    recording = simulated(
        *("other_menu:0:1", "delay:0:1:offer:1", "delay:0:1:choice:1", "duplicate:0:1:choice:2"), agents=[Waiting()]
    )

    assert course(recording, 0, 1) == [
        "offered at 2",
        "refused (another offer) at 4",
        "refused (another offer) at 6",
        "chosen at 7",
        "refused (late) at 9",
    ]
    assert [each.fault for each in injected(recording)] == ["other_menu", "duplicate"]


def test_an_offer_whose_copies_are_all_refused_is_asked_again_once() -> None:
    """Three refusals of one tick are one more question in the next."""
    astray = Astray()

    recording = simulated("duplicate:0:0:choice:0", "twice:0:0:0", agents=[astray], steps=3)

    refused = [event.tick for event in recording.trace.events if isinstance(event, ChoiceRejected)]
    assert refused == [0, 0, 0, 1, 2]
    assert astray.asked == [(0, 0)] * 3


def test_an_offer_that_has_ended_is_not_asked_about_again() -> None:
    """Though its answers were refused in the very tick in which it lapsed; the fallback gets the new one alone."""
    fallback = Waiting()

    recording = simulated(
        "duplicate:0:0:choice:0",
        "twice:0:0:0",
        agents=[Astray(), Waiting()],
        fallback=Holder("cy", fallback),
        terms="deadline:0,misses:1",
    )

    assert course(recording, 0)[:7] == [
        "0 offered at 0",
        *["0 refused (not on the menu) at 0"] * 3,
        "0 timeout at 0",
        "1 offered at 1",
        "1 chosen at 1",
    ]
    assert fallback.asked[0] == (0, 1)


def test_an_offer_may_arrive_when_its_seat_has_gone_to_another() -> None:
    """Its agent answers in vain, and the fallback has the seat all the same."""
    ada = Waiting()

    recording = simulated("delay:0:1:offer:6", agents=[ada, Waiting()], terms="deadline:1,misses:1")

    assert ada.asked == [(0, 0), (0, 1)]
    assert course(recording, 0, 1) == ["offered at 2", "timeout at 3", "refused (late) at 8"]
    assert changes(recording) == [SeatChanged(3, 0, "idle", "ada", "missed 1 offer in a row")]
    chosen = [event for event in recording.trace.events if isinstance(event, OptionChosen) and event.seat == 0]
    assert [event.holder for event in chosen] == ["ada", *["idle"] * (len(chosen) - 1)]


def test_a_seat_goes_back_to_its_agent_for_its_next_offer() -> None:
    """One miss, one tick at the fallback: ada is asked again as soon as its option has ended."""
    ada = Waiting()

    recording = simulated("drop:0:1:offer", agents=[ada, Waiting()], terms="deadline:0,misses:1,back:1", fallback=None)

    assert changes(recording) == [
        SeatChanged(2, 0, "idle", "ada", "missed 1 offer in a row"),
        SeatChanged(3, 0, "ada", "idle", "back"),
    ]
    assert course(recording, 0)[2:8] == [
        *("1 offered at 2", "1 timeout at 2", "2 offered at 3", "2 chosen at 3", "3 offered at 5", "3 chosen at 5"),
    ]
    assert (0, 2) not in ada.asked
    assert (0, 3) in ada.asked


def test_an_agent_that_fails_when_its_offer_has_lapsed_loses_the_seat_all_the_same() -> None:
    """Its open offer ends with it, and what it has said to that one comes too late."""
    recording = simulated("delay:0:1:choice:6", agents=[Failing(1), Waiting()], terms="deadline:1")

    assert changes(recording) == [
        AgentFailed(8, 0, "ada", "ValueError: salt"),
        SeatChanged(8, 0, "idle", "ada", "failed"),
    ]
    assert course(recording, 0, 1) == ["offered at 2", "timeout at 3"]
    assert course(recording, 0, 4) == ["offered at 8", "failed at 8", "refused (late) at 8"]
    assert course(recording, 0, 5) == ["offered at 9", "chosen at 9"]


def test_an_agent_that_has_lost_its_seat_may_fail_without_harm() -> None:
    """The seat is the fallback's by then; that it failed is said with its answer."""
    recording = simulated("delay:0:1:choice:6", agents=[Failing(1), Waiting()], terms="deadline:1,misses:1")

    late = [event for event in recording.trace.events if isinstance(event, ChoiceRejected)]
    assert late == [ChoiceRejected(8, 0, 1, "late", "it failed: ValueError: salt")]
    assert changes(recording) == [SeatChanged(3, 0, "idle", "ada", "missed 1 offer in a row")]


def test_the_word_that_an_agent_has_failed_can_be_lost() -> None:
    """Nobody hears of it, so the seat is still ada's."""
    recording = simulated("drop:0:1:choice", agents=[Failing(1), Waiting()], terms="deadline:1")

    assert changes(recording) == []
    assert course(recording, 0)[3:6] == ["1 timeout at 3", "2 offered at 4", "2 chosen at 4"]


def test_an_agent_may_be_its_own_fallback() -> None:
    """It is asked over the network before, beside the runtime after."""
    ada = Waiting()

    recording = simulated(
        *("drop:0:1:offer", "delay:0:2:offer:5"),
        agents=[ada, Waiting()],
        fallback=Holder("ada at home", ada),
        terms="deadline:0,misses:1",
    )

    assert changes(recording) == [SeatChanged(2, 0, "ada at home", "ada", "missed 1 offer in a row")]
    assert course(recording, 0)[2:6] == ["1 offered at 2", "1 timeout at 2", "2 offered at 3", "2 chosen at 3"]


def test_a_chooser_of_two_seats_is_asked_once_for_what_arrives_together() -> None:
    """And apart for what does not."""
    both = Waiting()

    recording = simulated("delay:0:1:offer:1", agents=[both, both])

    assert both.batches[:3] == [[0, 1], [1], [0]]
    assert course(recording, 0, 1) == ["offered at 2", "chosen at 3"]
    assert course(recording, 1) == UNDISTURBED


def test_a_chooser_of_two_seats_gets_one_offer_a_seat_at_a_time() -> None:
    """Those that a hold lets go of come one after the other, as they would have."""
    both = Waiting()

    simulated("hold:0:2:6", "hold:1:2:6", agents=[both, both], terms="deadline:1")

    assert both.batches[:5] == [[0, 1]] * 5
    assert both.asked[2:8] == [(0, 1), (1, 1), (0, 2), (1, 2), (0, 3), (1, 3)]


def test_a_policy_and_a_chooser_of_the_same_mind_leave_the_same_trace() -> None:
    """Which of the two forms an agent has makes no difference to what befalls its messages."""
    slow, prompt = (simulated(*MANY, agents=agents, terms="deadline:4") for agents in ([Slow(), Slow()], None))

    assert slow.trace.events == prompt.trace.events
    assert len(injected(slow)) >= len(MANY)


def test_the_same_faults_give_the_same_events_and_run_again() -> None:
    """An episode is a function of seed, agents and faults."""
    agents: list[Agent] = [Random(), Slow()]

    one, other = (simulated(*MANY, agents=agents, terms="deadline:4", steps=30, seed=seed) for seed in (3, 3))
    another = simulated(*MANY, agents=agents, terms="deadline:4", steps=30, seed=4)

    assert one.trace.events == other.trace.events != another.trace.events
    assert rerun(one.trace).agrees


@pytest.mark.parametrize("limit", [1e-9, 0.005])
def test_an_agent_that_is_not_done_in_wall_time_never_answers(limit: float) -> None:
    """However many offers a hold lets go of at once: each question is dropped, and no queue runs over."""
    recording = simulated("hold:0:0:9", agents=[Hanging(), Waiting()], terms="deadline:0", limit=limit)

    ends = [line for line in course(recording, 0) if "offered" not in line]
    assert ends == [f"{tick} timeout at {tick}" for tick in range(12)]
    assert recording.counts.dead == {}
    assert course(recording, 1) == UNDISTURBED
