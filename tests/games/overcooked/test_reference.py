"""The package's own rules behind the kitchen's interface."""

import random
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec

import pytest

from hocket.games.overcooked.kitchen import INTERACT, STAY, Kitchen
from hocket.games.overcooked.layout import layout_names, load_layout
from hocket.games.overcooked.package import load_package
from hocket.games.overcooked.reference import ReferenceKitchen
from hocket.games.overcooked.state_dict import to_dict
from hocket.runtime.errors import MissingExtraError, SettingError

Draw = Callable[[Kitchen, random.Random], tuple[int, ...]]

needs_package = pytest.mark.skipif(find_spec("overcooked_ai_py") is None, reason="needs the extra overcooked")


@needs_package
def test_two_reference_kitchens_share_a_process(varied: Draw, busy: Draw) -> None:
    """The package keeps one table of recipes: after loading another layout, a soup would be worth 63 and not 20."""
    pairs = [
        (ReferenceKitchen(load_layout(name)), Kitchen(load_layout(name)))
        for name in ("asymmetric_advantages", "counter_circuit", "tutorial_2")
    ]
    rng = random.Random(0)

    for number in range(300):
        for reference, kitchen in pairs:
            if number % 30 == 0:
                kitchen.load(varied(kitchen, rng))
                reference.load(kitchen.facts())
            joint = busy(kitchen, rng)
            assert (reference.step(joint), reference.facts()) == (kitchen.step(joint), kitchen.facts())


@needs_package
def test_someone_else_may_use_the_package_in_between() -> None:
    """Whoever makes a layout of the package reconfigures its recipes behind the kitchen's back."""
    reference = ReferenceKitchen(load_layout("asymmetric_advantages"))
    facing_the_window = [0, 16, 2, 4 + 13, 28, 0, 0]
    reference.load([*facing_the_window, *reference.facts()[reference.pot0 :]])
    load_package().OvercookedGridworld.from_layout_name("counter_circuit")

    rewards, _ = reference.step((INTERACT, STAY))

    assert rewards == (20.0, 0.0)


@needs_package
@pytest.mark.parametrize("name", layout_names())
def test_a_shipped_layout_is_the_package_s_own(name: str) -> None:
    """Floor plan, starting state, orders, values and times are those of the file that the package reads."""
    layout = load_layout(name)
    kitchen = Kitchen(layout)
    package = load_package()
    package.Recipe.ALL_RECIPES_CACHE.clear()

    mdp = package.OvercookedGridworld.from_layout_name(name)

    start = mdp.get_standard_start_state()
    written = start.to_dict()
    grid = kitchen.tables.grid
    assert to_dict(kitchen, kitchen.facts()) == written
    assert "".join(map("".join, mdp.terrain_mtx)) == grid.terrain
    assert [grid.place(cell) for cell in grid.starts] == mdp.start_player_positions
    for recipe in package.Recipe.ALL_RECIPES:
        soup = recipe.ingredients
        assert (layout.value(soup), layout.time(soup)) == (recipe.value, recipe.time)
        assert layout.points(soup) == mdp.get_recipe_value(start, recipe)


@needs_package
def test_the_reference_copies_to_itself() -> None:
    """A copy steps its own state."""
    reference = ReferenceKitchen(load_layout("cramped_room"))

    rebuilt = tuple(reference.__reduce__())

    assert rebuilt[1] == (ReferenceKitchen, reference.layout, False, reference.facts())


@needs_package
@pytest.mark.parametrize("joint", [(0,), (0, 6), (-1, 0), (0, 0, 0)])
def test_the_reference_refuses_the_same_joint_actions(joint: tuple[int, ...]) -> None:
    """The package would take the last action for -1, and leave out a player without one."""
    reference = ReferenceKitchen(load_layout("cramped_room"))
    before = reference.facts()

    with pytest.raises(ValueError, match="2 seats take one of 0 to 5 each"):
        reference.step(joint)

    assert reference.facts() == before


def test_the_reference_has_no_old_dynamics() -> None:
    """Version 1.1.0 swallows the keyword and plays by the new rules."""
    with pytest.raises(SettingError, match="old_dynamics is True, but must be False with the reference rules"):
        ReferenceKitchen(load_layout("cramped_room"), old_dynamics=True)


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has only the core learns what to install."""
    monkeypatch.setitem(sys.modules, "overcooked_ai_py", None)
    for name in [name for name in sys.modules if name.startswith("overcooked_ai_py.")]:
        monkeypatch.delitem(sys.modules, name)

    with pytest.raises(MissingExtraError, match=r"reference kitchen needs the extra 'overcooked': pip install"):
        ReferenceKitchen(load_layout("cramped_room"))


@needs_package
def test_the_import_leaves_no_stub_and_prints_nothing() -> None:
    """Other code in the process may use the real gym, and standard output is for results."""
    code = (
        "import sys; from hocket.games.overcooked.package import load_package; load_package();"
        "sys.exit(any(name.partition('.')[0] == 'gym' for name in sys.modules))"
    )

    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
