"""The rules of overcooked-ai itself, behind the interface of `Kitchen`.

Slow, and needs the extra `overcooked`. Recipes are configured once per process in
the package, so a kitchen configures them again whenever another one was used in
between.
"""

from collections.abc import Sequence
from typing import Any

from hocket.games.overcooked.event_table import StepResult
from hocket.games.overcooked.grid import COUNTER, POT, SERVING
from hocket.games.overcooked.items import DISH, NOTHING, SOUP, item_code, item_name, pack
from hocket.games.overcooked.kitchen import INTERACT, Kitchen
from hocket.games.overcooked.layout import Layout
from hocket.games.overcooked.package import load_package, package_parameters
from hocket.games.overcooked.rules import bad_joint
from hocket.games.overcooked.state_dict import to_dict
from hocket.runtime.errors import SettingError
from hocket.runtime.events import GameEvent


class ReferenceKitchen(Kitchen):
    """A kitchen that is stepped by overcooked-ai 1.1.0.

    Raises:
        MissingExtraError: overcooked-ai is not installed.
        SettingError: old dynamics, which that version does not have.
    """

    def __init__(self, layout: Layout, old_dynamics: bool = False) -> None:
        if old_dynamics:
            raise SettingError(setting="old_dynamics", value=True, right="False with the reference rules")
        super().__init__(layout)
        self._package = load_package()
        self._package.Recipe.ALL_RECIPES_CACHE.clear()
        self._mdp = self._package.OvercookedGridworld.from_grid(list(layout.grid), package_parameters(layout))
        self._mirrored: list[int] = []
        self._present: Any = None
        self.step = self._step

    def package_state(self) -> Any:
        """The present state as the package's own object."""
        self._configure()
        if self._mirrored != self.state:
            self._present = self._package.OvercookedState.from_dict(to_dict(self, self.state))
            self._mirrored = self.state.copy()
        return self._present

    def _configure(self) -> None:
        recipe = self._package.Recipe
        if recipe._conf is not self._mdp.recipe_config:
            recipe.ALL_RECIPES_CACHE.clear()
            recipe.configure(self._mdp.recipe_config)

    def _step(self, joint: Sequence[int]) -> StepResult:
        if len(joint) != self.players or not all(0 <= action <= INTERACT for action in joint):
            raise bad_joint(joint, self.players)
        actions = tuple(self._package.Action.ALL_ACTIONS[action] for action in joint)
        self._present, info = self._mdp.get_state_transition(self.package_state(), actions)
        before = self.state.copy()
        self.state[:] = self._mirrored = self._flat(self._present)
        rewards = tuple(map(float, info["sparse_reward_by_agent"]))
        return rewards, tuple(_events(self, joint, before, rewards))

    def _flat(self, present: Any) -> list[int]:
        state = list(self.tables.blank())
        state[0] = present.timestep
        for seat, player in enumerate(present.players):
            offset = self.seat0 + 3 * seat
            state[offset] = self._cell(player.position)
            state[offset + 1] = self._package.Action.ALL_ACTIONS.index(player.orientation)
            state[offset + 2] = NOTHING if player.held_object is None else _code(player.held_object)
        for place, thing in present.objects.items():
            slot = self.tables.slots[self._cell(place)]
            if slot < self.counter0:
                state[slot : slot + 2] = [pack(thing.ingredients), thing._cooking_tick]
            else:
                state[slot] = _code(thing)
        return state

    def _cell(self, place: tuple[int, int]) -> int:
        return place[1] * self.width + place[0]


def _code(thing: Any) -> int:
    return SOUP + pack(thing.ingredients) if thing.name == "soup" else item_code(thing.name)


def _events(
    kitchen: ReferenceKitchen, joint: Sequence[int], before: Sequence[int], rewards: Sequence[float]
) -> list[GameEvent]:
    """What happened, from each acting seat's hands; a pot that was started, from who could have."""
    grid, found = kitchen.tables.grid, []
    filled = {
        cell: list(before[slot : slot + 2]) for cell, slot in kitchen.tables.slots.items() if slot < kitchen.counter0
    }
    for seat in [seat for seat, action in enumerate(joint) if action == INTERACT]:
        offset = kitchen.seat0 + 3 * seat
        cell = grid.ahead[4 * before[offset] + before[offset + 1]]
        had, has = before[offset + 2], kitchen.state[offset + 2]
        terrain, amount = grid.terrain[cell], 0.0
        kind, item = "", had or has
        if terrain == COUNTER and had != has:
            kind = "put_down" if had else "took"
        elif terrain == SERVING and had != has:
            kind, amount = "delivered", rewards[seat]
        elif terrain == POT:
            kind, item = _at_pot(had, has, filled[cell])
        elif had != has:
            kind = "picked_up"
        if kind:
            found.append(GameEvent(kind=kind, seat=seat, what=item_name(item), at=grid.place(cell), amount=amount))
    return found


def _at_pot(had: int, has: int, pot: list[int]) -> tuple[str, int]:
    contents, cooked = pot
    if had == DISH and has >= SOUP:
        pot[:] = [0, -1]
        return "plated", has
    if NOTHING < had < DISH and has == NOTHING:
        pot[0] = 3 * contents + had
        return "potted", had
    if had == NOTHING and contents and cooked < 0:
        pot[1] = 0
        return "started_cooking", SOUP + contents
    return "", NOTHING
