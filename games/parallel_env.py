"""Any game as a PettingZoo ParallelEnv: primitive actions in, arrays out.

Agents are called `seat_0`, `seat_1` and so on. Observations are the game's arrays,
float32, always of one shape (`Game.array` of each game says what stands where);
actions are indices into the game's primitive actions. An episode is truncated
after its steps; these games have no end of their own. Needs the extra
`pettingzoo`.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hocket.games import registry
from hocket.runtime.errors import MissingExtraError, SettingError
from hocket.runtime.game import Game

try:
    from gymnasium.spaces import Box, Discrete, Space
    from pettingzoo import ParallelEnv
except ImportError as error:
    raise MissingExtraError(extra="pettingzoo", needed_for="a PettingZoo environment") from error

Arrays = dict[str, NDArray[np.float32]]
Infos = dict[str, dict[str, Any]]


class GameEnv(ParallelEnv[str, Any, Any]):  # type: ignore[misc]  # PettingZoo is untyped
    """A game behind PettingZoo's interface."""

    def __init__(self, game: Game[Any], steps: int, starts: str = "standard") -> None:
        """Wrap a game.

        Args:
            game: is reset and stepped from here on.
            steps: length of an episode, in ticks.
            starts: `standard` or `varied`.

        Raises:
            SettingError: no steps, or unknown starts.
        """
        if steps < 1:
            raise SettingError(setting="steps", value=steps, right="1 or more")
        game.reset(0, starts)
        self.metadata = {"name": game.spec.name, "render_modes": ["ansi"], "is_parallelizable": True}
        self.render_mode = "ansi"
        self.possible_agents = [f"seat_{seat}" for seat in range(game.seats)]
        self.agents: list[str] = []
        self._game, self._steps, self._starts = game, steps, starts
        self._tick, self._seed = 0, 0
        shape = game.array(game.facts(), 0).shape
        self.observation_spaces: dict[str, Space[Any]] = {
            agent: Box(0.0, 1.0, shape, np.float32) for agent in self.possible_agents
        }
        self.action_spaces: dict[str, Space[Any]] = {
            agent: Discrete(len(game.actions)) for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> Space[Any]:
        """Return the space of an agent's arrays."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Arrays, Infos]:
        """Begin an episode; without a seed, with the one after the last."""
        self._seed = self._seed + 1 if seed is None else seed
        self._game.reset(self._seed, self._starts)
        self._tick = 0
        self.agents = list(self.possible_agents)
        return self._observe(), {agent: {} for agent in self.agents}

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[Arrays, dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        """Carry out one action an agent; infos hold the game events of the step."""
        joint = tuple(int(actions[agent]) for agent in self.agents)
        rewards, events = self._game.step(joint)
        self._tick += 1
        over = self._tick >= self._steps
        present = self.agents
        self.agents = [] if over else present
        return (
            self._observe(),
            dict(zip(present, rewards, strict=True)),
            dict.fromkeys(present, False),
            dict.fromkeys(present, over),
            {agent: {"events": events} for agent in present},
        )

    def render(self) -> str:
        """Return the picture of this moment."""
        return self._game.picture(self._game.facts())

    def _observe(self) -> Arrays:
        facts = self._game.facts()
        return {agent: self._game.array(facts, seat) for seat, agent in enumerate(self.possible_agents)}


def parallel_env(
    name: str, *, steps: int | None = None, starts: str = "standard", settings: Mapping[str, object] | None = None
) -> GameEnv:
    """Build a game by name as a ParallelEnv.

    Args:
        name: e.g. `overcooked:forced_coordination`.
        steps: length of an episode, in ticks; by default the game's usual one.
        starts: `standard` or `varied`.
        settings: of the game.

    Raises:
        UnknownNameError: no such game.
    """
    game = registry.make(name, settings)
    return GameEnv(game, game.steps if steps is None else steps, starts)
