"""Seats held by a language model in this process: episodes that are functions of their seed."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest

from hocket.agents.adapter import Adapter, read_adapter
from hocket.agents.canary import INDISTINGUISHABLE, KNOWN, NOT_CHECKED, write_canary
from hocket.agents.fresh import fresh_adapter
from hocket.agents.frozen_base import FrozenBase
from hocket.agents.idle import Idle
from hocket.agents.llm import LocalModel
from hocket.agents.local import Local
from hocket.agents.random import Random
from hocket.agents.scoring import tempered
from hocket.agents.seal import seal
from hocket.agents.style import Style
from hocket.games import registry
from hocket.replays.rerun import rerun
from hocket.replays.trace import Trace, make_header
from hocket.runtime.bus import Bus
from hocket.runtime.clock import Clock
from hocket.runtime.episode import Episode
from hocket.runtime.errors import AdapterMismatchError, PromptError
from hocket.runtime.events import ChoiceRejected, Event, MenuOffered, OptionChosen, Receipt
from hocket.runtime.pace import Lockstep
from hocket.runtime.policy import Agent, Choice
from hocket.runtime.rollout import Rollout, play
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

STEPS = 40


@pytest.fixture(scope="module")
def local(embedded: FrozenBase) -> Local:
    """The embedded base."""
    return Local(embedded)


def model(local: Local, adapters: list[Adapter | None], style: Style, game: str = "pantry") -> LocalModel:
    """A model with one seat an adapter."""
    made = LocalModel(local, registry.make(game).words, style)
    for seat, adapter in enumerate(adapters):
        made.seat(seat, adapter)
    return made


def rollout(
    agents: list[Agent], seed: int, game: str = "pantry", library: str = "default"
) -> tuple[Rollout, list[Event]]:
    """An episode about to be played, and the list that its events will be in."""
    world = registry.make("pantry")
    names = [f"agent {seat}" for seat in range(world.seats)]
    scheduler: Scheduler[Any] = Scheduler(
        world, registry.library(world, library), seed=seed, holders=names, steps=STEPS, starts="varied"
    )
    events: list[Event] = []
    holders = [Holder(name, agent) for name, agent in zip(names, agents, strict=True)]
    return Rollout(scheduler, Seats(holders, Holder("idle", Idle())), events.extend), events


def receipts(events: list[Event], seat: int | None = None) -> list[Receipt]:
    """The receipts of all choices, or of those of one seat."""
    chosen = [event for event in events if isinstance(event, OptionChosen) and seat in (None, event.seat)]
    return [event.receipt for event in chosen if event.receipt is not None]


def test_rollouts_that_advance_together_are_those_played_alone(local: Local, adapters: list[Adapter]) -> None:
    """Byte for byte, log-probabilities included: a batch changes no number of those in it."""
    made = model(local, [adapters[0], adapters[1]], Style("brief", "two_line"))
    together = [rollout([made, made], seed) for seed in range(3)]
    alone = [rollout([made, made], seed) for seed in range(3)]

    play([each for each, _ in together])
    for each, _ in alone:
        play([each])

    assert [events for _, events in together] == [events for _, events in alone]
    assert len({str(events) for _, events in together}) == 3


def test_the_live_episode_leaves_the_events_of_the_rollout_and_runs_again(
    local: Local, adapters: list[Adapter]
) -> None:
    """Two drivers, one trace, and a rerun needs no model."""
    made = model(local, [adapters[0], None], Style("brief", "text"))
    first, expected = rollout([made, made], 5)
    second, live = rollout([made, made], 5)
    play([first])

    take = second.scheduler.take

    def kept() -> list[Event]:
        fresh = take()
        live.extend(fresh)
        return fresh

    async def session() -> None:
        clock = Clock()
        bus = Bus(clock)
        await Episode(second.scheduler, second.seats, bus, Lockstep(None), clock=clock).run()
        await bus.stop()

    second.scheduler.take = kept  # type: ignore[method-assign]
    anyio.run(session)

    world = registry.make("pantry")
    header = make_header(
        *(world, registry.library(world)),
        seed=5,
        starts="varied",
        steps=STEPS,
        seats=["agent 0", "agent 1"],
        agents={"agent 0": made.mark(0), "agent 1": made.mark(1)},
    )
    assert live == expected
    assert rerun(Trace(header, tuple(live))).agrees
    assert header.agents["agent 0"].prefix


@pytest.mark.parametrize("scorer", ["letter", "text", "two_line", "paper"])
def test_a_receipt_says_who_answered_and_how_likely_it_was(local: Local, adapters: list[Adapter], scorer: Any) -> None:
    """What the learner needs is in it: the distribution at temperature 1, and the log-probability as it was drawn."""
    style = Style("brief", scorer, temperature=0.7)
    made = model(local, [adapters[0], adapters[1]], style)
    played, events = rollout([made, made], 3)

    play([played])

    menus = {(event.seat, event.decision): event.menu for event in events if isinstance(event, MenuOffered)}
    chosen = [event for event in events if isinstance(event, OptionChosen)]
    assert len(chosen) > 10
    for event in chosen:
        receipt = event.receipt
        assert receipt is not None
        assert receipt.log_prob is not None
        adapter = adapters[event.seat]
        assert (receipt.backend, receipt.base) == ("local", local.base.digest)
        assert (receipt.adapter, receipt.adapter_digest) == (adapter.name, adapter.digest)
        assert (receipt.scorer, receipt.temperature, receipt.check) == (scorer, 0.7, NOT_CHECKED)
        assert receipt.position == event.decision
        assert len(receipt.menu) == len(menus[event.seat, event.decision])
        expected = tempered(receipt.menu, 0.7)[event.index]
        if receipt.intent is not None:
            expected += tempered(receipt.intents, 0.7)[receipt.intent]
        assert receipt.log_prob == pytest.approx(expected, abs=1e-12)
        assert made.mark(event.seat).prefix + receipt.prompt
    assert len({event.index for event in chosen}) > 1


def test_another_agent_in_one_seat_changes_no_draw_of_the_other(local: Local, adapters: list[Adapter]) -> None:
    """On the first decision, before the worlds part: same letters, same prompt, same numbers, same choice."""
    made = model(local, [adapters[0], adapters[1]], Style("brief", "two_line"))
    one, ours = rollout([made, made], 2)
    other, theirs = rollout([made, Random()], 2)

    play([one])
    play([other])

    first = [
        next(event for event in events if isinstance(event, OptionChosen) and event.seat == 0)
        for events in (ours, theirs)
    ]
    assert first[0] == first[1]


def test_replies_that_cannot_be_read_are_rejected_with_their_receipts(local: Local) -> None:
    """Written out without a grammar by a model that never learned the form: counted, kept, and the episode goes on."""
    made = model(local, [None, None], Style("brief", "json", most_tokens=8))
    played, events = rollout([made, made], 1)

    [result] = play([played])

    rejected = [event for event in events if isinstance(event, ChoiceRejected)]
    assert result.steps == STEPS
    assert rejected
    assert {event.reason for event in rejected} == {"malformed"}
    assert all(event.receipt is not None for event in rejected)
    assert any(event.receipt.reply for event in rejected if event.receipt)


def test_native_play_is_a_decision_a_step(local: Local) -> None:
    """The same agent on primitive actions; the call ratio is 1."""
    made = model(local, [None, None], Style("brief", "letter"))
    played, events = rollout([made, made], 1, library="primitives")

    [result] = play([played])

    assert sum(result.decisions) == 2 * STEPS
    assert len(receipts(events)) == 2 * STEPS


def test_what_a_canary_says_is_on_the_receipt(embedded: FrozenBase, tmp_path: Path) -> None:
    """A trained adapter is told from its base, a fresh one cannot be, and one that is not what it was is refused."""
    folders = [tmp_path / "old@v3", tmp_path / "new@v0"]
    fresh_adapter(folders[0], embedded, rank=4, seed=1, spread=0.05)
    fresh_adapter(folders[1], embedded, rank=4, seed=2)
    for folder in folders:
        write_canary(folder, seal(Local(embedded), read_adapter(folder, embedded)))
    old, new = (read_adapter(folder, embedded) for folder in folders)
    made = model(Local(embedded), [old, new], Style("brief", "text"))
    played, events = rollout([made, made], 1)

    play([played])

    assert {receipt.check for receipt in receipts(events, 0)} == {KNOWN}
    assert {receipt.check for receipt in receipts(events, 1)} == {INDISTINGUISHABLE}
    assert old.canary is not None
    planted = msgspec.structs.replace(new, name=old.name, canary=old.canary)
    with pytest.raises(AdapterMismatchError, match="old@v3: its weights do not answer as its canary"):
        model(Local(embedded), [planted, None], Style("brief", "text"))


def test_one_seed_gives_one_trace_in_any_process(local: Local, adapters: list[Adapter], tmp_path: Path) -> None:
    """Two processes with two hash seeds leave the bytes that this one leaves."""
    command = "play pantry --seat 0=llm --seat 1=llm#{} --seed 4 --steps 30 --quiet --trace {}"
    traces = [tmp_path / f"{number}.jsonl" for number in range(2)]
    for number, trace in enumerate(traces):
        subprocess.run(
            [sys.executable, "-m", "hocket", *command.format(adapters[0].folder, trace).split()],
            check=True,
            capture_output=True,
            env={"PYTHONHASHSEED": str(number), "PATH": "", "PYTHONSAFEPATH": "1", "HOME": str(tmp_path)},
        )

    assert traces[0].read_bytes() == traces[1].read_bytes()
    assert traces[0].with_name("0.timing.jsonl").exists()
    assert b'"adapter":"seat0@v1"' in traces[0].read_bytes()


def test_a_menu_of_more_letters_than_tokens_is_that_seats_fault(local: Local, offered: Callable[..., Any]) -> None:
    """Letters beyond Z are no single tokens; the sentence says how many there are, and the other seat is answered."""
    made = model(local, [None, None], Style("brief", "letter"))
    one, other = offered("pantry")[:2]
    entries = [msgspec.structs.replace(one.menu.entries[0], key=f"wait@{place},1") for place in range(30)]
    wide = msgspec.structs.replace(one, menu=type(one.menu).of(entries))

    wrong, right = made.choose_many([wide, other])

    assert isinstance(wrong, PromptError)
    assert str(wrong) == "a menu of 30 options, but the tokenizer has 26 letters of one token"
    assert isinstance(right, Choice)
