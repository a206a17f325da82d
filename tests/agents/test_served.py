"""Seats behind a model server: one request a tick, and every fault its own seat's."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from math import exp, log
from typing import Any

import anyio
import msgspec
import pytest
import pytest_asyncio
from tests.agents.double_server import DoubleServer, log_prob

from hocket.agents.adapter import Adapter
from hocket.agents.canary import Canary, Probe
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.idle import Idle
from hocket.agents.served import ServedModel
from hocket.agents.sglang.client import SglangClient
from hocket.agents.style import Style
from hocket.games import registry
from hocket.replays.timing import Timing
from hocket.runtime.bus import Bus
from hocket.runtime.clock import Clock
from hocket.runtime.episode import Episode
from hocket.runtime.errors import AdapterError, AdapterMismatchError, HocketError, ServerError
from hocket.runtime.events import AgentFailed, Event, OptionChosen, SeatChanged
from hocket.runtime.pace import Lockstep
from hocket.runtime.policy import Choice, Offer
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

pytestmark = pytest.mark.asyncio

AMONG = (40, 41, 42, 43)
STYLE = Style("brief", "letter")


def over(adapter: str | None, among: Sequence[int]) -> tuple[float, ...]:
    """What the double says of some candidates, over them alone."""
    values = [log_prob(adapter, token) for token in among]
    total = log(sum(map(exp, values)))
    return tuple(value - total for value in values)


def known(adapter: Adapter, base: FrozenBase) -> Adapter:
    """The adapter with a canary by which the double's answers are its own."""
    probes = tuple(Probe((3 + place, 4), AMONG, over(adapter.name, AMONG), over(None, AMONG)) for place in range(8))
    return msgspec.structs.replace(adapter, canary=Canary(base.digest, adapter.digest, probes))


@pytest.fixture
def team(embedded: FrozenBase, adapters: list[Adapter]) -> list[Adapter]:
    """Three adapters that the double answers for."""
    return [known(adapter, embedded) for adapter in adapters[:3]]


@pytest_asyncio.fixture
async def double() -> AsyncIterator[DoubleServer]:
    """A server that listens, and can misbehave."""
    server = DoubleServer()
    await server.start()
    yield server
    await server.stop()


Seated = Callable[..., ServedModel]


@pytest.fixture
def seated(double: DoubleServer, embedded: FrozenBase) -> Seated:
    """Make a model of so many seats of a pantry."""

    def make(
        adapters: list[Adapter | None],
        told: Callable[[Timing], object] = lambda timing: None,
        style: Style = STYLE,
        timeout: float = 2.0,
    ) -> ServedModel:
        connect = partial(SglangClient, double.url, patience=3.0, timeout=timeout, tries=2, pause=0.01)
        words = registry.make("pantry", {"seats": max(2, len(adapters))}).words
        unmeasured = msgspec.structs.replace(embedded, canary=None)  # the double answers as no real base
        model = ServedModel(unmeasured, words, style, connect, told)
        for seat, adapter in enumerate(adapters):
            model.seat(seat, adapter)
        return model

    return make


async def answers(model: ServedModel, offers: Sequence[Offer]) -> list[object]:
    """Ask for all offers at once; what a seat raised stands for its answer."""
    found: list[object] = [None] * len(offers)

    async def ask(place: int) -> None:
        try:
            found[place] = await model.choose(offers[place])
        except HocketError as error:
            found[place] = error

    async with anyio.create_task_group() as group:
        for place in range(len(offers)):
            group.start_soon(ask, place)
    return found


def first(seats: int) -> list[Offer]:
    """The first offers of a pantry of so many seats, seat by seat; a pantry has two at least."""
    world = registry.make("pantry", {"seats": max(2, seats)})
    names = ["ada"] * world.seats
    scheduler: Scheduler[Any] = Scheduler(
        world, registry.library(world), seed=6, holders=names, steps=20, starts="varied"
    )
    return scheduler.due()[:seats]


async def episode(model: ServedModel, seats: int, steps: int, at: dict[int, Callable[[], Any]]) -> list[Event]:
    """Play an episode; something is done before some ticks."""
    world = registry.make("pantry", {"seats": seats})
    names = [f"model {seat}" for seat in range(seats)]
    scheduler: Scheduler[Any] = Scheduler(
        world, registry.library(world), seed=1, holders=names, steps=steps, starts="varied"
    )
    events: list[Event] = []
    clock = Clock()
    bus = Bus(clock)
    take = scheduler.take
    scheduler.take = lambda: [events.append(event) or event for event in take()]  # type: ignore[func-returns-value,method-assign]

    class Paced(Lockstep):
        async def begin(self, tick: int) -> None:
            if tick in at:
                await at[tick]()
            await super().begin(tick)

    played = Episode(
        scheduler, Seats([Holder(name, model) for name in names], Holder("idle", Idle())), bus, Paced(None), clock=clock
    )
    await played.run()
    await bus.stop()
    await model.close()
    return events


async def test_all_seats_of_a_tick_are_one_request(double: DoubleServer, seated: Seated, team: list[Adapter]) -> None:
    """Seven questions and the canaries of base and three adapters, in one POST; each seat asks its own adapter."""
    told: list[Timing] = []
    model = seated([team[0], team[1], team[2], None, None, team[0], team[1]], told.append)
    await answers(model, first(1))
    before = len(double.bodies("generate"))

    found = await answers(model, first(7))

    bodies = double.bodies("generate")[before:]
    assert len(bodies) == 1
    names = [adapter and adapter.name for adapter in (*team, None, None, team[0], team[1])]
    assert bodies[0]["lora_path"][:7] == names
    assert sorted(bodies[0]["lora_path"][7:], key=str) == [None, *sorted(adapter.name for adapter in team)]
    assert all(type(choice) is Choice for choice in found)
    assert told[1].decisions == tuple((seat, 0) for seat in range(7))
    assert [call.requests for call in told[1].calls] == [tuple(bodies[0]["rid"])]
    await model.close()


async def test_another_adapter_under_the_name_is_the_fault_of_its_seat_alone(
    double: DoubleServer, seated: Seated, team: list[Adapter]
) -> None:
    """The canary that went with the question is off; the other seat of the same request is answered."""
    model = seated([team[0], team[1]])
    await answers(model, first(2))

    def planted(batch: Any) -> Any:
        for place, item in enumerate(batch[-1]["meta_info"]["output_token_ids_logprobs"][0]):
            item[0] = -0.5 * (place + 1)
        return batch

    double.misbehave("generate", planted)
    found = await answers(model, first(2))

    wrong = [answer for answer in found if isinstance(answer, AdapterMismatchError)]
    assert len(wrong) == 1
    assert "another adapter or base has answered: canary" in str(wrong[0])
    assert sum(type(answer) is Choice for answer in found) == 1
    await model.close()


async def test_an_adapter_that_answers_as_the_base_is_named_so(
    double: DoubleServer, seated: Seated, team: list[Adapter]
) -> None:
    """Found at the start, with the whole canary, before a trace is begun."""
    silent = msgspec.structs.replace(team[0], name="x@v1234567")

    with pytest.raises(AdapterMismatchError, match="adapter x@v1234567: another adapter or base has answered"):
        await seated([silent, None]).prepare()

    def as_base(batch: Any) -> Any:
        for answer in batch:
            items = answer["meta_info"]["output_token_ids_logprobs"][0]
            answer["meta_info"]["output_token_ids_logprobs"][0] = [
                [log_prob(None, item[1]), item[1], None] for item in items
            ]
        return batch

    double.misbehave("generate", as_base)
    with pytest.raises(AdapterMismatchError, match="adapter seat0@v1: the base has answered: canary 0 is off by"):
        await seated([team[0], None]).prepare()


async def test_a_server_started_anew_is_given_its_adapters_again(
    double: DoubleServer, seated: Seated, team: list[Adapter]
) -> None:
    """Gone in mid-episode, back without them: loaded, heard, and asked again; no seat is lost."""
    model = seated([team[0], team[1]])

    async def anew() -> None:
        await double.stop()
        await double.start()

    events = await episode(model, 2, 20, {5: anew, 11: anew})

    chosen = [event for event in events if isinstance(event, OptionChosen)]
    assert not [event for event in events if isinstance(event, AgentFailed | SeatChanged)]
    assert {event.holder for event in chosen} == {"model 0", "model 1"}
    assert len(double.bodies("load_lora_adapter")) >= 6


async def test_a_server_that_is_gone_costs_its_seats_and_not_the_episode(
    double: DoubleServer, seated: Seated, team: list[Adapter]
) -> None:
    """Waited for as long as was said, then the fallback plays on; the trace says why."""
    model = seated([team[0], None])

    events = await episode(model, 2, 12, {3: double.stop})
    await double.start()

    failed = [event for event in events if isinstance(event, AgentFailed)]
    assert {event.seat for event in failed} == {0, 1}
    assert all("ServerError: model server" in event.error for event in failed)
    assert all("not ready after 3 s: nothing listens there" in event.error for event in failed)
    assert [event.holder for event in events if isinstance(event, SeatChanged)] == ["idle", "idle"]


@pytest.mark.parametrize(
    "fault", [500, 503, "reset", "malformed", "silent"], ids=["500", "503", "reset", "malformed", "silent"]
)
async def test_what_passes_is_tried_again(
    double: DoubleServer, seated: Seated, team: list[Adapter], fault: Any
) -> None:
    """One bad answer costs a second try, and nothing that the trace would show."""
    model = seated([team[0], team[1]])

    async def trouble() -> None:
        double.misbehave("generate", fault)

    events = await episode(model, 2, 8, {2: trouble})

    assert not [event for event in events if isinstance(event, AgentFailed)]


async def test_numbers_that_are_none_are_never_a_decision(
    double: DoubleServer, seated: Seated, team: list[Adapter]
) -> None:
    """Missing or null log-probabilities, time after time: an error, and no choice."""
    model = seated([team[0], None])
    await answers(model, first(2))

    def emptied(batch: Any) -> Any:
        for answer in batch:
            for item in answer["meta_info"]["output_token_ids_logprobs"][0]:
                item[0] = None
        return batch

    double.misbehave("generate", *[emptied] * 40)
    found = await answers(model, first(2))

    assert all(isinstance(answer, ServerError) for answer in found)
    assert "no finite number" in str(found[0])
    await model.close()


async def test_a_seat_goes_on_with_a_new_version(
    double: DoubleServer, seated: Seated, embedded: FrozenBase, team: list[Adapter]
) -> None:
    """Loaded before it is asked, and the old one is unloaded afterwards; a shared one stays for the other seat."""
    model = seated([team[0], team[0]])
    await answers(model, first(2))

    await model.switch(0, team[1])
    found = await answers(model, first(2))

    assert [choice.receipt.adapter for choice in found if isinstance(choice, Choice) and choice.receipt] == [
        "seat1@v1",
        "seat0@v1",
    ]
    assert not double.bodies("unload_lora_adapter")
    await model.switch(1, team[1])
    assert [body["lora_name"] for body in double.bodies("unload_lora_adapter")] == ["seat0@v1"]
    await model.close()


async def test_a_team_that_leaves_lets_go_what_it_loaded_and_nothing_else(
    double: DoubleServer, seated: Seated, team: list[Adapter]
) -> None:
    """Another team's adapter, whose name ours could not have, stays where it is; the rest is room for the next."""
    double.adapters[team[1].name] = "adapters/of/another/team"
    model = seated([team[0], team[1]])
    with pytest.raises(AdapterError):
        await model.prepare()
    assert set(double.adapters) == {team[0].name, team[1].name}

    await model.leave()

    assert double.adapters == {team[1].name: "adapters/of/another/team"}


async def test_a_server_that_is_gone_keeps_nobody_who_leaves(
    double: DoubleServer, seated: Seated, team: list[Adapter]
) -> None:
    """What is left of a team on a server that has ended is nothing."""
    model = seated([team[0]])
    await model.prepare()
    await double.stop()

    with anyio.fail_after(5):
        await model.leave()


async def test_an_adapter_is_not_unloaded_under_a_question(
    double: DoubleServer, seated: Seated, team: list[Adapter]
) -> None:
    """A switch while the server still computes: the old one goes after its last answer, which counts."""
    model = seated([team[0], None])
    await answers(model, first(1))
    double.misbehave("generate", "silent")
    found: list[object] = []

    async def ask() -> None:
        found.extend(await answers(model, first(1)))

    async with anyio.create_task_group() as group:
        group.start_soon(ask)
        await anyio.sleep(0.1)
        await model.switch(0, team[1])
        assert not double.bodies("unload_lora_adapter")

    assert isinstance(found[0], Choice)
    assert found[0].receipt is not None
    assert found[0].receipt.adapter == "seat0@v1"
    assert [body["lora_name"] for body in double.bodies("unload_lora_adapter")] == ["seat0@v1"]
    await model.close()


@pytest.mark.parametrize(
    ("flaw", "told"),
    [({"dora": True}, "has DoRA"), ({"rslora": True}, "has rsLoRA"), ({"mixed_ranks": True}, "has mixed ranks")],
)
async def test_what_the_server_would_compute_wrongly_is_refused(
    seated: Seated, team: list[Adapter], flaw: dict[str, bool], told: str
) -> None:
    """Before anything is sent."""
    flawed = msgspec.structs.replace(team[0], **flaw)

    with pytest.raises(AdapterError, match=f"adapter seat0@v1: {told}, which SGLang does not compute as it should"):
        seated([flawed, None])


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"enable_lora": False}, "it was started without --enable-lora, and so serves no adapters"),
        ({"max_loras_per_batch": 2}, "--max-loras-per-batch is 2, but 2 adapters and the base need 3"),
        ({"max_lora_rank": 4}, "--max-lora-rank is 4, but an adapter has rank 8"),
    ],
)
async def test_a_server_that_cannot_take_the_team_is_refused_at_the_start(
    double: DoubleServer, seated: Seated, team: list[Adapter], said: dict[str, object], sentence: str
) -> None:
    """In one sentence with the option that would be right."""
    double.misbehave("server_info", lambda answer: answer | said)

    with pytest.raises(ServerError) as caught:
        await seated([team[0], team[1]]).prepare()

    assert str(caught.value) == f"model server {double.url}: {sentence}"


async def test_a_question_that_nobody_waits_for_is_taken_off_the_server(
    double: DoubleServer, seated: Seated, team: list[Adapter]
) -> None:
    """A swap, Ctrl-C, the end of an episode: the server does not go on for nobody."""
    model = seated([team[0], None])
    await answers(model, first(2))
    double.misbehave("generate", "silent")

    with anyio.move_on_after(0.2):
        await answers(model, first(2))
    await model.close()

    asked = double.bodies("generate")[-1]["rid"]
    assert {body["rid"] for body in double.bodies("abort_request")} == set(asked)


async def test_a_batch_that_loses_its_connection_costs_another_nothing(
    double: DoubleServer, seated: Seated, team: list[Adapter]
) -> None:
    """Two ticks' questions are on their way, as at live pace; both find the server gone, and both are answered."""
    model = seated([team[0], team[1]], timeout=0.5)
    await answers(model, first(2))
    for _ in range(4):
        double.misbehave("generate", "silent")
    one, other = first(2)
    found: list[object] = []

    async def ask(offer: Offer) -> None:
        found.append(await model.choose(offer))

    async with anyio.create_task_group() as group:
        group.start_soon(ask, one)
        await anyio.sleep(0.1)
        group.start_soon(ask, other)

    assert [type(answer) for answer in found] == [Choice, Choice]
    await model.close()


async def test_a_switch_between_two_lines_of_a_reply_waits_for_the_second(
    double: DoubleServer, seated: Seated, team: list[Adapter]
) -> None:
    """The intent was drawn from the old adapter, and so is its letter; then the old one goes."""
    model = seated([team[0], None], style=Style("brief", "two_line"))
    await answers(model, first(1))
    switching: list[asyncio.Task[None]] = []

    def switch(batch: Any) -> Any:
        switching.append(asyncio.ensure_future(model.switch(0, team[1])))
        return batch

    double.misbehave("generate", switch)
    [choice] = await answers(model, first(1))
    await asyncio.gather(*switching)

    assert isinstance(choice, Choice)
    assert choice.receipt is not None
    assert choice.receipt.adapter == "seat0@v1"
    assert [body["lora_name"] for body in double.bodies("unload_lora_adapter")] == ["seat0@v1"]
    asked = [place for place, (_, body) in enumerate(double.asked) if "seat0@v1" in (body or {}).get("lora_path", ())]
    assert double.asked.index(("unload_lora_adapter", {"lora_name": "seat0@v1"})) > max(asked)
    await model.close()
