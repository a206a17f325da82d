"""What an agent gets, and what is taken for an answer."""

import math
from enum import IntEnum
from functools import partial
from typing import Any

import anyio
import msgspec
import numpy as np
import pytest

from hocket.agents.idle import Idle
from hocket.games import registry
from hocket.games.pantry.world import PantryView
from hocket.runtime.events import Receipt
from hocket.runtime.menu import Menu
from hocket.runtime.option import instance
from hocket.runtime.policy import (
    Choice,
    Chooser,
    NoChoice,
    Offer,
    Policy,
    Recent,
    as_policy,
    misplaced,
    objection,
    receipt_of,
)
from hocket.runtime.scheduler import Scheduler

WHOLE = Receipt(
    log_prob=-0.5,
    backend="local",
    base="b" * 16,
    adapter="seat0@v1",
    adapter_digest="a" * 16,
    check="indistinguishable from base",
    scorer="two_line",
    temperature=0.5,
    prompt=(1, 2),
    menu=(-0.5, -1.0),
    intent=1,
    intents=(-0.7, -0.7),
    reply=(3,),
    position=4,
    draws=2,
)
MENU = Menu.of([instance("fetch", (0, 2), "fetch a jar"), instance("wait", None, "wait 2 ticks")])


class Letter(IntEnum):
    A = 0


class Whole(int):
    pass


class Fraction(float):
    pass


class Stamped(Receipt, frozen=True):
    stamp: object = None


def pantry(seed: int = 0) -> Scheduler[Any]:
    """A pantry of ada and bo, at its start."""
    game = registry.make("pantry")
    return Scheduler(game, registry.library(game), seed=seed, holders=("ada", "bo"), steps=300)


def start(scheduler: Scheduler[Any], offer: Offer, option: str) -> None:
    """Choose an option by its key."""
    scheduler.choose(offer.seat, offer.menu.keys.index(option))


@pytest.mark.parametrize("answer", [Choice(0), Choice(1), Choice(1, Receipt()), Choice(0, Receipt(-0.5))])
def test_a_choice_from_the_menu_is_taken(answer: object) -> None:
    """A receipt is welcome and not needed."""
    assert objection(answer, MENU) is None


@pytest.mark.parametrize(
    ("answer", "reason", "detail"),
    [
        (None, "malformed", "a NoneType, not a Choice"),
        (1, "malformed", "a int, not a Choice"),
        ("wait", "malformed", "a str, not a Choice"),
        (Choice(True), "malformed", "index is a bool"),
        (Choice(1.0), "malformed", "index is a float"),  # type: ignore[arg-type]
        (Choice("wait"), "malformed", "index is a str"),  # type: ignore[arg-type]
        (Choice(None), "malformed", "index is a NoneType"),  # type: ignore[arg-type]
        (Choice(Letter.A), "malformed", "index is a Letter"),
        (Choice(Whole(1)), "malformed", "index is a Whole"),
        (Choice(2), "not on the menu", "index 2 of 2"),
        (Choice(-1), "not on the menu", "index -1 of 2"),
        (Choice(10**30), "not on the menu", "index far off of 2"),
        (Choice(0, -0.5), "malformed", "receipt is a float"),  # type: ignore[arg-type]
        (Choice(0, Stamped(stamp=object())), "malformed", "receipt is a Stamped"),
        (Choice(0, Receipt("likely")), "malformed", "log_prob is a str"),  # type: ignore[arg-type]
        (Choice(0, Receipt(Fraction(-1.0))), "malformed", "log_prob is a Fraction"),
        (Choice(0, Receipt(math.nan)), "malformed", "log_prob is nan"),
        (Choice(0, Receipt(-math.inf)), "malformed", "log_prob is -inf"),
    ],
)
def test_anything_else_is_objected_to(answer: object, reason: str, detail: str) -> None:
    """What passed would go into the trace, which could then not be written, or not be read again."""
    assert objection(answer, MENU) == (reason, detail)


def deep() -> object:
    """A list in a list, far too often."""
    found: list[object] = []
    for _ in range(100_000):
        found = [found]
    return found


@pytest.mark.parametrize(
    "receipt", [WHOLE, Receipt(-0.5, backend="local"), Receipt(menu=(-0.5, -1.0)), Receipt(reply=(1,))]
)
def test_a_whole_receipt_is_taken(receipt: Receipt) -> None:
    """With any of its fields: a learner may want no more than one of them."""
    read = msgspec.json.decode(msgspec.json.encode(receipt), type=Receipt)

    assert objection(Choice(0, receipt), MENU) is None
    assert read == receipt
    assert receipt_of(NoChoice("malformed", "", receipt)) is receipt


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("log_prob", math.inf),
        ("temperature", math.nan),
        ("temperature", math.inf),
        ("temperature", 1),
        ("temperature", True),
        ("temperature", "hot"),
        ("menu", (-0.5, math.nan)),
        ("menu", (-0.5, -math.inf)),
        ("menu", (-1, -2)),
        ("menu", [-0.5]),
        ("menu", np.array([-0.5, -1.0])),
        ("menu", (np.float64(-0.5),)),
        ("intents", (None,)),
        ("intents", np.array([])),
        ("intent", 1.0),
        ("intent", True),
        ("position", False),
        ("draws", False),
        ("draws", 1.5),
        ("prompt", (True,)),
        ("prompt", [1, 2]),
        ("reply", ("a",)),
        ("reply", np.array([1, 2])),
        ("backend", None),
        ("backend", b"local"),
        ("backend", np.array([1, 2])),
        ("backend", deep()),
        ("base", "\ud800"),
        ("check", object()),
        ("adapter", ("seat0", 1)),
        ("scorer", {1}),
    ],
)
def test_a_receipt_that_could_not_be_read_back_is_objected_to(field: str, value: object, whole: bool) -> None:
    """Field by field, whatever stands in it, beside others or alone; a trace with it would be torn for good."""
    receipt = msgspec.structs.replace(WHOLE if whole else Receipt(), **{field: value})

    found = objection(Choice(0, receipt), MENU)

    assert found is not None
    assert found[0] == "malformed"
    assert found[1].startswith(
        ("receipt cannot be written down: ", "receipt does not read back as it was", "log_prob is")
    )
    assert receipt_of(NoChoice("malformed", "", receipt)) is None


@pytest.mark.parametrize(
    ("answer", "reason", "detail"),
    [
        (NoChoice("malformed", "3 lines, not two"), "malformed", "3 lines, not two"),
        (NoChoice("not on the menu", "letter Z of 2", WHOLE), "not on the menu", "letter Z of 2"),
        (NoChoice("malformed", "\ud800"), "malformed", "\\ud800"),
        (NoChoice("tired", "of it"), "malformed", "a NoChoice without a reason"),
        (NoChoice("malformed", None), "malformed", "a NoChoice without a reason"),  # type: ignore[arg-type]
        (NoChoice(np.array([1, 2]), ""), "malformed", "a NoChoice without a reason"),  # type: ignore[arg-type]
        (NoChoice(["malformed"], ""), "malformed", "a NoChoice without a reason"),  # type: ignore[arg-type]
    ],
)
def test_an_agent_can_say_itself_that_it_has_no_choice(answer: NoChoice, reason: str, detail: str) -> None:
    """In one of two words, and with a detail that can be written down."""
    assert objection(answer, MENU) == (reason, detail)
    assert (reason + detail).encode()


def test_only_a_no_choice_brings_its_receipt_along() -> None:
    """A choice that is refused for its receipt has none that could be kept, and nonsense has none at all."""
    assert receipt_of(NoChoice("malformed", "", WHOLE)) is WHOLE
    assert receipt_of(NoChoice("malformed", "")) is None
    assert receipt_of(NoChoice("malformed", "", -0.5)) is None  # type: ignore[arg-type]
    assert receipt_of(Choice(9, WHOLE)) is None
    assert receipt_of("wait") is None


def test_an_offer_shows_the_state_in_which_it_was_made() -> None:
    """An agent that thinks while the world moves on sees what was there when it was asked."""
    scheduler = pantry()
    ada, bo = scheduler.due()
    seen = ada.observation
    start(scheduler, bo, "fetch@0,2")

    for _ in range(6):
        scheduler.tick()

    later = scheduler.game.observe(scheduler.facts(), 0)
    assert isinstance(seen, PantryView)
    assert ada.observation == seen != later
    assert ada.tick == 0


def test_a_seat_remembers_its_last_five_options() -> None:
    """The latest stands last, and what bo did is not ada's to remember."""
    scheduler = pantry()
    order = ("open_hatch@6,2", "wait", "take@3,0", "wait", "take@3,0", "wait", "wait")
    rest = list(order)

    while rest:
        offers = scheduler.due()
        for offer in offers:
            start(scheduler, offer, "fetch@0,2" if offer.seat else rest.pop(0))
        scheduler.tick()
    while not (offers := [offer for offer in scheduler.due() if offer.seat == 0]):
        scheduler.tick()

    assert offers[0].recent == Recent(order[-5:], 0.0)


def test_a_seat_remembers_the_reward_of_the_last_hundred_ticks() -> None:
    """A point that is older than that no longer tells how it goes."""
    game = registry.make("pantry:roles")
    scheduler = Scheduler(game, registry.library(game), seed=0, holders=("ada", "bo"), steps=200)
    rewards: list[float] = []

    for tick in range(110):
        ada, bo = scheduler.due()
        rewards.append(ada.recent.reward)
        start(scheduler, ada, "wait" if tick else "wash")
        start(scheduler, bo, "wait" if tick else "serve")
        scheduler.tick()

    assert rewards == [0.0] + [1.0] * 100 + [0.0] * 9


def test_a_draw_is_that_of_seed_seat_and_decision() -> None:
    """An agent that samples with it chooses alike in every process."""
    (ada, bo), (again, _), (other, _) = pantry().due(), pantry().due(), pantry(seed=1).due()

    assert ada.draw == ada.draw == again.draw
    assert len({ada.draw, bo.draw, other.draw}) == 3


def test_there_are_more_draws_where_one_does_not_do() -> None:
    """Looked up by their number: none of them is that of another decision, and the first is `draw`."""
    scheduler = pantry()
    seen: dict[int, list[float]] = {}
    for _ in range(20):
        for offer in scheduler.due():
            if offer.seat == 0:
                seen[offer.decision] = [offer.draw_again(time) for time in range(100)]
                assert seen[offer.decision][0] == offer.draw == offer.draw_again(0)
            scheduler.lapse(offer.seat, "timeout")
        scheduler.tick()

    numbers = [number for draws in seen.values() for number in draws]
    assert len(seen) == 20
    assert len(set(numbers)) == len(numbers) == 2000
    assert all(0 <= number < 1 for number in numbers)
    assert 0.45 < sum(numbers) / len(numbers) < 0.55
    assert seen[0] == [pantry().due()[0].draw_again(time) for time in range(100)]


def test_an_offer_is_told_in_words_as_the_state_was() -> None:
    """In sentences or in few words, from the same state as its observation; the rules are the game's."""
    scheduler = pantry()
    ada, bo = scheduler.due()
    before = [offer.situation(brief=brief) for offer in (ada, bo) for brief in (True, False)]
    start(scheduler, ada, "fetch@0,2")

    for _ in range(6):
        scheduler.tick()

    words = scheduler.game.words
    assert [offer.situation(brief=brief) for offer in (ada, bo) for brief in (True, False)] == before
    assert words.full(scheduler.facts(), 0) != before[1]
    assert ada.words is words
    assert ada.steps == 300


def test_a_chooser_can_answer_one_offer_at_a_time() -> None:
    """A script takes a seat where a person could."""
    policy = as_policy(Idle())
    offer = pantry().due()[0]

    choice = anyio.run(partial(policy.choose, offer))

    assert isinstance(policy, Policy)
    assert not isinstance(policy, Chooser)
    assert isinstance(choice, Choice)
    assert offer.menu.keys[choice.index] == "wait"


@pytest.mark.parametrize("meant", [(0, 0), [0, 0], None])
def test_a_choice_may_say_which_offer_it_answers(meant: Any) -> None:
    """One that says nothing is for the offer that is open."""
    offer = pantry().due()[0]
    choice = Choice(0, offer=meant)

    assert objection(choice, offer.menu) is None
    assert misplaced(choice, offer, None) is None


@pytest.mark.parametrize(
    ("meant", "detail"),
    [
        ((0, 1), "it is for decision 1 of seat 0"),
        ((1, 0), "it is for decision 0 of seat 1"),
        ((0, -1), "it is for decision -1 of seat 0"),
        ((10**5000, 10**9), "it is for decision far off of seat far off"),
    ],
)
def test_a_choice_for_another_offer_is_misplaced(meant: tuple[int, int], detail: str) -> None:
    """Whether of another seat or of another time; and however long its numbers are."""
    offer = pantry().due()[0]

    assert objection(Choice(0, offer=meant), offer.menu) is None
    assert misplaced(Choice(0, offer=meant), offer, None) == ("another offer", detail)


@pytest.mark.parametrize("meant", [5, 0, "ab", (0,), (0, 0, 0), (0, 0.0), (True, 0), (Letter.A, 0), {0, 1}, object()])
def test_what_is_no_offer_makes_a_choice_malformed(meant: Any) -> None:
    """An agent can say anything here too, and nothing of it may end the episode."""
    assert objection(Choice(0, offer=meant), MENU) == ("malformed", "offer is not a seat and a decision")


@pytest.mark.parametrize(
    ("adapter", "receipt", "wrong"),
    [
        (None, WHOLE, None),
        ("a" * 16, WHOLE, None),
        ("a" * 16, None, None),
        ("b" * 16, WHOLE, ("another model", "it is from seat0@v1, of another digest")),
        ("", WHOLE, ("another model", "it is from seat0@v1, of another digest")),
        ("a" * 16, Receipt(-0.5), ("another model", "it is from the base, of another digest")),
        ("", Receipt(-0.5), None),
    ],
)
def test_a_choice_is_held_to_the_adapter_of_its_seat(
    adapter: str | None, receipt: Receipt | None, wrong: tuple[str, str] | None
) -> None:
    """By digest, where both the seat and the receipt have one; no name is trusted."""
    assert misplaced(Choice(0, receipt), pantry().due()[0], adapter) == wrong
