"""What does not follow from its inputs is found in a trace, even under right hashes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest

from hocket.agents.random import Random
from hocket.games import registry
from hocket.replays.recorder import RECORDED
from hocket.replays.rerun import Verdict, rerun
from hocket.replays.trace import Header, LibraryMark, Trace, encode_trace, make_header, read_trace
from hocket.runtime.bus import Bus
from hocket.runtime.clock import Clock
from hocket.runtime.episode import Episode
from hocket.runtime.errors import TraceError, UnknownNameError
from hocket.runtime.events import (
    AgentFailed,
    ChoiceRejected,
    EpisodeEnded,
    EpisodeStarted,
    Event,
    GameEvent,
    MenuOffered,
    OfferLapsed,
    OptionChosen,
    OptionEnded,
    OptionStarted,
    Receipt,
    SeatChanged,
    Stepped,
)
from hocket.runtime.game import GameSpec
from hocket.runtime.pace import Live
from hocket.runtime.policy import Choice, NoChoice, Offer
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats


def _again(header: Header, events: Sequence[Event], folder: Path) -> Verdict:
    """Make the hashes right, read the trace and run it again."""
    (folder / "ada.jsonl").write_bytes(encode_trace(header, events))
    return rerun(read_trace(folder / "ada.jsonl"))


def _first(events: Sequence[Event], kind: type[Event], /, **fields: object) -> int:
    """The number of the first event of a kind whose fields are such."""
    wanted = fields.items()
    found = (each for each in events if isinstance(each, kind) and all(getattr(each, k) == v for k, v in wanted))
    return events.index(next(found)) + 1


def _replaced(events: Sequence[Event], number: int, /, **fields: object) -> list[Event]:
    changed = list(events)
    changed[number - 1] = msgspec.structs.replace(changed[number - 1], **fields)
    return changed


def test_an_episode_agrees_with_itself(played: Trace) -> None:
    """Every event comes about again."""
    progress: list[int] = []

    verdict = rerun(played, progress.append)

    assert verdict.agrees
    assert verdict.events == len(played.events)
    assert verdict.notes == ()
    assert isinstance(played.events[-1], EpisodeEnded)
    assert verdict.returns == played.events[-1].returns
    assert progress == sorted(progress)
    assert len(progress) == played.header.steps


def test_every_beginning_of_an_episode_agrees(played: Trace) -> None:
    """Wherever a crash has cut it, between any two events."""
    for count in range(len(played.events)):
        verdict = rerun(Trace(played.header, played.events[:count], torn=True))
        assert (verdict.events, verdict.difference) == (count, None)
        assert verdict.notes == (f"the trace is torn: it was cut after event {count}",)


def test_a_trace_without_an_end_is_noted(played: Trace) -> None:
    """It agrees as far as it goes."""
    verdict = rerun(Trace(played.header, played.events[:-1]))

    assert verdict.agrees
    assert verdict.notes == ("the trace has no end: its episode did not finish",)


@pytest.mark.parametrize(
    ("kind", "change", "field"),
    [
        (EpisodeStarted, {"holders": ("bo", "ada")}, "holders.0"),
        (EpisodeStarted, {"steps": 21}, "steps"),
        (MenuOffered, {"menu": ("wait",)}, "menu"),
        (MenuOffered, {"decision": 1}, "decision"),
        (MenuOffered, {"seat": 1}, "seat"),
        (OptionChosen, {"option": "serve@0,0"}, "option"),
        (OptionChosen, {"holder": "bo"}, "holder"),
        (OptionChosen, {"decision": 3}, "decision"),
        (OptionStarted, {"option": "serve@0,0"}, "option"),
        (OptionStarted, {"plan": 99}, "plan"),
        (OptionEnded, {"outcome": "timeout"}, "outcome"),
        (OptionEnded, {"ticks": 99}, "ticks"),
        (Stepped, {"joint": (0, 0)}, "joint.0"),
        (Stepped, {"rewards": (0.5, 0.0)}, "rewards.0"),
        (Stepped, {"events": (GameEvent("delivered", 0, "jar"),)}, "events"),
        (EpisodeEnded, {"returns": (7.0, 0.0)}, "returns.0"),
    ],
)
def test_a_changed_consequence_fails_at_its_event_and_field(
    kind: type[Event], change: dict[str, object], field: str, played: Trace, tmp_path: Path
) -> None:
    """Right hashes make no right episode."""
    number = _first(played.events, kind)

    verdict = _again(played.header, _replaced(played.events, number, **change), tmp_path)

    assert verdict.difference is not None
    assert (verdict.difference.number, verdict.difference.field) == (number, field)
    assert verdict.events == number - 1


def test_every_event_left_out_or_doubled_is_found(played: Trace, tmp_path: Path) -> None:
    """No event can be done without, and none can come twice; only an end can be missing."""
    for place in range(len(played.events) - 1):
        without = [*played.events[:place], *played.events[place + 1 :]]
        doubled = [*played.events[: place + 1], *played.events[place:]]
        for events in (without, doubled):
            verdict = _again(played.header, events, tmp_path)
            assert verdict.difference is not None, place
            assert abs(verdict.difference.number - place - 1) <= 1, place


def test_another_choice_parts_at_once_or_at_its_first_consequence(played: Trace, tmp_path: Path) -> None:
    """Every choice of the episode, changed to every other that was on its menu."""
    chosen = [number for number, event in enumerate(played.events, 1) if isinstance(event, OptionChosen)]

    for number in chosen:
        event = played.events[number - 1]
        assert isinstance(event, OptionChosen)
        for index in range(6):
            if index != event.index:
                verdict = _again(played.header, _replaced(played.events, number, index=index), tmp_path)
                assert verdict.difference is not None
                assert (verdict.difference.number, verdict.difference.field) == (number, "option")


def test_another_choice_with_its_own_name_parts_at_its_start(played: Trace, tmp_path: Path) -> None:
    """Where the forger has put the option's name right as well, the option that starts tells."""
    number = _first(played.events, OptionChosen)
    offer = next(event for event in played.events if isinstance(event, MenuOffered))
    event = played.events[number - 1]
    assert isinstance(event, OptionChosen)
    index = (event.index + 1) % len(offer.menu)

    verdict = _again(played.header, _replaced(played.events, number, index=index, option=offer.menu[index]), tmp_path)

    assert verdict.difference is not None
    assert (verdict.difference.number, verdict.difference.field) == (number + 1, "option")


@pytest.mark.parametrize(
    "forged",
    [
        {"index": 6},
        {"index": -1},
    ],
)
def test_a_choice_that_could_not_be_made_parts_there(forged: dict[str, object], played: Trace, tmp_path: Path) -> None:
    """Off the menu: a difference, not a crash."""
    number = _first(played.events, OptionChosen)

    verdict = _again(played.header, _replaced(played.events, number, **forged), tmp_path)

    assert verdict.difference is not None
    assert (verdict.difference.number, verdict.difference.field) == (number, "index")
    assert verdict.difference.other == "a menu of 6"


@pytest.mark.parametrize("seat", [2, -1])
def test_an_event_of_a_seat_that_is_not_there_is_refused(seat: int, played: Trace, tmp_path: Path) -> None:
    """Python would take seat -1 for the last one."""
    number = _first(played.events, OptionChosen)
    chosen = msgspec.structs.replace(played.events[number - 1], seat=seat)
    strange: list[Event] = [AgentFailed(0, seat, "bo", "burnt"), SeatChanged(0, seat, "idle", "bo", "failed"), chosen]

    for event in strange:
        events = [*played.events[: number - 1], event, *played.events[number - 1 :]]
        with pytest.raises(TraceError) as refused:
            _again(played.header, events, tmp_path)
        assert (refused.value.number, refused.value.field) == (number, "seat")


def test_an_end_before_the_horizon_is_no_horizon(played: Trace, tmp_path: Path) -> None:
    """A result cut short must not look like a whole one."""
    number = _first(played.events, Stepped, tick=9) + 1
    while not isinstance(played.events[number - 1], MenuOffered | Stepped):
        number += 1
    end = EpisodeEnded(10, "horizon", (0.0, 0.0))

    verdict = _again(played.header, [*played.events[: number - 1], end], tmp_path)

    assert verdict.difference is not None
    assert (verdict.difference.number, verdict.difference.one) == (number, "episode_ended")


def test_a_world_that_steps_beyond_its_horizon_parts_there(played: Trace, tmp_path: Path) -> None:
    """However many ticks are added, they are not the episode's."""
    tick = played.header.steps
    events = [*played.events[:-1], Stepped(tick, (4, 4), (0.0, 0.0)), EpisodeEnded(tick + 1, "horizon", (0.0, 0.0))]

    difference = _again(played.header, events, tmp_path).difference

    assert difference is not None
    assert (difference.number, difference.tick) == (len(played.events), tick)


def test_nothing_comes_after_the_end(played: Trace, tmp_path: Path) -> None:
    """Not even another end."""
    events = [*played.events, played.events[-1]]

    difference = _again(played.header, events, tmp_path).difference

    assert difference is not None
    assert difference.number == len(events)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"seed": 2}, None),
        ({"starts": "varied"}, None),
        ({"steps": 19}, "steps"),
        ({"seats": ("bo", "ada")}, "holders.0"),
        ({"seats": ("ada", "bo", "cy")}, "seats"),
        ({"actions": ("north",)}, "actions"),
        ({"game": GameSpec("pantry", "pantry", {"seats": 3})}, "seats"),
    ],
)
def test_a_changed_header_parts(change: dict[str, object], field: str | None, played: Trace, tmp_path: Path) -> None:
    """Everything in it has its consequence, or is compared itself."""
    verdict = _again(msgspec.structs.replace(played.header, **change), played.events, tmp_path)

    assert verdict.difference is not None
    assert field in (None, verdict.difference.field)


def test_another_version_of_the_library_is_noted(played: Trace, tmp_path: Path) -> None:
    """It may well agree; if it does not, this is why."""
    header = msgspec.structs.replace(played.header, library=LibraryMark("default", 1, "another"))

    verdict = _again(header, played.events, tmp_path)

    assert verdict.agrees
    assert verdict.notes == ("the option library 'default' has changed since the trace was recorded",)


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        (GameSpec("chess", "chess", {}), "there is no game 'chess'"),
        (GameSpec("pantry", "pantry:attic", {}), "there is no pantry 'attic'"),
        (GameSpec("pantry", "pantry", {"doors": 1}), "there is no setting of pantry 'doors'"),
    ],
)
def test_a_trace_of_a_game_that_is_not_here_is_refused(spec: GameSpec, problem: str, played: Trace) -> None:
    """With the names of those that are."""
    header = msgspec.structs.replace(played.header, game=spec)

    with pytest.raises(UnknownNameError, match=problem):
        rerun(Trace(header, played.events))


def test_a_game_that_cannot_be_built_from_its_header_is_refused(played: Trace) -> None:
    """A kitchen whose layout is missing is no bug of ours."""
    header = msgspec.structs.replace(played.header, game=GameSpec("overcooked", "overcooked:cramped_room", {}))

    with pytest.raises(TraceError, match=r"event 0, field game: no overcooked can be built from it: KeyError"):
        rerun(Trace(header, played.events, path="ada.jsonl"))


def test_a_library_that_is_not_here_is_refused(played: Trace) -> None:
    """Another library would be another episode."""
    header = msgspec.structs.replace(played.header, library=LibraryMark("pots", 1, ""))

    with pytest.raises(UnknownNameError, match="there is no option library 'pots'"):
        rerun(Trace(header, played.events))


class _Dreamer:
    """An agent that never answers."""

    async def choose(self, offer: Offer) -> Choice:
        await anyio.sleep_forever()
        raise AssertionError


class _Fool:
    """An agent that answers nonsense, then raises."""

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Any]:
        if offers[0].decision:
            raise ValueError("burnt")
        return [Choice(99)] * len(offers)


class _Babbler:
    """Cannot be read at every second decision, and says how it came to that."""

    def __init__(self) -> None:
        self._random = Random()

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Any]:
        receipt = Receipt(-2.5, backend="local", scorer="generate", reply=(7, 8), draws=3)
        return [
            NoChoice("malformed", "1 lines, not two: 'so'", receipt) if offer.decision % 2 else choice
            for offer, choice in zip(offers, self._random.choose_many(offers), strict=True)
        ]


def test_the_receipt_of_a_rejection_comes_about_again(header: Header, tmp_path: Path) -> None:
    """Written, read and run again; and a receipt that was changed is no part of what follows from its inputs."""
    game = registry.make("pantry")
    scheduler = Scheduler(game, registry.library(game), seed=1, holders=header.seats, steps=20)
    events: list[Event] = []
    seats = Seats([Holder(name, _Babbler()) for name in header.seats], Holder("idle", Random()))
    play([Rollout(scheduler, seats, events.extend)])

    (tmp_path / "ada.jsonl").write_bytes(encode_trace(header, events))
    trace = read_trace(tmp_path / "ada.jsonl")

    rejected = [event for event in trace.events if isinstance(event, ChoiceRejected)]
    assert trace.events == tuple(events)
    assert {event.receipt for event in rejected} == {
        Receipt(-2.5, backend="local", scorer="generate", reply=(7, 8), draws=3)
    }
    assert rerun(trace).agrees
    assert encode_trace(trace.header, trace.events) == (tmp_path / "ada.jsonl").read_bytes()


async def _live(holders: Sequence[Holder], steps: int, *, until: int) -> Trace:
    """Play at live pace, and interrupt after the step of a tick."""
    game = registry.make("pantry")
    library, names = registry.library(game), [holder.name for holder in holders]
    header = make_header(game, library, seed=3, starts="standard", steps=steps, seats=names)
    scheduler = Scheduler(game, library, seed=3, holders=names, steps=steps)
    clock, events = Clock(), list[Event]()
    bus = Bus(clock)
    inbox = bus.subscribe(RECORDED, name="recorder", capacity=9999, overflow="wait")
    seats = Seats(holders, Holder("idle", Random()))
    async with anyio.create_task_group() as tasks:
        episode = Episode(scheduler, seats, bus, Live(500), clock=clock)
        tasks.start_soon(episode.run)
        while scheduler.now < until:  # noqa: ASYNC110 - nothing of the episode's is touched
            await anyio.sleep(0.001)
        if until < steps:
            tasks.cancel_scope.cancel()
    events += inbox.take_all()
    return Trace(header, tuple(events))


@pytest.mark.asyncio
@pytest.mark.parametrize("until", [1, 7, 30])
async def test_a_live_episode_agrees_whatever_its_agents_did(until: int) -> None:
    """Late, mad or dead, to the end or interrupted: offers that were still open lapse without new ones being made."""
    ada, bo, fool = Holder("ada", _Dreamer()), Holder("bo", Random()), Holder("fool", _Fool())

    for holders in ((ada, bo), (bo, ada), (fool, bo), (ada, ada)):
        trace = await _live(holders, 30, until=until)
        verdict = rerun(trace)
        assert verdict.agrees, verdict.difference
        assert trace.ended
        assert any(isinstance(event, OfferLapsed) for event in trace.events)


@pytest.mark.asyncio
async def test_an_episode_that_was_cut_while_it_was_wound_up_agrees() -> None:
    """A crash can come between the lapses of its last offers."""
    trace = await _live((Holder("ada", _Dreamer()), Holder("bo", Random())), 30, until=30)

    for count in range(len(trace.events) - 6, len(trace.events)):
        assert rerun(Trace(trace.header, trace.events[:count])).agrees
