"""Two seats, four rounds: a point when exactly one washes and the other serves.

Nothing in an observation tells which seat it is for, so two copies of one
memoryless policy that washes with probability p score 2 p (1 - p) <= 0.5 of the
best: only agents that differ can do better. A round is a tick.
"""

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from hocket.games import wait as wait_module
from hocket.games.wait import Wait
from hocket.runtime.events import Cell, GameEvent
from hocket.runtime.game import GameSpec, read_starts
from hocket.runtime.option import Failure, Feature, Instance, Library, Plan, instance, source_digest
from hocket.runtime.words import Situation

ROUNDS = 4
WASH, SERVE, NOOP = range(3)


class Facts(msgspec.Struct, frozen=True):
    """The whole state: how many rounds are over, and what each seat did last."""

    round: int
    last: tuple[int, ...]


class RolesView(msgspec.Struct, frozen=True):
    """What either seat may see: the same for both."""

    round: int


class RolesWords:
    """The words of the game of two roles."""

    stages = ("washing", "serving")
    rules = (
        "You and a partner run a kitchen for a few rounds.",
        "In each round the team has 1 point if one of you washes and the other serves, and nothing otherwise.",
    )
    brief_rules = "roles 2 cooks wash serve"

    def full(self, facts: Facts, seat: int) -> Situation:
        """Tell which round it is."""
        return Situation((), (), (f"Round {facts.round + 1} of {ROUNDS}.",))

    def brief(self, facts: Facts, seat: int) -> Situation:
        """Tell the same in few words."""
        return Situation((), (), (f"round {facts.round + 1} {ROUNDS}",))


class Roles:
    """The game of two roles."""

    seats = 2
    actions = ("wash", "serve", "stay")
    noop = NOOP
    steps = ROUNDS
    words = RolesWords()

    def __init__(self) -> None:
        self.spec = GameSpec("pantry", "pantry:roles", {})
        self._facts = Facts(0, (NOOP, NOOP))

    def reset(self, seed: int, starts: str) -> None:
        """Go to the first round; there is one start only."""
        read_starts(starts, seed)
        self._facts = Facts(0, (NOOP, NOOP))

    def step(self, joint: Sequence[int]) -> tuple[tuple[float, ...], tuple[GameEvent, ...]]:
        """Play a round; the point is shared."""
        if len(joint) != self.seats or not all(0 <= action < len(self.actions) for action in joint):
            raise ValueError(f"{joint!r} is no joint action of {self.seats} seats")
        one, other = joint
        self._facts = Facts(self._facts.round + 1, (one, other))
        if {one, other} != {WASH, SERVE}:
            return (0.0, 0.0), ()
        return (0.5, 0.5), (GameEvent("delivered", joint.index(SERVE), "plate", amount=1.0),)

    def facts(self) -> Facts:
        """Return the whole state."""
        return self._facts

    def landmarks(self) -> dict[str, tuple[Cell, ...]]:
        """Return nothing: there is no place in this game."""
        return {}

    def observe(self, facts: Facts, seat: int) -> RolesView:
        """Return what either seat sees."""
        return RolesView(facts.round)

    def array(self, facts: Facts, seat: int) -> NDArray[np.float32]:
        """Rounds over, as a share of all: shape [1], 0 to 1."""
        return np.array([min(facts.round / ROUNDS, 1.0)], dtype=np.float32)

    def picture(self, facts: Facts) -> str:
        """One line: the round, and what each seat did last."""
        return f"round {facts.round}: " + ", ".join(self.actions[action] for action in facts.last)


class _Role:
    private = True
    replans = False
    slack = 0
    fixed = True
    reads: tuple[Feature, ...] = ()
    senses: tuple[Feature, ...] = ()

    def __init__(self, name: str, action: int, words: str) -> None:
        self.name, self._action = name, action
        self._only = (instance(name, None, words),)

    def read(self, instance: Instance, facts: Facts, seat: int) -> tuple[int, ...]:
        """Read nothing: every role can be played in every round."""
        return ()

    sense = read

    def instances(self, facts: Facts, seat: int) -> Sequence[Instance]:
        """Return the one instance."""
        return self._only

    def expand(self, instance: Instance, facts: Facts, seat: int) -> Plan | Failure:
        """Do it, this round."""
        return (self._action,)

    def effect(self, instance: Instance, before: Facts, after: Facts, seat: int) -> bool:
        """Tell whether the seat did it."""
        return after.round > before.round and after.last[seat] == self._action


def roles_library() -> Library[Facts]:
    """Build the options of the game of two roles."""
    return Library(
        name="default",
        version=1,
        digest=source_digest(__file__, wait_module.__file__),
        options=[
            Wait(NOOP, 1),
            _Role("wash", WASH, "wash the plates"),
            _Role("serve", SERVE, "serve the guests"),
        ],
    )
