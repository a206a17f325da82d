"""The one place where overcooked-ai is imported.

Only the core of version 1.1.0 works with numpy 2, and the package imports `gym`
for a registration that nobody needs here: a stub stands in while it is imported.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

from hocket.games.overcooked.layout import Layout
from hocket.runtime.errors import MissingExtraError

_PASSED = (
    "max_num_ingredients",
    "delivery_reward",
    "recipe_values",
    "onion_value",
    "tomato_value",
    "cook_time",
    "recipe_times",
    "onion_time",
    "tomato_time",
)
_GYM = ("gym", "gym.envs", "gym.envs.registration")


def load_package() -> SimpleNamespace:
    """The parts of overcooked-ai that the reference kitchen needs.

    Returns:
        `OvercookedGridworld`, `OvercookedState`, `Recipe` and `Action`.

    Raises:
        MissingExtraError: it is not installed.
    """
    with _gym_stubbed():
        try:
            mdp: Any = import_module("overcooked_ai_py.mdp.overcooked_mdp")
            actions: Any = import_module("overcooked_ai_py.mdp.actions")
        except ModuleNotFoundError as error:
            if not str(error.name).startswith("overcooked_ai_py"):
                raise
            raise MissingExtraError(extra="overcooked", needed_for="the reference kitchen") from None
    return SimpleNamespace(
        OvercookedGridworld=mdp.OvercookedGridworld,
        OvercookedState=mdp.OvercookedState,
        Recipe=mdp.Recipe,
        Action=actions.Action,
    )


def package_parameters(layout: Layout) -> dict[str, Any]:
    """What `OvercookedGridworld.from_grid` takes beside the grid; the start state is left out."""
    given = {key: getattr(layout, key) for key in _PASSED if getattr(layout, key) is not None}
    return given | {
        "layout_name": layout.name,
        "start_all_orders": [{"ingredients": list(order)} for order in layout.all_orders],
        "start_bonus_orders": [{"ingredients": list(order)} for order in layout.bonus_orders],
        "order_bonus": float(layout.order_bonus),
    }


@contextmanager
def _gym_stubbed() -> Iterator[None]:
    before = {name: sys.modules.get(name) for name in _GYM}
    stubs = {name: ModuleType(name) for name in _GYM}
    vars(stubs["gym.envs.registration"])["register"] = lambda *_, **__: None
    sys.modules.update(stubs)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module
