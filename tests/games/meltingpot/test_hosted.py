"""Worlds in processes of their own: many at once, and what happens when one dies."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

import anyio
import msgspec
import pytest
from tests.games.meltingpot.processes import alive, children, hosts, needs_proc, until
from tests.games.meltingpot.worlds import joints, needs_substrates, order, world

from hocket.agents.idle import Idle
from hocket.agents.random import Random
from hocket.games import registry
from hocket.games.meltingpot.facts import Facts
from hocket.games.meltingpot.hosted import Host
from hocket.games.meltingpot.world import MeltingPot
from hocket.replays.recording import play_live
from hocket.replays.rerun import rerun
from hocket.replays.trace import make_header, read_trace
from hocket.replays.writer import TraceWriter
from hocket.runtime.bus import Bus
from hocket.runtime.clock import Clock
from hocket.runtime.errors import EpisodeError, WorldError
from hocket.runtime.events import EpisodeEnded, Stepped
from hocket.runtime.game import Game
from hocket.runtime.pace import Lockstep
from hocket.runtime.policy import Choice, Offer
from hocket.runtime.scheduler import Scheduler
from hocket.runtime.seats import Holder, Seats

pytestmark = [needs_substrates, needs_proc]
ENDED = "the Melting Pot world: its process has ended in mid-episode"
PARENT = """
import sys
from hocket.games import registry
games = [registry.make("cleanup", {"seats": 2}) for _ in range(2)]
for seed, game in enumerate(games):
    game.reset(seed, "standard")
    game.step((1, 1))
print("begun", flush=True)
sys.stdin.read()
"""


class Deadly:
    """Plays at random, and does something terrible when it is asked at some tick or later."""

    def __init__(self, tick: int, deed: Callable[[], object]) -> None:
        self._tick, self._deed, self._random = tick, deed, Random()

    def choose_many(self, offers: Sequence[Offer]) -> Sequence[Choice]:
        if any(offer.tick >= self._tick for offer in offers):
            self._tick = sys.maxsize
            self._deed()
        return self._random.choose_many(offers)


@pytest.fixture
def game() -> MeltingPot:
    """A world for two, at the start of an episode."""
    small = world("cleanup", seats=2)
    small.reset(1, "standard")
    return small


def host_of(game: MeltingPot) -> int:
    """The process that builds this world."""
    (host,) = hosts(order(game))
    return host


def begun(game: MeltingPot, seed: int = 1) -> int:
    """Begin an episode; return its process."""
    before = set(children(host_of(game))) if hosts(order(game)) else set()
    game.reset(seed, "standard")
    (fresh,) = set(children(host_of(game))) - before
    return fresh


def states(game: MeltingPot, seed: int, ticks: int = 60) -> list[Facts]:
    """Play at random; return the facts of every tick."""
    game.reset(seed, "varied")
    seen = [game.facts()]
    for joint in joints(game, ticks, seed):
        game.step(joint)
        seen.append(game.facts())
    return seen


def kill(pid: int) -> None:
    """End a process at once, and wait until it is gone."""
    os.kill(pid, signal.SIGKILL)
    assert until(lambda: not alive(pid))


def test_an_episode_is_a_process_and_ends_with_it(game: MeltingPot) -> None:
    """Its own, forked from the host; the next episode has another, and closing leaves none."""
    first = begun(game)
    second = begun(game)

    assert first != second
    assert until(lambda: not alive(first))
    game.close()
    assert until(lambda: not alive(second))
    assert alive(host_of(game))


def test_a_world_that_dies_says_so_and_the_next_one_plays(game: MeltingPot) -> None:
    """The host has only lost a copy."""
    host, pid = host_of(game), begun(game)

    kill(pid)

    for ask in (lambda: game.step((0, 0)), game.rgb):
        with pytest.raises(WorldError, match=f"^{ENDED}$"):
            ask()
    assert states(game, 4) == states(game, 4)
    assert host_of(game) == host


def test_an_episode_whose_world_dies_ends_with_one_sentence_and_a_whole_trace(game: MeltingPot, tmp_path: Path) -> None:
    """What was played until then is on disk, reads, and comes about again; then the same game plays on."""
    library, names, path = registry.library(game), ("ada", "bo"), tmp_path / "ada.jsonl"
    before = set(children(host_of(game)))
    scheduler = Scheduler(game, library, seed=6, holders=names, steps=60)
    header = make_header(cast(Game[Any], game), library, seed=6, starts="standard", steps=60, seats=names)
    (pid,) = set(children(host_of(game))) - before
    deadly, writer = Deadly(20, lambda: kill(pid)), TraceWriter(path, header)
    seats, clock = Seats([Holder(name, deadly) for name in names], Holder("idle", Idle())), Clock()

    with pytest.raises(EpisodeError) as ended:
        anyio.run(partial(play_live, scheduler, seats, Lockstep(), Bus(clock), clock, writer))
    writer.close()

    trace = read_trace(path)
    steps = [event for event in trace.events if isinstance(event, Stepped)]
    last = trace.events[-1]
    assert str(ended.value) == f"the game failed at tick {len(steps)}: WorldError: {ENDED}"
    assert 20 <= len(steps) < 60
    assert isinstance(last, EpisodeEnded)
    assert (last.tick, last.reason, trace.torn) == (len(steps), "failed", False)
    assert rerun(trace).agrees
    assert len(states(game, 7)) == 61


def test_a_host_that_dies_takes_no_episode_with_it_and_is_started_again(game: MeltingPot) -> None:
    """The copy that plays needs it no more; the next episode begins in a copy of another."""
    expected, host, pid = states(world("cleanup", seats=2), 5), host_of(game), begun(game)

    kill(host)

    assert alive(pid)
    for _ in range(20):
        game.step((1, 0))
    assert states(game, 5) == expected
    assert host_of(game) != host
    assert until(lambda: not alive(pid))


def test_a_host_and_its_world_that_die_together_are_both_replaced(game: MeltingPot) -> None:
    """Where a machine runs out of memory, any of them may go."""
    host, pid = host_of(game), begun(game)

    kill(pid)
    kill(host)

    with pytest.raises(WorldError, match=f"^{ENDED}$"):
        game.step((0, 0))
    assert len(states(game, 5)) == 61


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_no_process_is_left_behind(number: signal.Signals) -> None:
    """Whoever played may be ended in the worst of ways: host and worlds go with it."""
    command = [sys.executable, "-P", "-c", PARENT]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        assert parent.stdout.readline() == "begun\n"
        (host,) = children(parent.pid)
        worlds = children(host)
        assert len(worlds) == 2

        parent.send_signal(number)
        parent.wait()

        assert until(lambda: not any(map(alive, [host, *worlds])))


def test_a_process_that_ends_by_itself_leaves_nothing_open() -> None:
    """Nor a word of complaint, where Python is asked to complain of everything."""
    command = [sys.executable, "-P", "-X", "dev", "-W", "error", "-c", PARENT]

    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)

    assert (done.stdout, done.stderr) == ("begun\n", "")


def test_worlds_of_one_host_know_nothing_of_each_other() -> None:
    """Eight at a time, a step of each in turn, play as each of them does alone."""
    games = [world("cleanup", seats=2) for _ in range(8)]
    alone = [states(games[0], seed) for seed in range(8)]

    for seed, game in enumerate(games):
        game.reset(seed, "varied")
    together = [[game.facts()] for game in games]
    moves = [joints(game, 60, seed) for seed, game in enumerate(games)]
    for tick in range(60):
        for game, seen, joint in zip(games, together, moves, strict=True):
            game.step(joint[tick])
            seen.append(game.facts())

    assert together == alone
    assert len(hosts(order(games[0]))) == 1
    assert len({tuple(seen) for seen in together}) == 8
    for game in games:
        game.close()


def test_a_world_that_cannot_be_built_says_why(game: MeltingPot) -> None:
    """With the last of what its process wrote."""
    wrong = msgspec.structs.replace(order(game), substrate="clean_down")
    host = Host(wrong)

    for _ in range(2):
        with pytest.raises(WorldError) as refused:
            host.world()
        assert str(refused.value) == (
            "the Melting Pot world: cannot be built: "
            "ModuleNotFoundError: No module named 'meltingpot.configs.substrates.clean_down'"
        )
    assert not hosts(wrong)
    host.close()


def test_a_world_that_fails_says_why(game: MeltingPot) -> None:
    """Whatever ended its process: here an action that the game would never have let through."""
    raw = game.host().world()

    with pytest.raises(WorldError, match=f"^{ENDED}: IndexError: index 200 is out of bounds"):
        raw.step(bytes((200, 200)))

    raw.close()


def test_a_world_that_was_killed_is_not_given_the_last_words_of_another(game: MeltingPot) -> None:
    """They would send whoever reads them after something that has nothing to do with it."""
    raw = game.host().world()
    with pytest.raises(WorldError):
        raw.step(bytes((200, 200)))
    raw.close()

    kill(begun(game))

    with pytest.raises(WorldError, match=f"^{ENDED}$"):
        game.step((0, 0))
