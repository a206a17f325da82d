"""Each audit on traces whose numbers can be told in advance."""

from collections.abc import Sequence
from math import log, log2
from typing import Any

import msgspec
import pytest

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.games import registry
from hocket.games.primitives import NAME as PRIMITIVES
from hocket.replays.audits.audit import AUDITS, audit
from hocket.replays.audits.beams import Fired, beams
from hocket.replays.audits.calls import calls
from hocket.replays.audits.certainty import Certainty, certainty
from hocket.replays.audits.collapse import Collapse, collapse
from hocket.replays.audits.finding import Absent, Row, gini
from hocket.replays.audits.idleness import Idleness, idleness
from hocket.replays.audits.letters import Letters, letters
from hocket.replays.audits.record import Record
from hocket.replays.audits.shares import Shares, shares
from hocket.replays.audits.sign import signs
from hocket.replays.audits.social import social
from hocket.replays.audits.specialisation import Specialisation
from hocket.replays.audits.sustainability import Sustainability, sustainability
from hocket.replays.audits.territory import Territory, territory
from hocket.replays.audits.trouble import trouble
from hocket.replays.audits.work import work
from hocket.replays.episodes import Episodes
from hocket.replays.trace import Trace
from hocket.runtime.errors import MissingError, TraceError, UnknownNameError
from hocket.runtime.events import GameEvent, Receipt, Stepped
from hocket.runtime.policy import Choice, Offer

play = Episodes()


class Letter:
    """Chooses the entry with one letter, whatever it says; the last where there is none."""

    def __init__(self, place: int) -> None:
        self._place = place

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        """Choose for each seat by itself."""
        return [Choice(min(self._place, len(offer.menu) - 1)) for offer in offers]


class Fires:
    """Fires the cleaning beam, always; with primitive actions."""

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        """Choose for each seat by itself."""
        return [Choice(next(n for n, key in enumerate(offer.menu.keys) if "clean" in key)) for offer in offers]


class Told(Random):
    """Chooses at random, with the receipt of a model that was sure, or that was not."""

    def __init__(self, certain: bool) -> None:
        self._certain = certain

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        """Choose for each seat by itself."""
        return [self._told(offer) for offer in offers]

    def _told(self, offer: Offer) -> Choice:
        count = len(offer.menu)
        sure = (log(0.97), *([log(0.03 / (count - 1))] * (count - 1))) if count > 1 else (0.0,)
        menu = sure if self._certain else (-log(count),) * count
        return Choice(0, Receipt(log_prob=menu[0], backend="local", menu=menu))


def pair(one: Any, other: Any, game: str = "overcooked:cramped_room", **setup: Any) -> Trace:
    """One short episode."""
    whole: dict[str, Any] = {"seed": 3, "steps": 120, **setup}
    return play(game, [one, other], **whole)


def test_shares_are_of_each_seats_own_choices() -> None:
    """Whatever an option was aimed at."""
    record = Record(pair(Random(), Idle()))
    found = shares(record)

    assert isinstance(found, Shares)
    assert found.share(1, "wait") == 1
    assert sum(found.share(0, option) or 0 for option in found.options) == pytest.approx(1)
    assert not any("@" in option for option in found.options)


def test_every_tick_is_a_decision_with_primitive_actions() -> None:
    """The paper's call ratio is 1 there, and less with options, which last longer."""
    native = calls(Record(pair(Random(), Random(), library=PRIMITIVES)))
    options = calls(Record(pair(Random(), Random())))

    assert native.ratio == 1
    assert options.ratio is not None
    assert options.ratio < 0.7
    [_, lasted] = options.rows()
    assert lasted.team is not None
    assert lasted.team == pytest.approx(1 / options.ratio, rel=0.1)


def test_one_action_is_a_collapse_and_to_do_nothing_is_not() -> None:
    """A letter-bound seat with primitive actions does one thing after the other; an idle one is idle."""
    trace = pair(Idle(), Random(), library=PRIMITIVES)
    steps = [
        msgspec.structs.replace(event, joint=(event.joint[0], 2)) if isinstance(event, Stepped) else event
        for event in trace.events
    ]

    found = collapse(Record(msgspec.structs.replace(trace, events=tuple(steps))))

    assert isinstance(found, Collapse)
    assert (found.commonest(0), found.commonest(1)) == ("stay", "east")
    assert (found.share(0, "stay"), found.share(1, "east")) == (1, 1)
    assert [sign.sentence for sign in signs({"collapse": found})] == [
        "seat 1 has fallen for one action: east, 100% of its ticks"
    ]


def test_whoever_chooses_by_letter_is_found() -> None:
    """And whoever draws from its menu is not."""
    found = letters(Record(pair(Letter(1), Random(), steps=400)))

    assert isinstance(found, Letters)
    bound, free = found.bias(0), found.bias(1)
    assert bound is not None
    assert free is not None
    assert bound > 0.5
    assert free < 0.15
    assert [sign.name for sign in signs({"letters": found})] == ["letters"]
    assert "seat 0 chooses by letter: B" in signs({"letters": found})[0].sentence


def test_expected_letters_are_one_over_the_length_of_each_menu() -> None:
    """They add up to the choices from menus with something to choose."""
    record = Record(pair(Random(), Random()))
    found = letters(record)

    assert isinstance(found, Letters)
    for seat in (0, 1):
        assert sum(found.expected[seat]) == pytest.approx(sum(found.chosen[seat]))
        assert list(found.expected[seat]) == sorted(found.expected[seat], reverse=True)


def test_idleness_is_of_ticks_and_of_choices() -> None:
    """An idle seat does nothing but wait."""
    found = idleness(Record(pair(Idle(), Random())))

    assert isinstance(found, Idleness)
    assert found.share(0) == 1
    assert (found.share(1) or 0) < 0.6
    _, waits = found.rows()
    assert waits.seats[0] == 1


@pytest.mark.parametrize(
    ("amounts", "expected"), [((1, 1, 1), 0), ((3, 0, 0), 2 / 3), ((1, 3), 0.25), ((0, 0), None), ((), None)]
)
def test_gini_is_the_mean_difference_over_twice_the_mean(amounts: tuple[float, ...], expected: float | None) -> None:
    """Nothing can be said of what nobody has."""
    assert gini(amounts) == (expected if expected is None else pytest.approx(expected))


def test_mutual_information_is_that_of_seat_and_option() -> None:
    """0 bits where seats choose alike, all there are where none ever chooses what another does."""
    alike = Specialisation(Shares(({"a": 5, "b": 5}, {"a": 50, "b": 50})), apart=False)
    apart = Specialisation(Shares(({"a": 9}, {"b": 1}, {"c": 3}, {"d": 7})), apart=False)
    half = Specialisation(Shares(({"a": 2}, {"a": 1, "b": 1})), apart=False)
    lone = Specialisation(Shares(({"a": 2}, {})), apart=False)

    assert alike.bits() == alike.explained() == 0
    assert apart.bits() == log2(4)
    assert apart.explained() == 1
    whole = -(0.75 * log2(0.75) + 0.25 * log2(0.25))
    assert half.bits() == pytest.approx(whole - 0.5)
    assert half.explained() == pytest.approx((whole - 0.5) / whole)
    assert lone.bits() is None


def test_visits_are_where_seats_stood_when_a_tick_began() -> None:
    """Told from the game's own states, played by hand."""
    trace = pair(Random(), Idle(), starts="scattered")
    record = Record(trace)
    found = territory(record)
    game: Any = registry.rebuild(trace.header.game)
    game.reset(trace.header.seed, trace.header.starts)
    stood: list[list[tuple[int, int]]] = [[], []]
    for step in record.steps:
        for seat in (0, 1):
            stood[seat].append(game.observe(game.facts(), seat).me.place)
        game.step(step.joint)

    assert isinstance(found, Territory)
    for seat in (0, 1):
        counted = {
            (cell % found.size[0], cell // found.size[0]): int(times)
            for cell, times in enumerate(found.visits[seat])
            if times
        }
        assert counted == {place: stood[seat].count(place) for place in stood[seat]}
    assert found.overlap(0, 0) == pytest.approx(1)
    assert found.overlap(0, 1) == found.overlap(1, 0)


def test_a_world_that_does_not_come_about_again_is_not_looked_at() -> None:
    """A trace that pays what its game does not is told, and the audits that need no states go on."""
    trace = pair(Random(), Random())
    paid = [
        msgspec.structs.replace(event, rewards=(7.0, 0.0)) if isinstance(event, Stepped) and event.tick == 5 else event
        for event in trace.events
    ]

    found = audit([msgspec.structs.replace(trace, events=tuple(paid), path="odd.jsonl")])

    assert found.absent["territory"] == "at tick 5 the world did otherwise than recorded: hocket rerun odd.jsonl"
    assert "shares" in found.findings


def test_the_social_metrics_are_those_of_the_paper_that_named_them() -> None:
    """Two seats, ten ticks: one is paid at 2 and 4, the other at 9."""
    trace = pair(Idle(), Idle(), steps=10)
    pay = {2: (3.0, 0.0), 4: (3.0, 0.0), 9: (0.0, 2.0)}
    events = [
        msgspec.structs.replace(event, rewards=pay.get(event.tick, event.rewards))
        if isinstance(event, Stepped)
        else event
        for event in trace.events
    ]

    found = social(Record(msgspec.structs.replace(trace, events=tuple(events))))

    assert found.efficiency == (0.8, 1)
    assert found.equality == (pytest.approx(1 - gini((6, 2))), 1)  # type: ignore[operator]
    assert found.sustainability == ((3 + 9) / 2, 1)
    assert found.peace == (0.0, 0)
    assert social(Record(trace)).peace == (2, 1)
    assert social(Record(trace)).equality == (0.0, 0)


def test_receipts_tell_how_sure_a_model_was() -> None:
    """One certain, one that might as well draw."""
    found = certainty(Record(pair(Told(certain=True), Told(certain=False))))

    assert isinstance(found, Certainty)
    entropy, sure = found.rows()
    assert sure.seats == (1, 0)
    assert entropy.seats[0] is not None
    assert entropy.seats[1] is not None
    assert entropy.seats[0] < 0.3 < entropy.seats[1]


def test_without_receipts_nothing_is_said_of_models() -> None:
    """Scripts and people leave none; that is no parse failure rate of nought."""
    record = Record(pair(Random(), Random()))

    found, replies = certainty(record), next(trouble(record).rows())

    assert found == Absent("no receipt has a distribution: scripts, people and replayed agents leave none")
    assert replies == Row("replies that could not be read", "share", (None, None), words=("no receipts",) * 2)


def test_trouble_is_counted_by_seat_and_reason() -> None:
    """A partner that answers nonsense, over a simulated network; the other has none."""
    trace = play("pantry", [Random(), Random()], seed=2, steps=200, faults="hostile")
    found = trouble(Record(trace))

    rejected = sum(sum(counts.values()) for counts in found.rejected)
    lapsed = sum(sum(counts.values()) for counts in found.lapsed)

    kinds = [event.__struct_config__.tag for event in trace.events]
    assert rejected == kinds.count("choice_rejected") > 0
    cancelled = sum(getattr(event, "reason", "") == "cancelled" for event in trace.events)
    assert lapsed == kinds.count("offer_lapsed") - cancelled > 0
    assert sum(found.failed) == kinds.count("agent_failed")
    assert sum(found.stalled) > 0
    assert trouble(Record(pair(Random(), Random()))).stalled == (0, 0)


def test_beams_at_nothing_are_counted() -> None:
    """Whoever fires all the time fires mostly at nothing, or too early: a beam cools down for two steps."""
    pytest.importorskip("dmlab2d")
    trace = play("cleanup", [Fires()] * 7, seed=4, steps=60, library=PRIMITIVES)
    found = beams(Record(trace))

    assert isinstance(found, Fired)
    assert [fired + early for fired, early in zip(found.fired, found.early, strict=True)] == [60] * 7
    assert set(found.fired) == {20}
    blind = [seat for seat in range(7) if found.share(seat) == 1]
    assert blind
    cleaned = [0] * 7
    for event in Record(trace).happened:
        cleaned[event.seat] += event.kind == "cleaned"
    for seat in range(7):
        assert bool(cleaned[seat]) == (found.idle[seat] < found.fired[seat])
    assert {sign.name for sign in signs({"beams": found})} == {"blind beams"}


def test_survival_is_told_by_the_events_as_well() -> None:
    """The world reports every patch whose apples change; its last word on each is what the curve ends on."""
    pytest.importorskip("dmlab2d")
    trace = play("harvest:no_thinning", [Random()] * 7, seed=4, steps=200)
    record = Record(trace)
    found = sustainability(record)
    last = {event.what: event.amount for event in record.happened if event.kind == "apples"}

    assert isinstance(found, Sustainability)
    assert found.curve[0] == found.whole == 6
    assert found.curve[-1] == 6 - sum(amount == 0 for amount in last.values())
    assert len(found.curve) == 201


def test_findings_of_several_traces_add_up() -> None:
    """One after the other, or in two halves: the same numbers, for every audit."""
    traces = [pair(Random(), Random(), seed=seed) for seed in range(4)]
    whole = audit(traces)
    halves = [audit(traces[:2]), audit(traces[2:])]

    for name, finding in whole.findings.items():
        summed = halves[0].findings[name] + halves[1].findings[name]
        for one, other in zip(finding.rows(), summed.rows(), strict=True):
            assert (one.name, one.unit, one.words) == (other.name, other.unit, other.words)
            assert one.team == pytest.approx(other.team)
            assert one.seats == pytest.approx(other.seats)
    assert whole.returns == halves[0].returns + halves[1].returns


def test_work_without_a_delivery_is_nobodys() -> None:
    """Deeds are counted; useful is what came to something."""
    found = work(Record(pair(Random(), Idle(), steps=40)))

    assert found.deeds[0] > 0
    assert found.useful == (0, 0)
    assert found.share(0) is None
    assert found.inequality is None


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
        "seat 1 was not held by the same agent in all traces; numbers are of all together",
    )
    assert list(found.findings) == [name for name in AUDITS if name in found.findings]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"joint": (0,)}, r"^odd.jsonl \(tick 5\): \(0,\) with rewards \(0.0, 0.0\) is no step of 2 seats"),
        ({"joint": (0, 99)}, r"is no step of 2 seats"),
        ({"rewards": (1.0, 1.0, 1.0)}, r"is no step of 2 seats"),
        ({"events": (GameEvent("took", 2),)}, r"^odd.jsonl \(tick 5\): something happened to seat 2, but there are 2"),
    ],
)
def test_a_step_that_is_none_of_the_game_is_named(change: dict[str, Any], said: str) -> None:
    """A trace can be sound line by line and say what cannot have been."""
    trace = pair(Random(), Random())
    events = [
        msgspec.structs.replace(event, **change) if isinstance(event, Stepped) and event.tick == 5 else event
        for event in trace.events
    ]

    with pytest.raises(TraceError, match=said):
        audit([msgspec.structs.replace(trace, events=tuple(events), path="odd.jsonl")])


def test_a_trace_of_nothing_is_no_fault() -> None:
    """A header alone, as after a crash in the first tick."""
    bare = msgspec.structs.replace(pair(Random(), Random()), events=())

    found = audit([bare])

    assert found.returns == (0,)
    assert found.absent["shares"] == "nobody has chosen an option"
    assert all(list(finding.rows()) for name, finding in found.findings.items() if name != "deeds")
