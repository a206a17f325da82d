"""Agents on a cassette: the same episode without a model, and nothing but that."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random as Dice

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hocket.agents.exported import Exported
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.idle import Idle
from hocket.agents.llm import LocalModel
from hocket.agents.random import Random
from hocket.agents.spec import Cast
from hocket.agents.style import Style
from hocket.agents.taped import TapedChooser, TapedPolicy, taped
from hocket.games import registry
from hocket.games.pantry.rules import Facts
from hocket.games.pantry.words import PantryWords
from hocket.games.pantry.world import Pantry
from hocket.replays.cassette import Cassette
from hocket.replays.recorder import RECORDED
from hocket.replays.tape import Exchange, Tape, encode_tape
from hocket.replays.trace import encode_trace, make_header
from hocket.runtime.bus import Bus
from hocket.runtime.clock import Clock
from hocket.runtime.episode import Episode
from hocket.runtime.errors import AgentError, CassetteError, CassetteMissError, SettingError
from hocket.runtime.events import AgentFailed, ChoiceRejected, Event, OptionChosen, Receipt
from hocket.runtime.pace import Lockstep
from hocket.runtime.policy import Agent, Choice, Chooser, NoChoice, Offer, Policy, as_policy
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats
from hocket.runtime.words import Situation

SEATS = 7
Offered = Callable[..., list[Offer]]


def rollout(agent: Agent, *, seed: int = 1, steps: int = 60) -> tuple[bytes, list[Event]]:
    """Play ada and bo in the pantry, both held by one agent; the trace, and its events."""
    game = registry.make("pantry")
    library, names = registry.library(game), ("ada", "bo")
    header = make_header(game, library, seed=seed, starts="standard", steps=steps, seats=names)
    scheduler = Scheduler(game, library, seed=seed, holders=names, steps=steps)
    events = list[Event]()
    play([Rollout(scheduler, Seats([Holder(name, agent) for name in names], Holder("idle", Idle())), events.extend)])
    return encode_trace(header, events), events


class Wordy:
    """Now a choice with a receipt, now none, now one that is not on the menu."""

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice | NoChoice]:
        """Answer by the number of the decision."""
        return [self._choose(offer) for offer in offers]

    def _choose(self, offer: Offer) -> Choice | NoChoice:
        receipt = Receipt(log_prob=-offer.draw, backend="ada", menu=(-0.1, -1e-17), position=offer.decision)
        if offer.decision % 5 == 3:
            return NoChoice("malformed", f"{offer.decision} soups", receipt)
        return Choice(99 if offer.decision % 5 == 4 else offer.decision % len(offer.menu), receipt)


class Late:
    """A policy of one seat that takes some cycles of the loop."""

    def __init__(self, dice: Dice) -> None:
        self._dice = dice

    async def choose(self, offer: Offer) -> Choice:
        """Say in the receipt whose answer it is."""
        for _ in range(self._dice.randrange(6)):
            await asyncio.sleep(0)
        return Choice(offer.decision % len(offer.menu), Receipt(backend=f"seat {offer.seat}"))


def test_an_episode_of_a_language_model_plays_again_without_one(embedded: FrozenBase, tmp_path: Path) -> None:
    """Token ids and log-probabilities included: the trace is the same, byte for byte."""
    words = registry.make("pantry").words
    model = LocalModel(Exported(embedded), words, embedded.style)
    for seat in range(2):
        model.seat(seat, None)
    with Cassette.record(tmp_path / "pantry.jsonl", seats=2) as cassette:
        recorded, _ = rollout(taped(cassette, model, style=embedded.style))

    with Cassette.play(tmp_path / "pantry.jsonl", seats=2) as cassette:
        played, events = rollout(taped(cassette))

    assert played == recorded
    assert sum(isinstance(each, OptionChosen) and each.receipt is not None for each in events) > 10


def test_rejected_replies_are_rejected_again(tmp_path: Path) -> None:
    """For the same reason and with the same receipt, whether the agent gave up or named what is not there."""
    with Cassette.record(tmp_path / "wordy.jsonl", seats=2) as cassette:
        recorded, _ = rollout(taped(cassette, Wordy()))

    with Cassette.play(tmp_path / "wordy.jsonl") as cassette:
        played, events = rollout(taped(cassette))

    assert played == recorded
    assert {each.reason for each in events if isinstance(each, ChoiceRejected)} == {"malformed", "not on the menu"}


def test_recording_changes_nothing(tmp_path: Path) -> None:
    """The trace is that of the agent alone."""
    with Cassette.record(tmp_path / "wordy.jsonl", seats=2) as cassette:
        recorded, _ = rollout(taped(cassette, Wordy()))

    assert recorded == rollout(Wordy())[0]


def in_time(agents: Sequence[Agent]) -> bytes:
    """Play seven cooks on the bus; the trace."""
    game = registry.make("pantry", {"seats": SEATS})
    library = registry.library(game)
    seats = Seats([Holder(f"cook {seat}", agent) for seat, agent in enumerate(agents)], Holder("idle", Idle()))
    scheduler = Scheduler(game, library, seed=1, holders=seats.names, steps=40)
    header = make_header(game, library, seed=1, starts="standard", steps=40, seats=seats.names)
    clock = Clock()
    bus = Bus(clock)
    inbox = bus.subscribe(RECORDED, name="all", capacity=1 << 20, overflow="fail")
    asyncio.run(as_task(Episode(scheduler, seats, bus, Lockstep(), clock=clock)))
    return encode_trace(header, inbox.take_all())


async def as_task(episode: Episode) -> None:
    """Play, or fail after a while."""
    await asyncio.wait_for(episode.run(), 30)


def test_seven_policies_at_once_play_again_whatever_the_order_of_their_replies(tmp_path: Path) -> None:
    """Two recordings with other delays are one file, and each seat says its own again."""
    for name, seed in (("one.jsonl", 1), ("other.jsonl", 2)):
        with Cassette.record(tmp_path / name, seats=SEATS) as cassette:
            recorded = in_time([taped(cassette, Late(Dice(seed * 10 + seat))) for seat in range(SEATS)])

    with Cassette.play(tmp_path / "one.jsonl", seats=SEATS) as cassette:
        played = in_time([taped(cassette, Late(Dice(seat))) for seat in range(SEATS)])

    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "other.jsonl").read_bytes()
    assert played == recorded


class DarkWords(PantryWords):
    """Nobody sees anything, so that everybody reads the same."""

    def full(self, facts: Facts, seat: int) -> Situation:
        """Tell what there is to be seen."""
        return Situation(own=("It is dark.",), partners=(), world=())


def test_seven_seats_of_one_prompt_are_asked_at_once_and_none_gets_what_is_anothers(
    offered: Offered, tmp_path: Path
) -> None:
    """The menu is one, the words are one, and the replies are seven."""
    pantry = Pantry(SEATS)
    pantry.words = DarkWords(SEATS)
    dark = msgspec.structs.replace(offered()[0], _game=pantry)
    offers = [
        msgspec.structs.replace(dark, seat=seat, decision=decision) for seat in range(SEATS) for decision in range(9)
    ]

    async def ask(policy: Policy, order: int) -> dict[tuple[int, int], str]:
        asked = Dice(order).sample(offers, len(offers))
        answers = await asyncio.gather(*map(policy.choose, asked))
        return {
            (offer.seat, offer.decision): answer.receipt.backend
            for offer, answer in zip(asked, answers, strict=True)
            if answer.receipt is not None
        }

    with Cassette.record(tmp_path / "dark.jsonl", seats=SEATS) as cassette:
        asyncio.run(ask(taped(cassette, Late(Dice(0))), 1))
    with Cassette.play(tmp_path / "dark.jsonl", seats=SEATS) as cassette:
        played = asyncio.run(ask(taped(cassette, Late(Dice(0))), 2))

    assert len({each.asked for each in cassette.exchanges}) == 1
    assert played == {(seat, decision): f"seat {seat}" for seat in range(SEATS) for decision in range(9)}


def test_a_miss_is_told_in_the_trace_and_raised_at_the_end(tmp_path: Path) -> None:
    """Of another seed the letters are others; the episode goes on without the seat, and the test does not pass."""
    with Cassette.record(tmp_path / "ada.jsonl", seats=2) as cassette:
        rollout(taped(cassette, Random()))

    cassette = Cassette.play(tmp_path / "ada.jsonl")
    _, events = rollout(taped(cassette), seed=2)

    failed = [each for each in events if isinstance(each, AgentFailed)]
    assert [each.seat for each in failed] == [miss.seat for miss in cassette.misses] == [0, 1]
    assert failed[0].error.startswith("CassetteMissError: cassette ada.jsonl has no reply for decision 0 of seat 0: ")
    with pytest.raises(CassetteMissError, match="\n--- recorded: seat 0, decision 0\n\\+\\+\\+ asked now\n"):
        cassette.close()


def test_a_miss_is_the_failure_of_its_seat_alone(offered: Offered, tmp_path: Path) -> None:
    """The others of its batch have their choices."""
    ada, bo = offered()[:2]
    with Cassette.record(tmp_path / "ada.jsonl", seats=2) as cassette:
        taped(cassette, Random()).choose_many([ada])

    answers = taped(Cassette.play(tmp_path / "ada.jsonl")).choose_many([ada, bo])

    assert answers[0] == Random().choose_many([ada])[0]
    assert isinstance(answers[1], CassetteMissError)
    assert answers[1].problem == "nothing was recorded for this seat"


def test_another_style_is_a_miss_that_names_it(offered: Offered, tmp_path: Path) -> None:
    """At another temperature a model reads the same and says something else."""
    with Cassette.record(tmp_path / "ada.jsonl", seats=2) as cassette:
        taped(cassette, Random(), style=Style(temperature=1.0)).choose_many(offered()[:1])

    (miss,) = taped(Cassette.play(tmp_path / "ada.jsonl"), style=Style(temperature=0.5)).choose_many(offered()[:1])

    assert isinstance(miss, CassetteMissError)
    changed = [line for line in miss.difference.splitlines()[3:] if line[0] in "+-"]
    assert changed == ['- "temperature": 1.0,', '+ "temperature": 0.5,']


@pytest.mark.parametrize(
    "style", [Style(scorer="json"), Style(scorer="json", profile="brief"), Style(), Style("brief")]
)
def test_a_menu_in_another_order_is_a_miss_in_every_style(style: Style, offered: Offered, tmp_path: Path) -> None:
    """A recorded choice is a place on the menu, and some prompts do not show it."""
    offer = next(each for each in offered() if len(each.menu) > 2)
    turned = msgspec.structs.replace(offer, menu=type(offer.menu).of(offer.menu.entries[::-1]))
    with Cassette.record(tmp_path / "ada.jsonl", seats=2) as cassette:
        taped(cassette, Random(), style=style).choose_many([offer])

    same, other = (taped(Cassette.play(tmp_path / "ada.jsonl")).choose_many([each])[0] for each in (offer, turned))

    assert isinstance(same, Choice)
    assert isinstance(other, CassetteMissError)


def test_an_agent_on_a_cassette_is_of_its_own_kind(tmp_path: Path) -> None:
    """Recorded or played: each driver takes what it would take anyway."""
    recording = Cassette.record(tmp_path / "ada.jsonl", seats=2)
    recording.close()
    playing = Cassette.play(tmp_path / "ada.jsonl")

    kinds = [type(taped(cassette, agent)) for cassette in (recording, playing) for agent in (Random(), Late(Dice()))]

    assert kinds == [TapedChooser, TapedPolicy] * 2
    assert isinstance(taped(playing), Chooser)
    with pytest.raises(SettingError, match="agent is None, but must be an agent, for the cassette is recorded"):
        taped(recording)


def test_what_is_played_asks_nobody(offered: Offered, tmp_path: Path) -> None:
    """Whoever stands by to be recorded next time costs nothing, and may not even work here."""

    class Gone:
        def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
            raise ConnectionError("no model here")

    ada = offered()[0]
    with Cassette.record(tmp_path / "ada.jsonl", seats=2) as cassette:
        recorded = taped(cassette, Random()).choose_many([ada])

    with Cassette.play(tmp_path / "ada.jsonl") as cassette:
        played = taped(cassette, Gone()).choose_many([ada])

    assert list(played) == list(recorded)


@pytest.mark.parametrize(
    "answers",
    [
        ["soup"],
        [Choice(True)],
        [Choice(1.0)],  # type: ignore[arg-type]
        [Choice(0, Receipt(log_prob=float("nan")))],
        [Choice(0, Receipt(temperature=1))],
        [ValueError("no soup")],
        [],
        [Choice(0), Choice(0)],
    ],
)
def test_what_the_runtime_would_not_take_for_an_answer_is_passed_on_and_not_recorded(
    answers: list[object], offered: Offered, tmp_path: Path
) -> None:
    """It is the seat's own fault as before; a recording would make sense of it, or stop the others' from being kept."""

    class Absurd:
        def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
            return answers  # type: ignore[return-value]

    with Cassette.record(tmp_path / "ada.jsonl", seats=2) as cassette:
        passed = taped(cassette, Absurd()).choose_many(offered()[:1])

    assert list(passed) == answers
    assert cassette.exchanges == ()


def test_an_agent_that_raises_raises(offered: Offered, tmp_path: Path) -> None:
    """And leaves nothing on the cassette: it has made no choice."""

    class Tired:
        async def choose(self, offer: Offer) -> Choice:
            raise TimeoutError("asleep")

    cassette = Cassette.record(tmp_path / "ada.jsonl", seats=2)

    with pytest.raises(TimeoutError, match="asleep"):
        asyncio.run(taped(cassette, Tired()).choose(offered()[0]))
    assert cassette.exchanges == ()


FLOATS = st.floats(allow_nan=False, allow_infinity=False)
RECEIPTS = st.builds(
    Receipt,
    log_prob=st.none() | FLOATS,
    base=st.text(),
    temperature=FLOATS,
    prompt=st.lists(st.integers(0, 2**31)).map(tuple),
    menu=st.lists(FLOATS).map(tuple),
    intent=st.none() | st.integers(0, 99),
    draws=st.integers(0, 99),
)
ANSWERS = st.builds(Choice, st.integers(0, 99), st.none() | RECEIPTS) | st.builds(
    NoChoice, st.text(), st.text(), st.none() | RECEIPTS
)


@given(ANSWERS)
def test_every_answer_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, offered: Offered, answer: Choice | NoChoice
) -> None:
    """To the last bit of its receipt."""

    class Ada:
        async def choose(self, offer: Offer) -> Choice | NoChoice:
            return answer

    path, offer = tmp_path_factory.mktemp("answer") / "ada.jsonl", offered()[0]
    with Cassette.record(path, seats=2) as cassette:
        asyncio.run(taped(cassette, Ada()).choose(offer))
    with Cassette.play(path) as cassette:
        found = asyncio.run(taped(cassette, Ada()).choose(offer))

    assert repr(found) == repr(answer)


def test_the_command_line_knows_a_cassette(tmp_path: Path) -> None:
    """Its seats share one agent, under the digest of the file and no folder of this machine."""
    path = tmp_path / "ada.jsonl"
    with Cassette.record(path, seats=2) as cassette:
        rollout(taped(cassette, Wordy()))
    cast = Cast("pantry")

    ada, bo = (cast.holder(f"taped:{path}", seat) for seat in range(2))

    assert ada.agent is bo.agent
    assert ada.name == bo.name == f"taped:{Cassette.play(path).digest[:12]}"
    assert rollout(ada.agent)[0] == rollout(Wordy())[0]
    with pytest.raises(AgentError) as refused:
        cast.holder(f"taped:{path}", 2)
    assert str(refused.value) == f"agent 'taped:{path}': it was recorded for 2 seats, so not for seat 2"


@pytest.mark.parametrize(
    ("asked", "reply", "problem"),
    [
        (("{}",), "left", "Expected `object`, got `str`"),
        (("{}",), {"choice": {"index": "A"}}, "Expected `int`, got `str` - at `$.choice.index`"),
        (("{}",), {}, "neither choice nor no_choice"),
        (("{}",), {"chioce": {"index": 0}}, "Object contains unknown field `chioce`"),
        (("which way?",), {"choice": {"index": 0}}, "JSON is malformed: invalid character (byte 0)"),
        ((), {"choice": {"index": 0}}, "tuple index out of range"),
    ],
)
def test_a_cassette_of_something_else_than_choices_is_refused_when_it_is_opened(
    asked: tuple[str, ...], reply: object, problem: str, tmp_path: Path
) -> None:
    """Or one whose reply was edited into none: not in the middle of an episode, which would go on."""
    path = tmp_path / "ada.jsonl"
    path.write_bytes(encode_tape(Tape(2, (Exchange(1, 4, 0, asked, reply),))))

    with pytest.raises(CassetteError) as refused:
        taped(Cassette.play(path))

    assert str(refused.value) == f"cassette {path}: decision 4 of seat 1 is no choice of an agent: {problem}"


def test_as_policy_leaves_a_cassette_what_it_is(offered: Offered, tmp_path: Path) -> None:
    """A recorded chooser also answers where policies are asked, and its miss is raised."""
    with Cassette.record(tmp_path / "ada.jsonl", seats=2) as cassette:
        recorded = asyncio.run(as_policy(taped(cassette, Random())).choose(offered()[0]))
    policy = as_policy(taped(Cassette.play(tmp_path / "ada.jsonl")))

    assert asyncio.run(policy.choose(offered()[0])) == recorded
    with pytest.raises(CassetteMissError, match="it is asked for reply 2, and 1 recorded"):
        asyncio.run(policy.choose(offered()[0]))
