"""Work beside a world: the same as here, only without a message a step."""

import os
import signal
from pathlib import Path

import pytest
from tests.games.meltingpot import errand
from tests.games.meltingpot.processes import alive, needs_proc, until
from tests.games.meltingpot.worlds import needs_substrates, world

from hocket.games.meltingpot.errands import beside
from hocket.games.meltingpot.world import MeltingPot
from hocket.runtime.errors import SettingError, WorldError

pytestmark = needs_substrates
HERE = "tests.games.meltingpot.errand"


@pytest.fixture
def game(monkeypatch: pytest.MonkeyPatch) -> MeltingPot:
    """A world whose process finds the tests."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    return world("cleanup", seats=3)


def test_an_episode_beside_the_world_is_the_one_that_is_played_here(game: MeltingPot) -> None:
    """Seed by seed, to the last of its facts; what the game itself plays goes on meanwhile."""
    game.reset(1, "standard")
    before = game.facts()

    there = [beside(game, f"{HERE}:played", str(seed).encode()) for seed in (3, 4, 3)]

    assert game.facts() == before
    game.step((0, 0, 0))
    assert there == [errand.played(game, str(seed).encode()) for seed in (3, 4, 3)]
    assert there[0] != there[1]


def test_each_errand_has_a_process_of_its_own(game: MeltingPot) -> None:
    """Which is none of ours, so that whatever it leaves behind is gone with it."""
    processes = {int(beside(game, f"{HERE}:process", b"")) for _ in range(3)}

    assert len(processes) == 3
    assert os.getpid() not in processes


def test_what_an_errand_raises_is_raised_here(game: MeltingPot) -> None:
    """With its own type and sentence."""
    with pytest.raises(SettingError) as refused:
        beside(game, f"{HERE}:refused", b"this one")

    assert str(refused.value) == "errand is 'this one', but must be another"


def test_an_errand_that_ends_its_process_is_an_error_and_no_end(game: MeltingPot) -> None:
    """The next one has another."""
    with pytest.raises(WorldError, match=r"^the Melting Pot world: its process has ended in mid-episode"):
        beside(game, f"{HERE}:deadly", b"")

    assert beside(game, f"{HERE}:played", b"3") == errand.played(game, b"3")


def test_a_large_errand_arrives_whole(game: MeltingPot) -> None:
    """Weights of a network are more than a socket holds at a time."""
    game.host().close()

    assert int(beside(game, f"{HERE}:process", b"x" * 2_000_000)) > 0


@needs_proc
def test_a_host_that_has_died_is_started_again(game: MeltingPot) -> None:
    """As for a world that is stepped from here."""
    game.reset(1, "standard")
    host = game.host().pid
    os.kill(host, signal.SIGKILL)
    assert until(lambda: not alive(host))

    assert int(beside(game, f"{HERE}:process", b"")) > 0
