"""Every game as a PettingZoo environment: PettingZoo's own test, and ours over whole episodes."""

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test
from tests.games.meltingpot.worlds import needs_substrates

from hocket.games.parallel_env import GameEnv, parallel_env
from hocket.runtime.errors import SettingError, UnknownNameError

GAMES = (
    "pantry",
    "pantry:roles",
    "overcooked:asymmetric_advantages",
    "overcooked:cramped_room_single",
    "overcooked:multiplayer_schelling",
    pytest.param("cleanup", marks=needs_substrates),
    pytest.param("harvest:no_thinning", marks=needs_substrates),
)


@pytest.mark.parametrize("name", GAMES)
def test_pettingzoos_own_test_passes(name: str) -> None:
    """What works with any ParallelEnv must work with ours."""
    env = parallel_env(name, steps=30)

    parallel_api_test(env, num_cycles=100)


def episode(env: GameEnv, seed: int) -> list[bytes]:
    """Play one whole episode with actions drawn from its seed; return all that came back, as bytes."""
    dice = np.random.Generator(np.random.PCG64(seed))
    arrays, _ = env.reset(seed=seed)
    told = [arrays[agent].tobytes() for agent in env.possible_agents]
    while env.agents:
        actions = {agent: int(dice.integers(3)) for agent in env.agents}
        arrays, rewards, _, _, infos = env.step(actions)
        told += [arrays[agent].tobytes() for agent in env.possible_agents]
        told.append(repr((rewards, infos)).encode())
    return told


@pytest.mark.parametrize("name", GAMES)
def test_one_seed_gives_one_whole_episode(name: str) -> None:
    """PettingZoo's seed test looks at one step; ours goes to the end, in two environments and in one used twice."""
    one, other = parallel_env(name, starts="varied"), parallel_env(name, starts="varied")

    told = episode(one, 11)
    episode(one, 12)

    assert len(told) > 2 * len(one.possible_agents)
    assert episode(one, 11) == told
    assert episode(other, 11) == told


def test_observations_keep_to_their_space() -> None:
    """The documented array: float32, one shape, 0 to 1, for every seat and tick."""
    env = parallel_env("overcooked:cramped_room_tomato", starts="varied", steps=50)
    arrays, _ = env.reset(seed=5)

    while env.agents:
        for agent in env.possible_agents:
            assert env.observation_space(agent).contains(arrays[agent])
            assert arrays[agent].shape == (22, 4, 5)
        arrays, *_ = env.step(dict.fromkeys(env.agents, 5))


def test_an_episode_is_truncated_after_its_steps() -> None:
    """The games have no end of their own, so the environment counts."""
    env = parallel_env("pantry", steps=2)
    env.reset(seed=1)

    env.step({"seat_0": 0, "seat_1": 0})
    _, _, terminated, truncated, _ = env.step({"seat_0": 0, "seat_1": 0})

    assert truncated == {"seat_0": True, "seat_1": True}
    assert terminated == {"seat_0": False, "seat_1": False}
    assert env.agents == []


def test_bad_settings_are_refused() -> None:
    """A user's mistake is one sentence."""
    with pytest.raises(SettingError, match="steps is 0, but must be 1 or more"):
        parallel_env("pantry", steps=0)
    with pytest.raises(UnknownNameError, match="nearest: cramped_room"):
        parallel_env("overcooked:cramped_rom")
