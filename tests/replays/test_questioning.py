"""Agents that are asked again must answer as they did, or the first difference is named."""

from collections.abc import Sequence

import msgspec
import pytest

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.games import registry
from hocket.replays.questioning import Witness
from hocket.replays.rerun import Verdict, rerun
from hocket.replays.trace import Trace, make_header
from hocket.runtime.errors import SettingError
from hocket.runtime.events import AgentFailed, ChoiceRejected, Event, OptionChosen, Receipt
from hocket.runtime.policy import Choice, Chooser, NoChoice, Offer
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats


class Sure:
    """Chooses at random, and says how likely that was, off by so much; at two decisions it does not."""

    def __init__(self, off: float = 0.0, backend: str = "local", fails: str = "burnt") -> None:
        self.off, self.backend, self.fails = off, backend, fails
        self.asked: list[list[tuple[int, int]]] = []

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice | NoChoice | Exception]:
        self.asked.append([(offer.tick, offer.seat) for offer in offers])
        return [self._answer(offer) for offer in offers]

    def _answer(self, offer: Offer) -> Choice | NoChoice | Exception:
        chances = tuple([-1.0 - place + self.off for place in range(len(offer.menu))])
        receipt = Receipt(-offer.draw + self.off, backend=self.backend, menu=chances)
        if offer.decision == 4:
            return NoChoice("malformed", "no letter", receipt)
        if offer.decision == 7 and offer.seat == 1:
            return ValueError(self.fails)
        return Choice(int(offer.draw * len(offer.menu)), receipt)


def _played(agent: Chooser) -> Trace:
    game = registry.make("pantry")
    library, names = registry.library(game), ("ada", "bo")
    header = make_header(game, library, seed=1, starts="standard", steps=40, seats=names)
    scheduler, events = Scheduler(game, library, seed=1, holders=names, steps=40), list[Event]()
    seats = Seats([Holder(name, agent) for name in names], Holder("idle", Idle()))
    play([Rollout(scheduler, seats, events.extend)])
    return Trace(header, tuple(events))


def _asked(trace: Trace, agent: Chooser, tolerance: float = 0.0) -> Verdict:
    return rerun(trace, witnesses={(seat, name): Witness(agent, tolerance) for seat, name in enumerate(("ada", "bo"))})


def test_the_same_agents_answer_the_same() -> None:
    """Choices, rejections and failures, put to them in the same batches; who took a seat over is not asked."""
    first, second = Sure(), Sure()
    trace = _played(first)

    verdict = _asked(trace, second)

    answers = [event for event in trace.events if isinstance(event, OptionChosen | ChoiceRejected | AgentFailed)]
    assert verdict.agrees
    assert verdict.asked == sum(
        event.holder != "idle" if isinstance(event, OptionChosen) else True for event in answers
    )
    assert first.asked == second.asked
    assert {type(event) for event in answers} == {OptionChosen, ChoiceRejected, AgentFailed}


def test_another_choice_is_named() -> None:
    """The first that differs, with its field; what was recorded stands beside what is answered now."""
    trace = _played(Random())

    found = _asked(trace, Idle()).difference

    assert found is not None
    assert found.field == "index"
    assert isinstance(trace.events[found.number - 1], OptionChosen)


def test_another_failure_is_named() -> None:
    """A failure is an answer too."""
    found = _asked(_played(Sure()), Sure(fails="charred")).difference

    assert found is not None
    assert (found.field, found.one, found.other) == ("error", "ValueError: burnt", "ValueError: charred")


@pytest.mark.parametrize(
    ("off", "tolerance", "field"),
    [(0.0, 0.0, None), (5e-5, 0.0, "receipt.log_prob"), (5e-5, 1e-4, None), (2e-4, 1e-4, "receipt.log_prob")],
)
def test_log_probabilities_may_be_off_by_as_much_as_is_allowed(off: float, tolerance: float, field: str | None) -> None:
    """By nothing, unless it is said how much; then what computed them is not compared either."""
    verdict = _asked(_played(Sure()), Sure(off, "local" if tolerance == 0 else "onnx"), tolerance)

    assert (verdict.difference and verdict.difference.field) == field


def test_what_computed_an_answer_is_compared_where_nothing_may_be_off() -> None:
    """Two backends are two ways to the same numbers, and may differ in their last bits."""
    trace = _played(Sure())

    exact, near = _asked(trace, Sure(backend="onnx")).difference, _asked(trace, Sure(backend="onnx"), 1e-9)

    assert exact is not None
    assert (exact.field, exact.one, exact.other) == ("receipt.backend", "local", "onnx")
    assert near.agrees


def test_one_log_probability_of_a_menu_is_named_by_its_place() -> None:
    """`receipt.menu.3` is that of the fourth entry."""
    trace = _played(Sure())
    number = next(place for place, event in enumerate(trace.events) if isinstance(event, OptionChosen))
    event = trace.events[number]
    assert isinstance(event, OptionChosen)
    assert event.receipt is not None
    menu = (*event.receipt.menu[:3], -9.0, *event.receipt.menu[4:])
    forged = msgspec.structs.replace(event, receipt=msgspec.structs.replace(event.receipt, menu=menu))

    found = _asked(
        Trace(trace.header, (*trace.events[:number], forged, *trace.events[number + 1 :])), Sure()
    ).difference

    assert found is not None
    assert (found.number, found.field, found.one) == (number + 1, "receipt.menu.3", -9.0)


def test_an_answer_that_was_spoilt_or_late_is_not_asked_for() -> None:
    """The agent has said something else than what was taken for its answer."""
    game = registry.make("pantry")
    library = registry.library(game)
    header = make_header(game, library, seed=1, starts="standard", steps=3, seats=("ada", "bo"))
    scheduler = Scheduler(game, library, seed=1, holders=("ada", "bo"), steps=3)
    [first, second] = scheduler.due()
    scheduler.fault_injected(0, "malformed", "choice", first.decision)
    scheduler.reject(0, "malformed", "a NoneType, not a Choice")
    scheduler.lapse(0, "rejected")
    scheduler.fault_injected(1, "hold", "choice", second.decision, 1)
    [answer] = Sure().choose_many([second])
    assert isinstance(answer, Choice)
    scheduler.choose(1, answer.index, answer.receipt)
    scheduler.tick()
    scheduler.due()
    scheduler.late(0, first.decision, "its offer has ended")
    scheduler.end("interrupted")

    verdict = _asked(Trace(header, tuple(scheduler.take())), Sure())

    assert (verdict.agrees, verdict.asked) == (True, 1)


def test_nobody_is_asked_again_by_position(played: Trace) -> None:
    """Their prompts have changed: they would be asked something else."""
    with pytest.raises(SettingError, match="mode is 'positional', but must be keyed where agents are asked again"):
        rerun(played, mode="positional", witnesses={(0, "ada"): Witness(Random())})
