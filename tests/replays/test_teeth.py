"""Every field of every kind of event is altered in turn, and none passes unseen.

`docs/traces.md` says which fields follow from the rest and which are inputs. Whatever follows
is found by a rerun at its event and under its name, however well the hashes were forged.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.agents.scripted.cook import Cook
from hocket.games import registry
from hocket.replays.difference import parting
from hocket.replays.questioning import Witness
from hocket.replays.recorder import RECORDED
from hocket.replays.rerun import rerun
from hocket.replays.trace import Trace, encode_event, encode_trace, make_header, read_trace
from hocket.runtime.errors import TraceError
from hocket.runtime.events import (
    AgentFailed,
    ChoiceRejected,
    EpisodeEnded,
    Event,
    FaultInjected,
    GameEvent,
    OfferLapsed,
    OptionChosen,
    Receipt,
    SeatChanged,
)
from hocket.runtime.policy import Choice, NoChoice, Offer
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

INPUTS: dict[type[Event], set[str]] = {
    OptionChosen: {"seat", "index", "receipt"},
    ChoiceRejected: {"seat", "reason", "detail", "receipt"},
    OfferLapsed: {"seat", "reason", "instead"},
    FaultInjected: {"seat", "fault", "message", "decision", "ticks"},
    AgentFailed: {"seat", "error"},
    SeatChanged: {"seat", "holder", "reason"},
    EpisodeEnded: {"reason"},
}
"""Fields that follow from nothing else; all others do."""
SILENT: dict[type[Event], set[str]] = {
    OptionChosen: {"receipt"},
    ChoiceRejected: {"seat", "reason", "detail", "receipt"},
    OfferLapsed: {"reason"},
    FaultInjected: {"seat", "fault", "message", "decision", "ticks"},
    AgentFailed: {"error"},
    SeatChanged: {"reason"},
    EpisodeEnded: {"reason"},
}
"""Inputs from which nothing need follow: under right hashes they are what was recorded."""
MOST, STEPS = 6, 40
"""How many events of a kind are altered in each trace; ticks of an episode in turmoil."""


class Scribe:
    """Answers at random, with a receipt that fills every field, or with a word that is none; fails once."""

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice | NoChoice | Exception]:
        return [self._answer(offer) for offer in offers]

    def _answer(self, offer: Offer) -> Choice | NoChoice | Exception:
        size, told = len(offer.menu), _receipt(offer)
        if (offer.seat, offer.decision) == (1, 17):
            return ValueError("burnt")
        if offer.decision % 5 == 3:
            return NoChoice("malformed", f"{offer.draw:.3f}", told)
        return Choice(int(offer.draw * size), told)


def _receipt(offer: Offer) -> Receipt:
    chances = tuple([-offer.draw_again(1 + place) for place in range(len(offer.menu))])
    return Receipt(
        log_prob=-offer.draw,
        backend="local",
        base="ba5e",
        adapter=f"seat{offer.seat}@v1",
        adapter_digest="ada",
        check="known",
        scorer="two_line",
        temperature=0.5,
        prompt=(offer.tick, 7, 8),
        menu=chances,
        intent=0,
        intents=chances,
        reply=(1, 2),
        position=offer.decision,
        draws=2,
    )


def _recorded(name: str, agents: Sequence[Holder], seed: int, steps: int) -> Trace:
    game = registry.make(name)
    library, names = registry.library(game), [holder.name for holder in agents]
    header = make_header(game, library, seed=seed, starts="standard", steps=steps, seats=names)
    scheduler, events = Scheduler(game, library, seed=seed, holders=names, steps=steps), list[Event]()
    play([Rollout(scheduler, Seats(agents, Holder("idle", Idle())), events.extend)])
    return Trace(header, tuple(events))


def _pantry() -> Trace:
    ada = Random()
    return _recorded("pantry", [Holder("ada", ada), Holder("bo", ada)], seed=1, steps=30)


def _kitchen() -> Trace:
    cook = Cook()
    return _recorded("overcooked:cramped_room", [Holder("ada", cook), Holder("bo", cook)], seed=3, steps=120)


def _scribes() -> Trace:
    scribe = Scribe()
    return _recorded("pantry", [Holder("ada", scribe), Holder("bo", scribe)], seed=1, steps=STEPS)


def _turmoil(reason: str) -> Trace:
    """An episode in which everything happens that can: to each seat in turn, and to the end with open offers."""
    game = registry.make("pantry")
    library, names, dice = registry.library(game), ["ada", "bo"], random.Random(5)
    header = make_header(game, library, seed=4, starts="standard", steps=40, seats=names)
    scheduler = Scheduler(game, library, seed=4, holders=names, steps=STEPS)
    turns = ["choose", "reject", "lapse", "instead", "fail", "silent", "choose"]
    count = 0
    for tick in range(STEPS if reason == "horizon" else 23):
        if tick % 4 == 1:
            scheduler.fault_injected(tick % 2, "partition", ticks=3)
        if tick % 9 == 7:
            scheduler.change_seat(tick % 2, f"cy{tick}", "asked for")
        scheduler.due()
        for seat in (0, 1):
            offer = scheduler.open_offer(seat)
            if offer is None:
                continue
            kind, count = turns[count % len(turns)], count + 1
            if kind == "choose" or (kind == "silent" and tick > 35):
                scheduler.fault_injected(seat, "duplicate", "choice", offer.decision, 2)
                scheduler.choose(seat, dice.randrange(len(offer.menu)), _receipt(offer))
                scheduler.late(seat, offer.decision, "a second time", _receipt(offer))
            elif kind == "reject":
                scheduler.reject(seat, "malformed", "7 lines", _receipt(offer))
            elif kind == "lapse":
                scheduler.fault_injected(seat, "drop", "choice", offer.decision)
                scheduler.lapse(seat, "timeout")
            elif kind == "instead":
                scheduler.lapse(seat, "timeout", dice.choice(offer.menu.keys))
            elif kind == "fail":
                scheduler.agent_failed(seat, "ValueError: burnt")
                scheduler.lapse(seat, "failed")
                scheduler.change_seat(seat, f"dee{tick}", "failed")
        scheduler.tick()
    if reason == "interrupted":
        scheduler.due()
    scheduler.end(reason)
    return Trace(header, tuple(scheduler.take()))


TRACES: dict[str, Callable[[], Trace]] = {
    "pantry": _pantry,
    "kitchen": _kitchen,
    "scribes": _scribes,
    "turmoil": lambda: _turmoil("horizon"),
    "cut off": lambda: _turmoil("interrupted"),
}


@cache
def _trace(name: str) -> Trace:
    return TRACES[name]()


def _others(value: Any, name: str = "") -> Iterator[Any]:
    """Other values in the place of one: of its type, near it and far off; at several places of a tuple."""
    match value:
        case GameEvent() | Receipt():
            for field in msgspec.structs.fields(value):
                old = getattr(value, field.name)
                for new in _others((0, 0) if old is None and field.name == "at" else old, field.name):
                    yield msgspec.structs.replace(value, **{field.name: new})
        case tuple():
            shorter = ((), value[:-1]) if len(value) > 1 else ((),)
            yield from () if name == "at" else shorter if value else ((GameEvent("rang"),),)
            for place in sorted({0, len(value) // 2, len(value) - 1} & set(range(len(value)))):
                for new in _others(value[place]):
                    yield (*value[:place], new, *value[place + 1 :])
        case str():
            yield from (f"{value}x", "", "wait") if value not in ("", "wait") else ("ada",)
        case int():
            yield from (1 - value,) if name == "seat" else (value + 1, value + 1000) if value < 1 else (value - 1,)
        case float():
            yield from (value + 1, -value if value else -0.0, value + 1e-9)
        case None:
            yield from (1,) if name == "intent" else (Receipt(-1.0),) if name == "receipt" else (-1.0,)
        case _:
            raise AssertionError(value)


def _places(events: Sequence[Event], kind: type[Event], most: int) -> list[int]:
    """Numbers of some events of a kind, spread over the episode, the first and the last among them."""
    found = [number for number, event in enumerate(events, 1) if type(event) is kind]
    if len(found) <= most:
        return found
    return sorted({found[place * (len(found) - 1) // (most - 1)] for place in range(most)})


def _alterations(trace: Trace, most: int) -> Iterator[tuple[int, Event, Event, str]]:
    """Yield the number of an event, the event, another in its place, and the field in which it is another."""
    for kind in RECORDED:
        for number in _places(trace.events, kind, most):
            event = trace.events[number - 1]
            for field in msgspec.structs.fields(kind):
                for new in _others(getattr(event, field.name), field.name):
                    yield number, event, msgspec.structs.replace(event, **{field.name: new}), field.name


def _altered(trace: Trace, number: int, event: Event) -> Trace:
    events = (*trace.events[: number - 1], event, *trace.events[number:])
    return Trace(trace.header, events)


def _read_again(trace: Trace, folder: Path) -> TraceError | None:
    """Make the hashes right and read the trace; say what reading objects to."""
    (folder / "forged.jsonl").write_bytes(encode_trace(trace.header, trace.events))
    try:
        found = read_trace(folder / "forged.jsonl")
    except TraceError as error:
        return error
    assert found.events == trace.events
    return None


def _follows(event: Event, field: str) -> bool:
    """Tell whether a field follows from the rest, as docs/traces.md has it."""
    match event:
        case ChoiceRejected(reason="late") if field == "decision":
            return False
        case OfferLapsed(reason="cancelled") if field in ("seat", "reason", "instead"):
            return event.tick == STEPS
        case _:
            return field not in INPUTS.get(type(event), set())


@pytest.fixture(autouse=True)
def _one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entry points are looked up once, not for every one of thousands of reruns."""
    monkeypatch.setattr(registry, "_points", cache(registry._points))


def test_every_field_of_every_kind_is_altered(snapshot: SnapshotAssertion) -> None:
    """How often, by kind and field: what is not tried has no teeth."""
    tried = Counter(
        f"{type(event).__struct_config__.tag}.{field}"
        for name in TRACES
        for _, event, _, field in _alterations(_trace(name), MOST)
    )

    fields = {
        f"{kind.__struct_config__.tag}.{field.name}" for kind in RECORDED for field in msgspec.structs.fields(kind)
    }
    assert tried.keys() == fields
    assert min(tried.values()) >= 5
    assert dict(sorted(tried.items())) == snapshot


@pytest.mark.parametrize("name", TRACES)
def test_whatever_follows_from_the_inputs_is_found_at_its_event_and_under_its_name(name: str, tmp_path: Path) -> None:
    """All of it, under right hashes.

    Only a tick out of order is found before, when the trace is read: at its event or, where it is too late, at the
    one behind.
    """
    trace = _trace(name)
    missed: list[object] = []

    for number, event, other, field in _alterations(trace, MOST):
        if _follows(event, field):
            forged = _altered(trace, number, other)
            found, refused = rerun(forged).difference, _read_again(forged, tmp_path)
            if found is None or (found.number, found.field.partition(".")[0]) != (number, field):
                missed.append((number, other, found))
            if refused is not None and (field, refused.field, refused.number - number in (0, 1)) != (  # type: ignore[operator]
                *("tick", "tick", True),
            ):
                missed.append((number, other, refused))

    assert missed == []


@pytest.mark.parametrize("name", TRACES)
def test_an_input_that_decides_parts_there_or_at_its_first_consequence(name: str) -> None:
    """Under right hashes; one without a consequence is what was recorded, unless there is an objection to it."""
    trace = _trace(name)
    missed: list[object] = []

    for number, event, other, field in _alterations(trace, MOST):
        if not _follows(event, field):
            found = rerun(_altered(trace, number, other)).difference
            silent = field in SILENT.get(type(event), set()) or not _is_felt(trace, number, event, field)
            if found is None and not silent:
                missed.append((number, other))
            if found is not None and not number <= found.number <= number + (999 if field == "holder" else 2):
                missed.append((number, other, found))

    assert missed == []


def _is_felt(trace: Trace, number: int, event: Event, field: str) -> bool:
    """Tell whether anything follows from who took a seat: whether that is asked, or leaves, after it."""
    if field == "holder" and isinstance(event, SeatChanged):
        kinds = (OptionChosen, AgentFailed, SeatChanged)
        return any(each.seat == event.seat for each in trace.events[number:] if isinstance(each, kinds))
    return not (isinstance(event, ChoiceRejected) and event.reason == "late")


@pytest.mark.parametrize("name", ["scribes", "turmoil"])
def test_an_input_under_its_old_hash_is_found_when_the_trace_is_read(name: str, tmp_path: Path) -> None:
    """At its event; under its name where one byte was changed, since that can be put back."""
    trace = _trace(name)
    lines = encode_trace(trace.header, trace.events).splitlines(keepends=True)
    tried: Counter[tuple[type[Event], str, bool]] = Counter()

    for number, event, other, field in _alterations(trace, MOST):
        was, now = encode_event(event), encode_event(other)
        apart = sum(one != other for one, other in zip(was, now, strict=True)) if len(was) == len(now) else len(now)
        if _follows(event, field) or tried[type(event), field, apart == 1] == 2:
            continue
        line = lines[number].replace(was, now)
        (tmp_path / "ada.jsonl").write_bytes(b"".join([*lines[:number], line, *lines[number + 1 :]]))
        with pytest.raises(TraceError) as refused:
            read_trace(tmp_path / "ada.jsonl")
        assert refused.value.number == number
        assert str(refused.value.field).partition(".")[0] == (field if apart == 1 else "None")
        tried[type(event), field, apart == 1] += 1

    expected = {(kind, field) for kind in {type(event) for event in trace.events} for field in INPUTS.get(kind, ())}
    assert {(kind, field) for kind, field, _ in tried} >= expected


def test_a_changed_receipt_is_found_by_asking_again() -> None:
    """Every field of it, of choices and of rejections; and so is every other word of the agents that were asked."""
    trace = _trace("scribes")
    witnesses = {(seat, name): Witness(Scribe()) for seat, name in enumerate(trace.header.seats)}
    tried: Counter[str] = Counter()

    asked = rerun(trace, witnesses=witnesses)
    for number, event, other, field in _alterations(trace, MOST):
        answers = isinstance(event, OptionChosen | ChoiceRejected | AgentFailed) and event.seat in _asked(trace, number)
        if answers and not _follows(event, field):
            found = rerun(_altered(trace, number, other), witnesses=witnesses).difference
            path = _changed(event, other)
            assert found is not None
            assert found.number in ((number,) if field != "index" else (number, number + 1))
            assert field in ("seat", "index") or found.field == path
            tried[path.partition(".")[2].partition(".")[0] or path] += 1

    answered = [event for event in trace.events if isinstance(event, OptionChosen | ChoiceRejected | AgentFailed)]
    assert asked.agrees
    assert asked.asked == sum(getattr(event, "holder", "ada") in ("ada", "bo") for event in answered)
    names = {field.name for field in msgspec.structs.fields(Receipt)}
    assert tried.keys() >= names | {"index", "seat", "reason", "detail", "error"}


def _asked(trace: Trace, number: int) -> set[int]:
    """Seats that are still held by those who are asked again."""
    gone = {event.seat for event in trace.events[:number] if isinstance(event, SeatChanged)}
    return set(range(len(trace.header.seats))) - gone


def _changed(one: Event, other: Event) -> str:
    return parting(msgspec.to_builtins(one), msgspec.to_builtins(other))[0]
