"""Whole teams on the real server, and what goes wrong with servers."""

import os
import shutil
import signal
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.sglang.conftest import SEATS

from hocket.agents.adapter import Adapter, read_adapter
from hocket.agents.canary import KNOWN, Canary, Probe, write_canary
from hocket.agents.fresh import fresh_adapter
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.idle import Idle
from hocket.agents.llm import LocalModel
from hocket.agents.local import Local
from hocket.agents.named_base import find_base
from hocket.agents.seal import seal
from hocket.agents.served import ServedModel
from hocket.agents.sglang.client import SglangClient
from hocket.agents.sglang.launch import Supervisor
from hocket.agents.style import Style
from hocket.games import registry
from hocket.learners.guard_file import decode_guards
from hocket.replays.rerun import rerun
from hocket.replays.trace import Trace, make_header
from hocket.runtime.bus import Bus
from hocket.runtime.clock import Clock
from hocket.runtime.episode import Episode
from hocket.runtime.errors import AdapterMismatchError
from hocket.runtime.events import AgentFailed, Event, OptionChosen, Receipt, SeatChanged
from hocket.runtime.pace import Lockstep
from hocket.runtime.policy import Agent
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

pytestmark = [pytest.mark.sglang, pytest.mark.asyncio]

Acts = dict[int, Callable[[], Awaitable[object]]]


@pytest.fixture(scope="module")
def base() -> FrozenBase:
    """The base that comes with hocket."""
    return find_base("")


@pytest.fixture(scope="module")
def team(base: FrozenBase, tmp_path_factory: pytest.TempPathFactory) -> list[Adapter]:
    """Seven adapters that answer each in its own way, with canaries."""
    folder, backend, found = tmp_path_factory.mktemp("team"), Local(base), []
    for seat in range(SEATS):
        place = folder / f"seat{seat}@v1"
        fresh_adapter(place, base, rank=8, seed=seat, spread=0.05)
        write_canary(place, seal(backend, read_adapter(place, base)))
        found.append(read_adapter(place, base))
    return found


def served(base: FrozenBase, game: str, url: str, adapters: Sequence[Adapter | None], **settings: Any) -> ServedModel:
    """A team on the server."""
    world = registry.make(game, settings)
    connect = partial(SglangClient, url, patience=180.0)
    model = ServedModel(base, world.words, base.style, connect)
    for seat, adapter in enumerate(adapters):
        model.seat(seat, adapter)
    return model


async def played(
    agent: Agent, game: str, steps: int, seed: int, acts: Acts | None = None, **settings: Any
) -> tuple[list[Event], Trace]:
    """Play an episode of one agent in all seats; something is done before some ticks."""
    world = registry.make(game, settings)
    library = registry.library(world)
    committed = registry.guards(world) if not settings else None
    guards = decode_guards(committed, game).guards if committed is not None else ()
    names = [f"llm {seat}" for seat in range(world.seats)]
    scheduler: Scheduler[Any] = Scheduler(
        world, library, seed=seed, holders=names, steps=steps, starts="varied", guards=guards
    )
    events: list[Event] = []
    take = scheduler.take

    def kept() -> list[Event]:
        fresh = take()
        events.extend(fresh)
        return fresh

    scheduler.take = kept  # type: ignore[method-assign]

    class Acting(Lockstep):
        async def begin(self, tick: int) -> None:
            if acts and tick in acts:
                await acts[tick]()
            await super().begin(tick)

    clock = Clock()
    bus = Bus(clock)
    seats = Seats([Holder(name, agent) for name in names], Holder("idle", Idle()))
    await Episode(scheduler, seats, bus, Acting(None), clock=clock).run()
    await bus.stop()
    header = make_header(*(world, library), seed=seed, starts="varied", steps=steps, seats=names, guards=guards)
    return events, Trace(header, tuple(events))


def chosen(events: Sequence[Event]) -> list[OptionChosen]:
    """Every choice of an episode."""
    return [event for event in events if isinstance(event, OptionChosen)]


def receipt(event: OptionChosen) -> Receipt:
    """The receipt of a choice of a model."""
    assert event.receipt is not None
    return event.receipt


@pytest.mark.parametrize(
    ("game", "settings", "steps"),
    [("pantry", {}, 40), ("pantry", {"seats": SEATS}, 25), ("overcooked:asymmetric_advantages", {}, 60)],
    ids=["two in a pantry", "seven in a pantry", "overcooked"],
)
async def test_teams_with_private_adapters_play(
    base: FrozenBase, team: list[Adapter], running: Supervisor, game: str, settings: dict[str, Any], steps: int
) -> None:
    """Every seat is answered by its own adapter, known by its canary; the trace runs again without a server."""
    seats = registry.make(game, settings).seats
    model = served(base, game, running.launch.url, team[:seats], **settings)

    events, trace = await played(model, game, steps, 3, **settings)
    await model.close()

    choices = chosen(events)
    assert not [event for event in events if isinstance(event, AgentFailed | SeatChanged)]
    assert {event.seat for event in choices} == set(range(seats))
    for event in choices:
        own = team[event.seat]
        told = receipt(event)
        assert (told.adapter, told.adapter_digest, told.check) == (own.name, own.digest, KNOWN)
    assert rerun(trace).agrees


async def test_the_same_seed_gives_the_same_choices_as_in_this_process(
    base: FrozenBase, team: list[Adapter], running: Supervisor, capsys: pytest.CaptureFixture[str]
) -> None:
    """Over 500 decisions; log-probabilities within 1e-4, and where a draw fell on a boundary it is said."""
    game = "overcooked:asymmetric_advantages"
    remote = served(base, game, running.launch.url, team[:2])
    local = LocalModel(Local(base), registry.make(game).words, base.style)
    for seat in range(2):
        local.seat(seat, team[seat])

    pairs: list[tuple[OptionChosen, OptionChosen]] = []
    seed = 0
    while len(pairs) < 500:
        one, _ = await played(remote, game, 150, seed)
        other, _ = await played(local, game, 150, seed)
        pairs += zip(chosen(one), chosen(other), strict=True)
        seed += 1
    await remote.close()

    apart = [far(receipt(one), receipt(other)) for one, other in pairs if one.option == other.option]
    differ = [place for place, (one, other) in enumerate(pairs) if one.option != other.option]
    told = (
        f"{len(differ)} of {len(pairs)} choices differ, the first {differ[:1]}; log-probs by at most {max(apart):.2e}"
    )
    assert max(apart) < 1e-4, told
    assert not differ, told


def far(one: Receipt, other: Receipt) -> float:
    """The largest difference between the log-probabilities of two receipts."""
    mine, theirs = (*one.menu, *one.intents), (*other.menu, *other.intents)
    return max(abs(left - right) for left, right in zip(mine, theirs, strict=True))


async def test_another_adapter_planted_under_the_name_is_found_out(
    base: FrozenBase, team: list[Adapter], running: Supervisor
) -> None:
    """Behind our back, in mid-episode: its seat's next answer is refused, and the other seat plays on."""
    model = served(base, "pantry", running.launch.url, team[:2])
    vandal = SglangClient(running.launch.url)

    async def plant() -> None:
        await vandal.unload(team[0].name)
        await vandal.load(team[0].name, team[5].folder)

    events, _ = await played(model, "pantry", 30, 1, {10: plant})
    await model.close()
    await vandal.unload(team[0].name)
    await vandal.close()

    [failed] = [event for event in events if isinstance(event, AgentFailed)]
    assert failed.seat == 0
    assert failed.error.startswith("AdapterMismatchError: adapter seat0@v1: another adapter or base has answered")
    late = [event for event in chosen(events) if event.tick > failed.tick]
    assert {event.holder for event in late} == {"idle", "llm 1"}
    assert all(receipt(event).adapter == team[event.seat].name for event in chosen(events) if event.holder != "idle")


async def test_a_server_that_has_another_base_is_refused(
    base: FrozenBase, team: list[Adapter], running: Supervisor, tmp_path: Path
) -> None:
    """The canary holds what the adapter answers on its own base; on other weights it answers something else."""
    own = team[0]
    assert own.canary is not None
    folder = tmp_path / "other@v1"
    shutil.copytree(own.folder, folder)
    probes = []
    for probe in own.canary.probes:
        elsewhere = tuple(value - 0.01 * place for place, value in enumerate(probe.adapter))
        probes.append(Probe(probe.prompt, probe.among, elsewhere, probe.base))
    write_canary(folder, Canary(own.canary.base, own.canary.adapter, tuple(probes)))
    model = served(base, "pantry", running.launch.url, [read_adapter(folder, base), None])

    with pytest.raises(AdapterMismatchError, match="another adapter or base has answered: canary 0 is off by"):
        await model.prepare()


async def test_a_killed_server_is_waited_for_and_given_its_adapters_again(
    base: FrozenBase, team: list[Adapter], running: Supervisor
) -> None:
    """kill -9 in mid-episode; it comes back empty, and both seats go on as if nothing had been."""
    model = served(base, "pantry", running.launch.url, team[:2])
    undisturbed, _ = await played(model, "pantry", 24, 8)

    events: list[Event] = []
    async with anyio.create_task_group() as group:

        async def kill() -> None:
            os.killpg(running.pid, signal.SIGKILL)
            group.start_soon(anyio.to_thread.run_sync, running.revive)

        events, _ = await played(model, "pantry", 24, 8, {8: kill})
    await model.close()

    assert not [event for event in events if isinstance(event, AgentFailed | SeatChanged)]
    assert [event.option for event in chosen(events)] == [event.option for event in chosen(undisturbed)]


async def test_a_hot_swap_in_mid_episode_changes_who_answers(
    base: FrozenBase, team: list[Adapter], running: Supervisor
) -> None:
    """The new version answers from the next decision on, on the receipts, and the old one is gone from the server."""
    model = served(base, "pantry", running.launch.url, team[:2])

    async def swap() -> None:
        await model.switch(0, team[4])

    events, _ = await played(model, "pantry", 30, 2, {10: swap})
    client = SglangClient(running.launch.url)
    there = await client.loaded()
    await client.close()
    await model.close()

    names = [receipt(event).adapter for event in chosen(events) if event.seat == 0]
    assert list(dict.fromkeys(names)) == ["seat0@v1", "seat4@v1"]
    assert "seat4@v1" in there
    assert not [event for event in events if isinstance(event, AgentFailed)]


async def test_written_replies_come_from_the_server(base: FrozenBase, team: list[Adapter], running: Supervisor) -> None:
    """`generate` under a grammar: the regular expression holds on the server, and every reply can be read."""
    style = Style("brief", "generate", temperature=0.0, grammar=True)
    world = registry.make("pantry")
    model = ServedModel(base, world.words, style, partial(SglangClient, running.launch.url))
    model.seat(0, team[0])
    model.seat(1, None)

    events, trace = await played(model, "pantry", 12, 4)
    await model.close()

    assert len(chosen(events)) > 4
    assert all(isinstance(event.index, int) and receipt(event).reply for event in chosen(events))
    assert rerun(trace).agrees
