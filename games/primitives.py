"""Primitive actions as options: every game's own moves as a menu, each step a decision.

The native interface of the paper's ablations. No option may be missing, and none fails:
an action that changes nothing has still been carried out.
"""

from collections.abc import Sequence
from typing import Any

from hocket.runtime.game import Game
from hocket.runtime.option import Feature, Instance, Library, Plan, instance, source_digest

NAME = "primitives"


class Primitive:
    """One primitive action, for one tick."""

    private = True
    replans = False
    slack = 0
    fixed = True
    reads: tuple[Feature, ...] = ()
    senses: tuple[Feature, ...] = ()

    def __init__(self, name: str, action: int, words: str) -> None:
        self.name = name
        self._only = (instance(name, None, words),)
        self._plan = (action,)

    def read(self, instance: Instance, facts: object, seat: int) -> tuple[int, ...]:
        """Read nothing: it depends on nothing."""
        return ()

    sense = read

    def instances(self, facts: object, seat: int) -> Sequence[Instance]:
        """Return the one instance."""
        return self._only

    def expand(self, instance: Instance, facts: object, seat: int) -> Plan:
        """Do it."""
        return self._plan

    def effect(self, instance: Instance, before: object, after: object, seat: int) -> bool:
        """Promise nothing and keep it."""
        return True


def primitives_library(game: Game[Any]) -> Library[Any]:
    """Build the library of a game's primitive actions; the one that does nothing is called `wait`."""
    options = [
        Primitive("wait", action, "wait 1 tick") if action == game.noop else Primitive(name, action, name)
        for action, name in enumerate(game.actions)
    ]
    return Library(name=NAME, version=1, digest=source_digest(__file__), options=options)
